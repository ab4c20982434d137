// SPDX-License-Identifier: Apache-2.0
#include "common/config/link/link_option_fields.hpp"

#include "common/config/fields/byte_units.hpp"
#include "common/config/link/ltp_fields.hpp"

namespace farlink::config {
namespace {

using Schemes = std::span<const std::string_view>;

constexpr Schemes kAll{};

constexpr std::string_view kKeepAliveOfSessions =
    "Proposed to the peer; the smaller of the two proposals holds, 0: none. A keep-alive is sent "
    "when nothing else was sent for this long, and a peer that is silent for twice as long is "
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
                           "that names it, is refused. `optional`: TLS is used if the peer has it; "
                           "who can change what is sent on the way can prevent it. `none`: "
                           "everything travels in the clear."
                         : "`required`: the link stays down unless the peer has TLS and a "
                           "certificate from `ca` that names it. `optional`: TLS is used if the "
                           "peer has it; who can change what is sent on the way can prevent it. "
                           "`none`: everything travels in the clear."},
         [](LinkOptions &to, const Value &value) {
             const auto &mode = value.as<std::string>();
             to.tls.mode = mode == "required"   ? TlsMode::kRequired
                           : mode == "optional" ? TlsMode::kOptional
                                                : TlsMode::kNone;
         }},
        {{.key = "ca",
          .schemes = kLayersWithTls,
          .help = "PEM file with the authorities of which one must have signed the peer's "
                  "certificate. Needed with TLS, unless `tlsInsecure` says otherwise. Files are "
                  "relative to the folder of the configuration file."},
         [](LinkOptions &to, const Value &value) { to.tls.ca_file = value.as<std::string>(); }},
        {{.key = "cert",
          .schemes = kLayersWithTls,
          .help = induct ? "PEM file with this node's certificate, and after it those between it "
                           "and the authority. Needed with TLS."
                         : "PEM file with this node's certificate, and after it those between it "
                           "and the authority; for peers that ask who connects."},
         [](LinkOptions &to, const Value &value) {
             to.tls.certificate_file = value.as<std::string>();
         }},
        {{.key = "key",
          .schemes = kLayersWithTls,
          .help = "PEM file with the private key of `cert`."},
         [](LinkOptions &to, const Value &value) { to.tls.key_file = value.as<std::string>(); }},
        {{.key = "tlsInsecure",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .schemes = kLayersWithTls,
          .help = "The peer's certificate is not checked: the link is secret from those who only "
                  "listen, and open to everybody else. For experiments."},
         [](LinkOptions &to, const Value &value) { to.tls.insecure = value.as<bool>(); }},
    };
}

