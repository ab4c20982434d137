// SPDX-License-Identifier: Apache-2.0
#include "common/config/node_fields.hpp"

namespace farlink::config {
namespace {

constexpr std::uint64_t kKiB = 1024;
constexpr std::uint64_t kMiB = 1024 * kKiB;
constexpr std::uint64_t kGiB = 1024 * kMiB;
constexpr std::uint64_t kTiB = 1024 * kGiB;

/// Lengths in frames and on disk are 32-bit numbers; on disk a record's header comes on top.
constexpr std::uint64_t kLargestBundle = 4 * kGiB - kMiB;

const Table<InductConfig> &induct_table() {
    static const Table<InductConfig> table{
        "inductsConfig[]",
        "A way in: an address where this node listens.",
        {
            {{.key = "url",
              .kind = FieldKind::kLinkUrl,
              .required = true,
              .help = "Where to listen: `stcp://host:port`. `0.0.0.0` is every IPv4 address of the "
                      "machine, `[::]` every IPv6 address. Port 0 lets the system choose one."},
             [](InductConfig &to, const Value &value) { to.url = value.as<LinkUrl>(); }},
            {{.key = "maxBundleSizeBytes",
              .kind = FieldKind::kInteger,
              .unit = "bytes",
              .minimum = kKiB,
              .maximum = kLargestBundle,
              .computed_default = "a quarter of `bufferBytes` (32 MiB)",
              .help = "Largest bundle that a peer may send; one that announces more is "
                      "disconnected. A bundle lies in memory as a whole while it passes, so this "
                      "is at most `bufferBytes`, and by default a quarter of it: one huge bundle "
                      "then leaves room for others."},
             [](InductConfig &to, const Value &value) {
                 to.max_bundle_size_bytes = value.number<std::uint64_t>();
             }},
            {{.key = "maxSessions",
              .kind = FieldKind::kInteger,
              .unit = "sessions",
              .minimum = 1,
              .maximum = 65535,
              .fallback = std::uint64_t{1024},
              .help = "How many peers may be connected at once; a further one is refused."},
             [](InductConfig &to, const Value &value) {
                 to.max_sessions = value.number<std::uint32_t>();
             }},
            {{.key = "keepAliveIntervalSeconds",
              .kind = FieldKind::kInteger,
              .unit = "seconds",
              .minimum = 0,
              .maximum = 65535,
              .fallback = std::uint64_t{0},
              .help = "For layers that agree with the peer on keep-alives. An STCP induct takes "
                      "them at any time and never ends a silent session."},
             [](InductConfig &to, const Value &value) {
                 to.keep_alive_interval_s = value.number<std::uint32_t>();
             }},
        }};
    return table;
}

std::vector<Field<OutductConfig>> outduct_fields() {
    return {
        {{.key = "url",
          .kind = FieldKind::kLinkUrl,
          .required = true,
          .help = "Where the neighbour listens: `stcp://host:port`. The host is a name, an IPv4 "
                  "address or an IPv6 address in brackets."},
         [](OutductConfig &to, const Value &value) { to.url = value.as<LinkUrl>(); }},
        {{.key = "nextHopNodeId",
          .kind = FieldKind::kInteger,
          .required = true,
          .minimum = 1,
          .help = "Node number of the neighbour. Each neighbour has one outduct: a contact plan "
                  "names nodes, so with two outducts to one node nobody could tell which of them "
                  "a contact opens."},
         [](OutductConfig &to, const Value &value) {
             to.next_hop = NodeNumber{value.number<std::uint64_t>()};
         }},
        {{.key = "keepAliveIntervalSeconds",
          .kind = FieldKind::kInteger,
          .unit = "seconds",
          .minimum = 0,
          .maximum = 65535,
          .fallback = std::uint64_t{15},
          .help = "A keep-alive is sent when nothing else was sent for this long; 0: none."},
         [](OutductConfig &to, const Value &value) {
             to.keep_alive_interval_s = value.number<std::uint32_t>();
         }},
        {{.key = "reconnectMinMilliseconds",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 1,
          .maximum = 60'000,
          .fallback = std::uint64_t{100},
          .help = "Wait before the first attempt to connect again; it doubles with every failure, "
                  "with some jitter."},
         [](OutductConfig &to, const Value &value) { to.reconnect_min = value.as_milliseconds(); }},
        {{.key = "reconnectMaxMilliseconds",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 1,
          .maximum = 3'600'000,
          .fallback = std::uint64_t{10'000},
          .help = "Longest wait between two attempts to connect."},
         [](OutductConfig &to, const Value &value) { to.reconnect_max = value.as_milliseconds(); }},
        {{.key = "maxSumOfBundleBytesInPipeline",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 1,
          .maximum = kTiB,
          .fallback = 8 * kMiB,
          .help = "Bundles handed to the link and not yet safe with the neighbour, in bytes; a "
                  "larger bundle travels alone. More keeps a long, fast link busy, less bounds "
                  "what is sent twice after a cut."},
         [](OutductConfig &to, const Value &value) {
             to.max_in_flight_bytes = value.number<std::uint64_t>();
         }},
        {{.key = "maxNumberOfBundlesInPipeline",
          .kind = FieldKind::kInteger,
          .unit = "bundles",
          .minimum = 1,
          .maximum = 16'777'216,
          .fallback = std::uint64_t{65'536},
          .help = "The same limit as a number of bundles."},
         [](OutductConfig &to, const Value &value) {
             to.max_in_flight_bundles = value.number<std::uint32_t>();
         }},
    };
}

const Table<OutductConfig> &outduct_table() {
    static const Table<OutductConfig> table{
        "outductsConfig[]", "A way out: the link to one neighbour.", outduct_fields()};
    return table;
}

const Table<StorageConfig> &storage_table() {
    static const Table<StorageConfig> table{
        "storageConfig",
        "Where bundles wait while their link is down.",
        {
            {{.key = "storeFilePath",
              .kind = FieldKind::kText,
              .computed_default = "`farlink-store-<myNodeId>`",
              .help = "Folder of the store, made when it is missing; relative to the folder of the "
                      "configuration file. Two nodes never share one."},
             [](StorageConfig &to, const Value &value) { to.directory = value.as<std::string>(); }},
            {{.key = "totalStorageCapacityBytes",
              .kind = FieldKind::kInteger,
              .unit = "bytes",
              .minimum = 64 * kKiB,
              .maximum = 1024 * kTiB,
              .fallback = 16 * kGiB,
              .help = "Disk space that the store may use; when it is full, further bundles are "
                      "refused."},
             [](StorageConfig &to, const Value &value) {
                 to.capacity_bytes = value.number<std::uint64_t>();
             }},
            {{.key = "segmentBytes",
              .kind = FieldKind::kInteger,
              .unit = "bytes",
              .minimum = 64 * kKiB,
              .maximum = kGiB,
              .fallback = 64 * kMiB,
              .help = "Size of one file of the log. Space comes back a file at a time, so small "
                      "files suit small stores. At most `totalStorageCapacityBytes`."},
             [](StorageConfig &to, const Value &value) {
                 to.segment_bytes = value.number<std::uint64_t>();
             }},
            {{.key = "groupCommitWindowMilliseconds",
              .kind = FieldKind::kInteger,
              .unit = "milliseconds",
              .minimum = 0,
              .maximum = 1000,
              .fallback = std::uint64_t{5},
              .help = "Longest time that a written bundle waits for others before the disk is "
                      "flushed for all of them. A cap, not a wait: an idle disk flushes at once."},
             [](StorageConfig &to, const Value &value) {
                 to.group_commit_window = value.as_milliseconds();
             }},
        }};
    return table;
}

std::vector<Field<NodeConfig>> identity_and_links() {
    return {
        {{.key = "$schema",
          .kind = FieldKind::kText,
          .help = "For editors: where the JSON Schema of this file lies. Ignored."},
         [](NodeConfig &, const Value &) {}},
        {{.key = "myNodeId",
          .kind = FieldKind::kInteger,
          .required = true,
          .minimum = 1,
          .help = "Number of this node: it is `ipn:<myNodeId>`. With an allocator the "
                  "fully-qualified number, allocator x 2^32 + node (RFC 9758). 4294967295 means "
                  "\"the local node\" everywhere and cannot be a node's own number."},
         [](NodeConfig &to, const Value &value) {
             to.node = NodeNumber{value.number<std::uint64_t>()};
         }},
        {{.key = "myBpEchoServiceId",
          .kind = FieldKind::kInteger,
          .minimum = 1,
          .maximum = 0xffffffff,
          .fallback = std::uint64_t{2047},
          .help = "Service number at which this node answers pings."},
         [](NodeConfig &to, const Value &value) {
             to.echo_service = value.number<std::uint64_t>();
         }},
        {{.key = "inductsConfig",
          .kind = FieldKind::kList,
          .section = &induct_table().info(),
          .help = "The ways in. A node needs at least one link, in or out."},
         [](NodeConfig &to, const Value &value) {
             to.inducts = induct_table().build_all(value.as<List>());
         }},
        {{.key = "outductsConfig",
          .kind = FieldKind::kList,
          .section = &outduct_table().info(),
          .help = "The ways out, one for each neighbour."},
         [](NodeConfig &to, const Value &value) {
             to.outducts = outduct_table().build_all(value.as<List>());
         }},
        {{.key = "contactPlanFile",
          .kind = FieldKind::kText,
          .computed_default = "none: every outduct is always up",
          .help = "The contact plan: when which link is up. Relative to the folder of the "
                  "configuration file."},
         [](NodeConfig &to, const Value &value) {
             to.contact_plan_file = value.as<std::string>();
         }},
        {{.key = "storageConfig",
          .kind = FieldKind::kObject,
          .section = &storage_table().info(),
          .help = "Where bundles wait while their link is down."},
         [](NodeConfig &to, const Value &value) {
             to.storage = storage_table().build(value.as<Object>());
         }},
    };
}

std::vector<Field<NodeConfig>> limits_and_habits() {
    return {
        {{.key = "bufferBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = kMiB,
          .maximum = kTiB,
          .fallback = 128 * kMiB,
          .help = "Memory for bundles on their way, in each loop that reads links. When it is used "
                  "up, reading pauses and the peers wait."},
         [](NodeConfig &to, const Value &value) {
             to.buffer_bytes = value.number<std::uint64_t>();
         }},
        {{.key = "maxPauseMilliseconds",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 0,
          .maximum = 60'000,
          .fallback = std::uint64_t{1000},
          .help = "How long a peer is held back because the way out of its bundles is full; then "
                  "they go to storage."},
         [](NodeConfig &to, const Value &value) { to.max_pause = value.as_milliseconds(); }},
        {{.key = "statusReports",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .help = "Send the status reports that bundles ask for (RFC 9171 section 6.1.1)."},
         [](NodeConfig &to, const Value &value) { to.status_reports = value.as<bool>(); }},
        {{.key = "logLevel",
          .kind = FieldKind::kChoice,
          .fallback = std::string_view("info"),
          .choices = {"trace", "debug", "info", "warn", "error", "critical", "off"},
          .help = "Least important line that is logged (to stderr)."},
         [](NodeConfig &to, const Value &value) { to.log_level = value.as<std::string>(); }},
    };
}

}  // namespace

const Table<NodeConfig> &node_table() {
    static const Table<NodeConfig> table = [] {
        std::vector<Field<NodeConfig>> fields = identity_and_links();
        for (Field<NodeConfig> &field : limits_and_habits()) fields.push_back(std::move(field));
        return Table<NodeConfig>{"farlink.json", "The configuration of one node.",
                                 std::move(fields)};
    }();
    return table;
}

}  // namespace farlink::config
