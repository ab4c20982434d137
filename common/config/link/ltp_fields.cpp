// SPDX-License-Identifier: Apache-2.0
#include "common/config/link/ltp_fields.hpp"

#include "common/config/fields/byte_units.hpp"

namespace farlink::config {
namespace {

/// A day of light time is far beyond the planets.
constexpr std::uint64_t kDayMs = 86'400'000;
/// A segment, with its header, travels in one UDP datagram.
constexpr std::uint64_t kLargestSegment = 65'000;

std::vector<Field<LinkOptions>> engine_fields() {
    return {
        {{.key = "thisLtpEngineId",
          .kind = FieldKind::kInteger,
          .minimum = 1,
          .computed_default = "`myNodeId`",
          .schemes = kLtp,
          .help = "Number of this node's LTP engine."},
         &LinkOptions::ltp,
         &LtpConfig::engine_id},
        {{.key = "clientServiceId",
          .kind = FieldKind::kInteger,
          .minimum = 1,
          .maximum = 2,
          .fallback = std::uint64_t{1},
          .schemes = kLtp,
          .help = "Client service of the blocks that are sent: 1 is the bundle protocol, 2 is "
                  "service data aggregation (CCSDS 734.1-B-1), in which a block may contain many "
                  "bundles. A bundle that is not smaller than `ltpAggregationSizeBytes` is a block "
                  "of its own with service 1. Both are accepted on reception."},
         &LinkOptions::ltp,
         &LtpConfig::client_service_id},
        {{.key = "ltpRandomNumberSizeBits",
          .kind = FieldKind::kInteger,
          .unit = "bits",
          .minimum = 32,
          .maximum = 64,
          .fallback = std::uint64_t{32},
          .schemes = kLtp,
          .help = "32 or 64: size of the session, checkpoint and report numbers that this engine "
                  "creates. 64 bits are harder to guess, but some peers truncate them to 32: such "
                  "a peer is detected, and further numbers for it have 32 bits."},
         &LinkOptions::ltp,
         &LtpConfig::random_number_bits},
    };
}

std::vector<Field<LinkOptions>> segment_fields() {
    return {
        {{.key = "ltpDataSegmentMtu",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 128,
          .maximum = kLargestSegment,
          .fallback = std::uint64_t{1360},
          .schemes = kLtp,
          .help = "Maximum octets of a block in one segment. LTP's header adds up to about 30 "
                  "octets, more with 64-bit numbers or `ltpAuthentication`, and UDP and IP add 28 "
                  "or 48: 1360 fits Ethernet. IP fragments a datagram above the path's MTU, and "
                  "one lost fragment loses the segment."},
         &LinkOptions::ltp,
         &LtpConfig::data_segment_mtu},
        {{.key = "ltpReportSegmentMtu",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 128,
          .maximum = kLargestSegment,
          .fallback = std::uint64_t{1360},
          .schemes = kLtp,
          .help = "Maximum octets of a report, without LTP's header; a longer report is split."},
         &LinkOptions::ltp,
         &LtpConfig::report_segment_mtu},
        {{.key = "ltpCheckpointEveryNthDataSegment",
          .kind = FieldKind::kInteger,
          .unit = "segments",
          .minimum = 0,
          .maximum = 1'000'000,
          .fallback = std::uint64_t{0},
          .schemes = kLtp,
          .help = "Requests a report after this number of segments of a block, so that gaps of a "
                  "long block are filled while the rest is in flight. 0: only at the end of a "
                  "block, and also inside it while the node [determines the rate "
                  "itself](ltp.md#tuning)."},
         &LinkOptions::ltp,
         &LtpConfig::checkpoint_every},
        {{.key = "segmentationOffload",
          .kind = FieldKind::kBoolean,
          .fallback = true,
          .schemes = kLtp,
          .help = "The kernel splits one message into many datagrams, and joins them on reception, "
                  "where supported. Otherwise it processes each datagram separately."},
         &LinkOptions::ltp,
         &LtpConfig::segmentation_offload},
    };
}

std::vector<Field<LinkOptions>> time_fields() {
    return {
        {{.key = "oneWayLightTimeMs",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 0,
          .maximum = kDayMs,
          .fallback = std::uint64_t{0},
          .schemes = kLtp,
          .help = "Travel time of a segment to the peer. During a contact whose `owlt` is not 0, "
                  "that of the contact replaces it."},
         &LinkOptions::ltp,
         &LtpConfig::owlt},
        {{.key = "oneWayMarginTimeMs",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 1,
          .maximum = kDayMs,
          .fallback = std::uint64_t{200},
          .schemes = kLtp,
          .help = "Additional time for queues and processing. A response is awaited for 2 x "
                  "(`oneWayLightTimeMs` + `oneWayMarginTimeMs`). The report that completes a "
                  "block waits until its bundles are safe; if this takes longer than twice the "
                  "margin, the checkpoint is sent again."},
         &LinkOptions::ltp,
         &LtpConfig::margin},
        {{.key = "ltpMaxRetriesPerSerialNumber",
          .kind = FieldKind::kInteger,
          .minimum = 1,
          .maximum = 1'000,
          .fallback = std::uint64_t{5},
          .schemes = kLtp,
          .help = "How often a checkpoint, a report or a cancellation is sent again before the "
                  "session is abandoned. The sender survives an outage of 2 x (`oneWayLightTimeMs` "
                  "+ `oneWayMarginTimeMs`) x this number; time in which a contact is closed does "
                  "not count."},
         &LinkOptions::ltp,
         &LtpConfig::max_retries},
    };
}

std::vector<Field<LinkOptions>> patience_fields() {
    return {
        {{.key = "delaySendingOfReportSegmentsTimeMsOrZeroToDisable",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 0,
          .maximum = 60'000,
          .fallback = std::uint64_t{0},
          .schemes = kLtp,
          .help = "Delay of reports of gaps, for networks that reorder datagrams: data that arrive "
                  "late are then not requested again."},
         &LinkOptions::ltp,
         &LtpConfig::report_delay},
        {{.key = "delaySendingOfDataSegmentsTimeMsOrZeroToDisable",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 0,
          .maximum = 60'000,
          .fallback = std::uint64_t{0},
          .schemes = kLtp,
          .help = "Delay of retransmissions, for networks that reorder reports."},
         &LinkOptions::ltp,
         &LtpConfig::repair_delay},
        {{.key = "ltpSenderPingSecondsOrZeroToDisable",
          .kind = FieldKind::kInteger,
          .unit = "seconds",
          .minimum = 0,
          .maximum = 86'400,
          .fallback = std::uint64_t{0},
          .schemes = kLtp,
          .help = "If nothing has been received from the peer for this time, it is probed with a "
                  "cancel segment of a session that never existed. If "
                  "`ltpMaxRetriesPerSerialNumber` + 1 probes have no response, the link is down "
                  "until the peer responds."},
         [](LinkOptions &to, const Value &value) {
             to.ltp.ping_interval = seconds(value.number<std::uint32_t>());
         }},
    };
}

std::vector<Field<LinkOptions>> limit_fields() {
    return {
        {{.key = "bundlePipelineLimit",
          .kind = FieldKind::kInteger,
          .unit = "sessions",
          .minimum = 1,
          .maximum = 1'000'000,
          .fallback = std::uint64_t{16'384},
          .schemes = kLtp,
          .help = "Maximum number of blocks in flight to a peer. The limits of bundles in the "
                  "pipeline also apply: to fill a link, the octets in the pipeline must exceed its "
                  "rate times the round trip."},
         &LinkOptions::ltp,
         &LtpConfig::max_send_sessions},
        {{.key = "ltpMaxExpectedSimultaneousSessions",
          .kind = FieldKind::kInteger,
          .unit = "sessions",
          .minimum = 1,
          .maximum = 1'000'000,
          .fallback = std::uint64_t{100'000},
          .schemes = kLtp,
          .help = "Maximum number of blocks in reception from all peers together; a further one "
                  "is cancelled (SYS_CNCLD)."},
         &LinkOptions::ltp,
         &LtpConfig::max_receive_sessions},
        {{.key = "numRxCircularBufferElements",
          .kind = FieldKind::kInteger,
          .unit = "datagrams",
          .minimum = 16,
          .maximum = 1'000'000,
          .fallback = std::uint64_t{16'384},
          .schemes = kLtp,
          .help = "Datagrams that the kernel's buffer should hold: if `socketBufferBytes` is 0, "
                  "the requested size is this number times the size of a data segment."},
         &LinkOptions::ltp,
         &LtpConfig::receive_elements},
        {{.key = "ltpAggregationSizeBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 0,
          .maximum = kGiB,
          .fallback = std::uint64_t{0},
          .schemes = kLtp,
          .help = "Bundles are combined into one block, which is sent once it has this size or "
                  "more; 0: each bundle is a block of its own. With `clientServiceId` 2 other "
                  "implementations can also divide the block."},
         &LinkOptions::ltp,
         &LtpConfig::aggregation_bytes},
        {{.key = "ltpAggregationTimeMilliseconds",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 0,
          .maximum = 60'000,
          .fallback = std::uint64_t{5},
          .schemes = kLtp,
          .help = "Maximum time that a block with bundles waits for more of them, if "
                  "`ltpAggregationSizeBytes` is not 0."},
         &LinkOptions::ltp,
         &LtpConfig::aggregation_time},
    };
}

LtpAuthenticationConfig &authentication_of(LinkOptions &link) {
    return link.ltp.authentication;
}
LtpAuthenticationConfig &authentication_of(NeighbourAddress &neighbour) {
    return neighbour.ltp_authentication;
}

/// `schemes`: empty in a section whose other fields do not depend on the layer either.
template <class Section>
std::vector<Field<Section>> authentication_fields(std::string_view help,
                                                  std::span<const std::string_view> schemes) {
    return {
        {{.key = "ltpAuthentication",
          .kind = FieldKind::kChoice,
          .computed_default = "`HMAC-SHA-256` with `ltpAuthenticationKeyFile`, otherwise none",
          .choices = {"HMAC-SHA-256", "HMAC-SHA1-80", "NULL"},
          .schemes = schemes,
          .help = help},
         [](Section &to, const Value &value) {
             const auto &name = value.as<std::string>();
             authentication_of(to).wanted = true;
             authentication_of(to).suite = name == "NULL"           ? LtpCiphersuite::kNull
                                           : name == "HMAC-SHA1-80" ? LtpCiphersuite::kHmacSha1_80
                                                                    : LtpCiphersuite::kHmacSha256;
         }},
        {{.key = "ltpAuthenticationKeyFile",
          .schemes = schemes,
          .help = "File with the key in hexadecimal digits, the same at both ends: at least 32 "
                  "octets for HMAC-SHA-256, 20 for HMAC-SHA1-80. Relative to the folder of the "
                  "configuration file."},
         [](Section &to, const Value &value) {
             authentication_of(to).wanted = true;
             authentication_of(to).key_file = value.as<std::string>();
         }},
        {{.key = "ltpAuthenticationKeyId",
          .computed_default = "none",
          .schemes = schemes,
          .help = "Key id in hexadecimal digits, at most 32 octets. Each segment carries it. A "
                  "segment whose authentication header names another key id, or none, is dropped."},
         [](Section &to, const Value &value) {
             authentication_of(to).key_id = value.as<std::string>();
         }},
    };
}

}  // namespace

std::vector<Field<LinkOptions>> ltp_fields() {
    std::vector<Field<LinkOptions>> fields = engine_fields();
    append_fields(fields, segment_fields());
    append_fields(fields, time_fields());
    append_fields(fields, patience_fields());
    append_fields(fields, limit_fields());
    append_fields(fields,
                  authentication_fields<LinkOptions>(
                      "Each segment carries an authentication value that requires the key (RFC "
                      "5327), and a segment without one is dropped and counted. The key of `NULL` "
                      "is public: it detects damage and does not authenticate.",
                      kLtp));
    return fields;
}

std::vector<Field<NeighbourAddress>> ltp_neighbour_key_fields() {
    return authentication_fields<NeighbourAddress>(
        "Of an LTP induct: authentication of this neighbour's segments, in place of the induct's. "
        "It applies to any sender that uses the LTP engine `nodeId`, from any address, or, without "
        "`nodeId`, to any sender at this address.",
        {});
}

std::vector<Field<OutductConfig>> ltp_neighbour_fields() {
    return {
        {{.key = "remoteLtpEngineId",
          .kind = FieldKind::kInteger,
          .minimum = 1,
          .computed_default = "`nextHopNodeId`",
          .schemes = kLtp,
          .help = "Number of the neighbour's LTP engine."},
         &OutductConfig::ltp,
         &LtpConfig::remote_engine_id},
        {{.key = "ltpSenderBoundPort",
          .kind = FieldKind::kInteger,
          .minimum = 0,
          .maximum = 65'535,
          .fallback = std::uint64_t{0},
          .schemes = kLtp,
          .help = "Local UDP port from which segments are sent and at which reports are received; "
                  "0: the system assigns it. Required for peers that send their reports to a "
                  "configured port and not to the source of the data. It may be the port of an "
                  "LTP induct, for peers that send everything to one port: one engine then serves "
                  "both with the induct's settings, and the neighbour is shown as one with a "
                  "session at this induct. Reports are then also sent to the port in `url`: a "
                  "farlink neighbour must send from that port (its `ltpSenderBoundPort`, or "
                  "`neighbours` of its induct). Keys that differ from the induct's are refused, "
                  "except `ltpAuthentication...`, and so are a `remoteLtpEngineId` other than "
                  "`nextHopNodeId`, and keys of reconnection, `storedSharePercent`, `fragment`, "
                  "`fragmentBundlesLargerThanBytes` and `fragmentToContact`, which have no effect "
                  "there."},
         &OutductConfig::ltp,
         &LtpConfig::sender_bound_port},
    };
}

}  // namespace farlink::config