std::vector<Field<LinkOptions>> identity_fields(LinkSide side) {
    const bool induct = side == LinkSide::kInduct;
    return {
        {{.key = "nodeId",
          .computed_default = "`ipn:<myNodeId>.0`",
          .schemes = induct ? Schemes(kLayersWithNeighbours) : kAll,
          .help = "Endpoint id under which this node announces itself to the peer, for peers that "
                  "want another than the usual one (`dtn://name/`, say). Bundles that leave by the "
                  "link name it as their previous node."},
         [](LinkOptions &to, const Value &value) { to.node_id = value.as<std::string>(); }},
        {{.key = "strict",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .schemes = induct ? kAll : Schemes(kLayersWithNeighbours),
          .help =
              "A peer that departs from the layer's standard is disconnected, and a bundle that "
              "departs from its own is refused, even where the departure does no harm. "
              "Otherwise such habits are counted by name. LTP: what comes from the neighbour's "
              "address is taken from its port only."},
         [](LinkOptions &to, const Value &value) { to.strict = value.as<bool>(); }},
        {{.key = "allowMissingAge",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .schemes = induct ? kAll : Schemes(kLayersWithSessions),
          .help = "BPv7 bundles that have neither a creation time nor a bundle age block, which "
                  "RFC 9171 section 4.4.2 forbids, are taken: they get the block, and their age "
                  "begins when they are received. Otherwise they are refused."},
         [](LinkOptions &to, const Value &value) { to.allow_missing_age = value.as<bool>(); }},
        {{.key = "instance",
          .kind = FieldKind::kInteger,
          .minimum = 1,
          .maximum = kMostInstances,
          .computed_default = "in turn",
          .help = "Which instance has the link, of ingress for an induct and of egress for an "
                  "outduct, where `threads` asks for several."},
         [](LinkOptions &to, const Value &value) { to.instance = value.number<std::uint32_t>(); }},
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
          .no_fallback_for = "udp",
          .schemes = induct ? Schemes(kLayersWithSessions) : Schemes(kLayersWithKeepAlives),
          .help = induct ? kKeepAliveOfSessions
                         : "A keep-alive is sent when nothing else was sent for this long; 0: "
                           "none. TCPCL proposes it, and the smaller of the two proposals holds; a "
                           "peer that is silent for twice as long is disconnected. Few UDP peers "
                           "know keep-alives, so there they are sent only if asked for."},
         [](LinkOptions &to, const Value &value) {
             to.keep_alive_interval_s = value.number<std::uint32_t>();
         }},
        {{.key = "handshakeTimeoutSeconds",
          .kind = FieldKind::kInteger,
          .unit = "seconds",
          .minimum = 1,
          .maximum = 3'600,
          .fallback = std::uint64_t{10},
          .schemes = kLayersWithSessions,
          .help = "How long a peer may take from the TCP connection to the open session, TLS "
                  "included."},
         [](LinkOptions &to, const Value &value) {
             to.handshake_timeout_s = value.number<std::uint32_t>();
         }},
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
          .computed_default = "a quarter of `bufferBytes` (32 MiB)",
          .schemes = induct ? kAll : kLayersWithSessions,
          .help =
              "Largest bundle that a peer may send. One that is larger is refused where the "
              "layer can (TCPCL, LTP), else its sender is disconnected (STCP, MTCP) or the bundle "
              "dropped (UDP), and counted. A bundle lies in memory as a whole while it passes, "
              "so this is at most `bufferBytes`, and by default a quarter of it: one huge "
              "bundle then leaves room for others."},
         [](LinkOptions &to, const Value &value) {
             to.max_bundle_size_bytes = value.number<std::uint64_t>();
         }},
        {{.key = "segmentMruBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = kKiB,
          .maximum = kLargestBundleBytes,
          .fallback = 16 * kMiB,
          .schemes = kLayersWithTls,
          .help = "Largest segment that this node takes, announced to the peer "
                  "(RFC 9174 section 4.6)."},
         [](LinkOptions &to, const Value &value) {
             to.segment_mru_bytes = value.number<std::uint64_t>();
         }},
        {{.key = "maxSegmentBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 64,
          .maximum = kLargestBundleBytes,
          .fallback = 256 * kKiB,
          .schemes = kLayersWithSessions,
          .help = "Largest segment that this node sends, even if the peer takes larger ones. The "
                  "peer acknowledges each segment."},
         [](LinkOptions &to, const Value &value) {
             to.max_segment_bytes = value.number<std::uint64_t>();
         }},
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
          .help = "Bundles of one peer that were taken and not yet acknowledged, while the way out "
                  "is full. Beyond it further ones are refused (TCPCL: no resources; LTP: "
                  "SYS_CNCLD), and the "
                  "session is read on, for its acknowledgements."},
         [](LinkOptions &to, const Value &value) {
             to.max_unacknowledged_bytes = value.number<std::uint64_t>();
         }},
        {{.key = "maxSumOfBundleBytesInPipeline",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 1,
          .maximum = kTiB,
          .fallback = 8 * kMiB,
          .schemes = induct ? Schemes(kLayersWithNeighbours) : kAll,
          .help = "Bundles handed to the link and not yet safe with the neighbour, in bytes; a "
                  "larger bundle travels alone. More keeps a long, fast link busy, less bounds "
                  "what is sent twice after a cut."},
         [](LinkOptions &to, const Value &value) {
             to.max_in_flight_bytes = value.number<std::uint64_t>();
         }},
        {{.key = "maxNumberOfBundlesInPipeline",
          .kind = FieldKind::kInteger,
          .unit = "bundles",
          .minimum = 1,
          .maximum = 16'777'216,
          .fallback = std::uint64_t{65'536},
          .schemes = induct ? Schemes(kLayersWithNeighbours) : kAll,
          .help = "The same limit as a number of bundles."},
         [](LinkOptions &to, const Value &value) {
             to.max_in_flight_bundles = value.number<std::uint32_t>();
         }},
        {{.key = "rateLimitBitsPerSec",
          .kind = FieldKind::kInteger,
          .unit = "bits per second",
          .minimum = 0,
          .maximum = 1'000'000'000'000'000,
          .fallback = std::uint64_t{0},
          .schemes = induct ? Schemes(kLayersWithNeighbours) : kAll,
          .help = "Bits of bundles that are sent to a peer in a second, evenly spread; 0: as fast "
                  "as it goes. The rate of a contact holds as well, the lower of the two counts."},
         [](LinkOptions &to, const Value &value) {
             to.rate_limit = BitRate{value.number<std::uint64_t>()};
         }},
        {{.key = "socketBufferBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 0,
          .maximum = kGiB,
          .fallback = std::uint64_t{0},
          .help = "Size of the socket's buffers, asked of the kernel, with a warning where it "
                  "gives less (`net.core.rmem_max`, `wmem_max`); 0: the layer's own choice, which "
                  "is the kernel's for TCP."},
         [](LinkOptions &to, const Value &value) {
             to.socket_buffer_bytes = value.number<std::uint64_t>();
         }},
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
