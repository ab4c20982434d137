// SPDX-License-Identifier: Apache-2.0
#include "common/config/link/link_option_fields.hpp"

#include "common/config/fields/byte_units.hpp"
#include "common/config/link/ltp_fields.hpp"

namespace farlink::config {
namespace {

using Schemes = std::span<const std::string_view>;

constexpr Schemes kAll{};

constexpr std::string_view kKeepAliveOfSessions =
    "Proposed to the peer; the smaller of the two proposals applies, 0: none. A keepalive is sent "
    "when no other data were sent for this time, and a peer that is silent for twice this time is "
    "disconnected.";

std::vector<Field<LinkOptions>> tls_fields(LinkSide side) {
    const bool induct = side == LinkSide::kInduct;
    return {
        {{.key = "tls",
          .kind = FieldKind::kChoice,
          .fallback = std::string_view("none"),
          .choices = {"none", "optional", "required"},
          .schemes = kLayersWithTls,
          .help = induct ? "`required`: a peer without TLS, or without a certificate from `ca` "
                           "that names it, is refused. `optional`: TLS is used if the peer offers "
                           "it; an attacker who can modify traffic can prevent it. `none`: nothing "
                           "is encrypted."
                         : "`required`: the link stays down unless the peer has TLS and a "
                           "certificate from `ca` that names it. `optional`: TLS is used if the "
                           "peer offers it; an attacker who can modify traffic can prevent it. "
                           "`none`: nothing is encrypted."},
         [](LinkOptions &to, const Value &value) {
             const auto &mode = value.as<std::string>();
             to.tls.mode = mode == "required"   ? TlsMode::kRequired
                           : mode == "optional" ? TlsMode::kOptional
                                                : TlsMode::kNone;
         }},
        {{.key = "ca",
          .schemes = kLayersWithTls,
          .help = "PEM file with the authorities, one of which must have issued the peer's "
                  "certificate. Required with TLS, unless `tlsInsecure` is set. Files are relative "
                  "to the folder of the configuration file."},
         &LinkOptions::tls,
         &TlsConfig::ca_file},
        {{.key = "crl",
          .schemes = kLayersWithTls,
          .help = "PEM file with the certificate revocation lists (RFC 5280) of the authorities "
                  "in `ca`. With it, a peer is refused if its certificate or an intermediate one "
                  "is revoked, or if the list of its issuer is missing or past its next update."},
         &LinkOptions::tls,
         &TlsConfig::crl_file},
        {{.key = "cert",
          .schemes = kLayersWithTls,
          .help = induct ? "PEM file with this node's certificate, followed by the intermediate "
                           "certificates. Required with TLS."
                         : "PEM file with this node's certificate, followed by the intermediate "
                           "certificates; for peers that require a client certificate."},
         &LinkOptions::tls,
         &TlsConfig::certificate_file},
        {{.key = "key",
          .schemes = kLayersWithTls,
          .help = "PEM file with the private key of `cert`."},
         &LinkOptions::tls,
         &TlsConfig::key_file},
        {{.key = "tlsInsecure",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .schemes = kLayersWithTls,
          .help = "The peer's certificate is not checked: the link is protected against "
                  "eavesdropping only, and any host can act as the peer. For experiments."},
         &LinkOptions::tls,
         &TlsConfig::insecure},
        {{.key = "tlsVerify",
          .kind = FieldKind::kChoice,
          .fallback = std::string_view("names"),
          .choices = {"names", "chain"},
          .schemes = kLayersWithTls,
          .help = "`names`: the peer's certificate must come from `ca` and name the peer. `chain`: "
                  "it must come from `ca`, whatever it names: every holder of such a certificate "
                  "can act as the peer, and the certificate proves no node id."},
         [](LinkOptions &to, const Value &value) {
             to.tls.chain_only = value.as<std::string>() == "chain";
         }},
    };
}

std::vector<Field<LinkOptions>> identity_fields(LinkSide side) {
    const bool induct = side == LinkSide::kInduct;
    return {
        {{.key = "nodeId",
          .computed_default = "`ipn:<myNodeId>.0`",
          .schemes = induct ? Schemes(kLayersWithNeighbours) : kAll,
          .help = "Node id that this node announces to the peer, for peers that require one other "
                  "than the default (such as `dtn://name/`). Bundles that leave on the link name "
                  "it as their previous node."},
         &LinkOptions::node_id},
        {{.key = "strict",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .schemes = induct ? kAll : Schemes(kLayersWithNeighbours),
          .help =
              "A peer that deviates from the standard of its convergence layer is disconnected, "
              "and a bundle that deviates from its own is refused, even if the deviation is "
              "harmless. Otherwise deviations are counted by name. LTP: segments from the "
              "neighbour's address are accepted only from its port."},
         &LinkOptions::strict},
        {{.key = "allowMissingAge",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .schemes = induct ? kAll : Schemes(kLayersWithSessions),
          .help = "BPv7 bundles that have neither a creation time nor a bundle age block, which "
                  "RFC 9171 section 4.4.2 forbids, are accepted: they get the block, and their "
                  "age begins at reception. Otherwise, and above `spoolAboveBytes`, they are "
                  "refused."},
         &LinkOptions::allow_missing_age},
        {{.key = "instance",
          .kind = FieldKind::kInteger,
          .minimum = 1,
          .maximum = kMostInstances,
          .computed_default = "in turn",
          .help = "Instance to which the link belongs, of ingress for an induct and of egress for "
                  "an outduct, if `threads` sets several."},
         &LinkOptions::instance},
    };
}

std::vector<Field<LinkOptions>> time_fields(LinkSide side) {
    const bool induct = side == LinkSide::kInduct;
    return {
        {{.key = "keepAliveIntervalSeconds",
          .kind = FieldKind::kInteger,
          .unit = "seconds",
          .minimum = 0,
          .maximum = 65'535,
          .fallback = std::uint64_t{15},
          .no_fallback_for = induct ? std::string_view() : std::string_view("udp"),
          .schemes = induct ? Schemes(kLayersWithSessions) : Schemes(kLayersWithKeepAlives),
          .help = induct ? kKeepAliveOfSessions
                         : "A keepalive is sent when no other data were sent for this time; 0: "
                           "none. TCPCL proposes it, and the smaller of the two proposals applies; "
                           "a peer that is silent for twice this time is disconnected. Few UDP "
                           "peers support keepalives, so with UDP they are sent only if "
                           "configured."},
         &LinkOptions::keep_alive_interval_s},
        {{.key = "handshakeTimeoutSeconds",
          .kind = FieldKind::kInteger,
          .unit = "seconds",
          .minimum = 1,
          .maximum = 3'600,
          .fallback = std::uint64_t{10},
          .schemes = kLayersWithSessions,
          .help = "Maximum time from the TCP connection to the open session, TLS included."},
         &LinkOptions::handshake_timeout_s},
    };
}

std::vector<Field<LinkOptions>> size_fields(LinkSide side) {
    const bool induct = side == LinkSide::kInduct;
    return {
        {{.key = "maxBundleSizeBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = kKiB,
          .maximum = kLargestBundleBytes,
          .computed_default =
              "64 GiB (TCPCL, MTCP, LTP), 4 GiB (STCP); UDP, and all if `spoolAboveBytes` is 0: "
              "a quarter of `bufferBytes` (32 MiB)",
          .schemes = induct ? kAll : kLayersWithSessions,
          .help = "Largest bundle that a peer may send, at most `bufferBytes`. A larger one is "
                  "refused (TCPCL), its block is cancelled (LTP), its sender is disconnected "
                  "(STCP, MTCP, TCPCLv3 without refusals), or it is dropped (UDP). Without this "
                  "key the limit of TCPCL, MTCP, STCP and LTP does not depend on `bufferBytes`, "
                  "unless `spoolAboveBytes` is 0, because bundles above `spoolAboveBytes` are not "
                  "in memory as a whole; the limit of UDP leaves room for other bundles."},
         &LinkOptions::max_bundle_size_bytes},
        {{.key = "segmentMruBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = kKiB,
          .maximum = kLargestBundleBytes,
          .fallback = 16 * kMiB,
          .schemes = kLayersWithTls,
          .help = "Largest segment that this node accepts, announced to the peer (RFC 9174 section "
                  "4.6)."},
         &LinkOptions::segment_mru_bytes},
        {{.key = "maxSegmentBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 64,
          .maximum = kLargestBundleBytes,
          .fallback = 256 * kKiB,
          .schemes = kLayersWithSessions,
          .help = "Largest segment that this node sends, even if the peer accepts larger ones. The "
                  "peer acknowledges each segment."},
         &LinkOptions::max_segment_bytes},
    };
}

std::vector<Field<LinkOptions>> window_fields(LinkSide side) {
    const bool induct = side == LinkSide::kInduct;
    return {
        {{.key = "maxUnsettledBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = kKiB,
          .maximum = kTiB,
          .fallback = 64 * kMiB,
          .schemes = kLayersWithNeighbours,
          .help = "Maximum size of the accepted, unacknowledged bundles of one peer. Further "
                  "bundles are refused (TCPCL: no resources, only while the queue to their "
                  "outduct or to storage is full, or with `onNoResources` `pause`; LTP: "
                  "SYS_CNCLD), and the node continues to read the session, for its "
                  "acknowledgements."},
         &LinkOptions::max_unacknowledged_bytes},
        {{.key = "maxSumOfBundleBytesInPipeline",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 1,
          .maximum = kTiB,
          .fallback = 8 * kMiB,
          .schemes = induct ? Schemes(kLayersWithNeighbours) : kAll,
          .help = "Maximum bytes of bundles passed to the link that are not yet safe with the "
                  "neighbour; a larger bundle is sent alone. It applies to cut-through, and over "
                  "LTP to all bundles. The limit for bundles from storage is the largest value of "
                  "all outducts, at least 8 MiB. A high value keeps a long, fast link busy; a low "
                  "value limits the data that are sent twice after a disconnection."},
         &LinkOptions::max_in_flight_bytes},
        {{.key = "maxNumberOfBundlesInPipeline",
          .kind = FieldKind::kInteger,
          .unit = "bundles",
          .minimum = 1,
          .maximum = 16'777'216,
          .fallback = std::uint64_t{65'536},
          .schemes = induct ? Schemes(kLayersWithNeighbours) : kAll,
          .help = "Maximum number of bundles passed to the link that are not yet safe with the "
                  "neighbour."},
         &LinkOptions::max_in_flight_bundles},
        {{.key = "rateLimitBitsPerSec",
          .kind = FieldKind::kInteger,
          .unit = "bits per second",
          .minimum = 0,
          .maximum = 1'000'000'000'000'000,
          .fallback = std::uint64_t{0},
          .schemes = induct ? Schemes(kLayersWithNeighbours) : kAll,
          .help = "Rate limit for bundles to a peer, evenly paced; 0: unlimited (LTP: the node "
                  "adapts the rate to losses). The rate of a contact also applies; the lower of "
                  "the two counts."},
         &LinkOptions::rate_limit},
        {{.key = "socketBufferBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 0,
          .maximum = kGiB,
          .fallback = std::uint64_t{0},
          .help = "Size of the socket's buffers, requested from the kernel. 0: the kernel's "
                  "default (TCP, sending by UDP), a receive buffer of 64 MiB (UDP), or the size "
                  "by `numRxCircularBufferElements` (LTP). An induct of STCP or MTCP that does "
                  "not have this key requests a 64th of `bufferBytes`, at least 64 KiB, if "
                  "`bufferBytes` is less than 128 MiB. For UDP and LTP a warning is logged if "
                  "the kernel grants a smaller receive buffer (`net.core.rmem_max`)."},
         &LinkOptions::socket_buffer_bytes},
    };
}

}  // namespace

std::vector<Field<LinkOptions>> link_option_fields(LinkSide side) {
    std::vector<Field<LinkOptions>> fields = tls_fields(side);
    append_fields(fields, identity_fields(side));
    append_fields(fields, time_fields(side));
    append_fields(fields, size_fields(side));
    append_fields(fields, window_fields(side));
    append_fields(fields, ltp_fields());
    return fields;
}

}  // namespace farlink::config
