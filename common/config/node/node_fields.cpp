// SPDX-License-Identifier: Apache-2.0
#include "common/config/node/node_fields.hpp"

#include "common/config/applications/applications_fields.hpp"
#include "common/config/fields/byte_units.hpp"
#include "common/config/link/link_fields.hpp"
#include "common/config/link/link_option_fields.hpp"
#include "common/config/node/bus_fields.hpp"
#include "common/config/node/reassembly_fields.hpp"
#include "common/config/node/routing_fields.hpp"
#include "common/config/node/threads_fields.hpp"
#include "common/config/operations/alarms_fields.hpp"
#include "common/config/operations/api_fields.hpp"
#include "common/config/operations/history_fields.hpp"
#include "common/config/security/security_fields.hpp"

namespace farlink::config {
namespace {

const Table<StorageDiskConfig> &storage_disk_table() {
    static const Table<StorageDiskConfig> table{
        "storageDiskConfigVector[]",
        "One disk of the store. Bundles are distributed over the disks by the load of each, so "
        "that their rates add up; a disk that fails is set aside and the others continue. Folders "
        "on one disk share its rate.",
        {
            {{.key = "name",
              .kind = FieldKind::kText,
              .computed_default = "the folder",
              .help = "Name of the disk in the log."},
             &StorageDiskConfig::name},
            {{.key = "storeFilePath",
              .kind = FieldKind::kText,
              .required = true,
              .help = "Folder of this disk's log, created if missing; relative to the folder of "
                      "the configuration file."},
             &StorageDiskConfig::directory},
            {{.key = "capacityBytes",
              .kind = FieldKind::kInteger,
              .unit = "bytes",
              .minimum = 64 * kKiB,
              .maximum = 1024 * kTiB,
              .computed_default = "`totalStorageCapacityBytes`",
              .help = "Disk space that the store may use on this disk."},
             &StorageDiskConfig::capacity_bytes},
        }};
    return table;
}

const Table<StorageQuota> &storage_quota_table() {
    static const Table<StorageQuota> table{
        "quotas[]",
        "Maximum share of the store for the bundles from, or to, certain endpoints. Each quota has "
        "a source or a destination; a bundle counts in every quota that matches.",
        {
            {{.key = "source",
              .kind = FieldKind::kText,
              .help = "Endpoint from which the bundles come, or a pattern: `ipn:10.*`, "
                      "`dtn://name/*`."},
             &StorageQuota::source},
            {{.key = "destination",
              .kind = FieldKind::kText,
              .help = "Endpoint of the bundles' destination, or a pattern."},
             &StorageQuota::destination},
            {{.key = "capacityBytes",
              .kind = FieldKind::kInteger,
              .required = true,
              .unit = "bytes",
              .minimum = 1,
              .maximum = 1024 * kTiB,
              .help = "Disk space that these bundles may use together."},
             &StorageQuota::capacity_bytes},
        }};
    return table;
}

std::vector<Field<StorageConfig>> storage_limits() {
    return {
        {{.key = "compactionThresholdBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 0,
          .maximum = 1024 * kTiB,
          .fallback = 256 * kMiB,
          .help = "When the dead data in the files of a disk exceed this size, and exceed the live "
                  "data, the few live bundles of a mostly dead file are moved, so that the file "
                  "can be deleted. 0: never."},
         &StorageConfig::compaction_threshold_bytes},
        {{.key = "reserveForExpeditedBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 0,
          .maximum = 1024 * kTiB,
          .fallback = std::uint64_t{0},
          .help = "Part of `totalStorageCapacityBytes` that only expedited bundles may use."},
         &StorageConfig::expedited_reserve_bytes},
        {{.key = "whenFull",
          .kind = FieldKind::kChoice,
          .fallback = std::string_view("refuse"),
          .choices = {"refuse", "makeRoom"},
          .help = "Handling of a bundle without room. `refuse`: its sender keeps it. `makeRoom`: "
                  "stored bundles are deleted for it, expired ones first, then those of the lowest "
                  "priority, the oldest first, none of a higher priority."},
         [](StorageConfig &to, const Value &value) {
             to.when_full =
                 value.as<std::string>() == "makeRoom" ? WhenFull::kMakeRoom : WhenFull::kRefuse;
         }},
        {{.key = "quotas",
          .kind = FieldKind::kList,
          .section = &storage_quota_table().info(),
          .help = "Limits by source and by destination, at most 64."},
         [](StorageConfig &to, const Value &value) {
             to.quotas = storage_quota_table().build_all(value.as<List>());
         }},
    };
}

std::vector<Field<StorageConfig>> storage_place() {
    return {
        {{.key = "storeFilePath",
          .kind = FieldKind::kText,
          .computed_default = "`farlink-store-<myNodeId>`",
          .help = "Folder of the store, created if missing; relative to the folder of the "
                  "configuration file. Two nodes must not share one. For several disks use "
                  "`storageDiskConfigVector` instead."},
         &StorageConfig::directory},
        {{.key = "storageDiskConfigVector",
          .kind = FieldKind::kList,
          .section = &storage_disk_table().info(),
          .help = "The disks of the store, at most 16, instead of `storeFilePath`."},
         [](StorageConfig &to, const Value &value) {
             to.disks = storage_disk_table().build_all(value.as<List>());
         }},
        {{.key = "totalStorageCapacityBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 64 * kKiB,
          .maximum = 1024 * kTiB,
          .fallback = 16 * kGiB,
          .help = "Disk space that the store may use, on all disks together; see `whenFull`."},
         &StorageConfig::capacity_bytes},
        {{.key = "segmentBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 64 * kKiB,
          .maximum = kGiB,
          .fallback = 64 * kMiB,
          .help = "Size of one file of the log. Space is reclaimed in whole files, so small files "
                  "suit small stores. At most `totalStorageCapacityBytes`."},
         &StorageConfig::segment_bytes},
        {{.key = "groupCommitWindowMilliseconds",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 0,
          .maximum = 1000,
          .fallback = std::uint64_t{5},
          .help = "Maximum time that a written bundle waits for others before the disk is flushed "
                  "for all of them. This is a maximum: an idle disk flushes immediately."},
         &StorageConfig::group_commit_window},
    };
}

std::vector<Field<StorageConfig>> storage_of_large_bundles() {
    return {
        {{.key = "stripeAboveBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 0,
          .maximum = kTiB,
          .fallback = 4 * kMiB,
          .help = "Larger bundles are cut into stripes, one on each disk, so that they are written "
                  "and read at the combined rate of all disks; such a bundle cannot be sent while "
                  "a disk is missing. 0: every bundle is on one disk. Below 64 KiB stripes cost "
                  "more than they gain."},
         &StorageConfig::stripe_above_bytes},
        {{.key = "spoolAboveBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 0,
          .maximum = kTiB,
          .fallback = 64 * kMiB,
          .help =
              "A larger bundle is written to disk while it arrives and read while it leaves, so "
              "that its size may exceed the memory. The limit in force is never above a quarter "
              "of `bufferBytes`: 32 MiB by default. TCPCL and MTCP carry up to 64 GiB, STCP up to "
              "4 GiB. It is not cut through, cut, joined with other fragments, taken into custody "
              "or sent by several routes, and not delivered to the services of this node. 0: "
              "never; every bundle is in memory as a whole."},
         &StorageConfig::spool_above_bytes},
        {{.key = "reassembly",
          .kind = FieldKind::kObject,
          .section = &reassembly_table().info(),
          .help = "Limits for joining fragments."},
         [](StorageConfig &to, const Value &value) {
             to.reassembly = reassembly_table().build(value.as<Object>());
         }},
        {{.key = "overtakeStored",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .help = "While bundles to an endpoint are stored, new ones of the same priority are "
                  "stored behind them. `true`: new bundles are sent immediately if their link is "
                  "up; the order is then lost."},
         &StorageConfig::overtake},
    };
}

std::vector<Field<StorageConfig>> storage_of_tests() {
    return {
        {{.key = "restore",
          .kind = FieldKind::kBoolean,
          .fallback = true,
          .help = "`false`: bundles that an earlier run has stored are deleted when the node, or "
                  "its storage, starts. For test set-ups: a node that stops loses its bundles."},
         &StorageConfig::restore},
        {{.key = "deleteOnExit",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .help = "`true`: the files of the store, and the bundles in them, are deleted when the "
                  "node has ended on request. For test set-ups."},
         &StorageConfig::delete_on_exit},
    };
}

const Table<StorageConfig> &storage_table() {
    static const Table<StorageConfig> table = [] {
        std::vector<Field<StorageConfig>> fields = storage_place();
        append_fields(fields, storage_of_large_bundles());
        append_fields(fields, storage_limits());
        append_fields(fields, storage_of_tests());
        return Table<StorageConfig>{"storageConfig", "Storage of bundles whose link is down.",
                                    std::move(fields)};
    }();
    return table;
}

std::vector<Field<NodeConfig>> identity_and_links() {
    return {
        {{.key = "$schema",
          .kind = FieldKind::kText,
          .help = "For editors: path of the JSON Schema of this file. Ignored by farlink."},
         [](NodeConfig &, const Value &) {}},
        {{.key = "myNodeId",
          .kind = FieldKind::kInteger,
          .required = true,
          .minimum = 1,
          .help = "Number of this node, `ipn:<myNodeId>`. With an allocator the fully-qualified "
                  "number, allocator x 2^32 + node (RFC 9758). 4294967295 means \"the local node\" "
                  "everywhere and cannot be a node's own number."},
         &NodeConfig::node},
        {{.key = "myBpEchoServiceId",
          .kind = FieldKind::kInteger,
          .minimum = 1,
          .maximum = 0xffffffff,
          .fallback = std::uint64_t{2047},
          .help = "Service number of this node's echo service."},
         &NodeConfig::echo_service},
        {{.key = "inductsConfig",
          .kind = FieldKind::kList,
          .section = &induct_table().info(),
          .help = "The inducts. A node needs at least one link, in or out, or `applications`."},
         [](NodeConfig &to, const Value &value) {
             to.inducts = induct_table().build_all(value.as<List>());
         }},
        {{.key = "outductsConfig",
          .kind = FieldKind::kList,
          .section = &outduct_table().info(),
          .help = "The outducts, one for each neighbour."},
         [](NodeConfig &to, const Value &value) {
             to.outducts = outduct_table().build_all(value.as<List>());
         }},
        {{.key = "contactPlanFile",
          .kind = FieldKind::kText,
          .computed_default = "none: every outduct is always up",
          .help = "The contact plan: the times at which each link is up. Relative to the folder of "
                  "the configuration file."},
         &NodeConfig::contact_plan_file},
        {{.key = "storageConfig",
          .kind = FieldKind::kObject,
          .section = &storage_table().info(),
          .help = "Storage of bundles whose link is down."},
         [](NodeConfig &to, const Value &value) {
             to.storage = storage_table().build(value.as<Object>());
         }},
        {{.key = "routing",
          .kind = FieldKind::kObject,
          .section = &routing_table().info(),
          .help = "Routes in addition to the contact plan."},
         [](NodeConfig &to, const Value &value) {
             to.routing = routing_table().build(value.as<Object>());
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
          .help = "Memory for bundles in transit, in each loop that reads links. When it is used "
                  "up, reading pauses and the peers wait."},
         &NodeConfig::buffer_bytes},
        {{.key = "fragmentBundlesLargerThanBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 0,
          .maximum = kLargestBundleBytes,
          .fallback = std::uint64_t{0},
          .help = "Larger bundles are cut into fragments of at most this size when they leave, if "
                  "they may be; those that may not leave whole. 0: only where an outduct, a "
                  "neighbour or a convergence layer requires it. An outduct with `fragment: false` "
                  "is excepted."},
         &NodeConfig::fragment_above_bytes},
        {{.key = "maxPauseMilliseconds",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 0,
          .maximum = 60'000,
          .fallback = std::uint64_t{1000},
          .help = "Maximum time that a peer is held back because the outduct of its bundles is "
                  "congested; then they go to storage. For bundles that arrive over LTP, at most a "
                  "quarter of 2 x (`oneWayLightTimeMs` + `oneWayMarginTimeMs`) x "
                  "`ltpMaxRetriesPerSerialNumber`, the timeout of their sender."},
         &NodeConfig::max_pause},
        {{.key = "acknowledgeWithinMilliseconds",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 0,
          .maximum = 60'000,
          .fallback = std::uint64_t{20},
          .help = "A forwarded bundle whose sender waits for an acknowledgement is also stored if "
                  "the next hop has not acknowledged it after this time."},
         &NodeConfig::acknowledge_within},
        {{.key = "statusReports",
          .kind = FieldKind::kBoolean,
          .fallback = false,
          .help = "Send the status reports that bundles request (RFC 9171 section 6.1.1)."},
         &NodeConfig::status_reports},
        {{.key = "statusReportsPerSecond",
          .kind = FieldKind::kInteger,
          .unit = "reports",
          .minimum = 0,
          .maximum = 1'000'000,
          .fallback = std::uint64_t{10},
          .help = "Maximum number of status reports per second to the node of a report-to "
                  "endpoint; the others are counted and not sent. 0: no limit."},
         &NodeConfig::status_reports_per_second},
        {{.key = "logLevel",
          .kind = FieldKind::kChoice,
          .fallback = std::string_view("info"),
          .choices = {"trace", "debug", "info", "warn", "error", "critical", "off"},
          .help = "Lowest level that is logged (to stderr). Levels of single loggers: "
                  "`--log-level`, and `farlinkctl log level` at run time."},
         &NodeConfig::log_level},
    };
}

std::vector<Field<NodeConfig>> operation() {
    return {
        {{.key = "controlSocket",
          .kind = FieldKind::kText,
          .computed_default = "none: no control socket",
          .help = "Path of the Unix-domain socket at which the node accepts the commands of "
                  "`farlinkctl`, from its own user and from root. Relative to the folder of the "
                  "configuration file."},
         &NodeConfig::control_socket},
        {{.key = "stateFolder",
          .kind = FieldKind::kText,
          .computed_default = "`farlink-state-<myNodeId>`",
          .help = "Folder for state that commands have changed and that survives a restart: the "
                  "contact plan and its history. Created by a node that accepts commands; a second "
                  "node with the same folder does not start. Relative to the folder of the "
                  "configuration file."},
         &NodeConfig::state_folder},
        {{.key = "bus",
          .kind = FieldKind::kObject,
          .section = &bus_table().info(),
          .help = "Addresses of the modules, for a node of several processes."},
         [](NodeConfig &to, const Value &value) {
             to.bus = bus_table().build(value.as<Object>());
         }},
        {{.key = "threads",
          .kind = FieldKind::kObject,
          .section = &threads_table().info(),
          .help = "Number of threads of the data path, and the processors of all threads."},
         [](NodeConfig &to, const Value &value) {
             to.threads = threads_table().build(value.as<Object>());
         }},
        {{.key = "applications",
          .kind = FieldKind::kObject,
          .section = &applications_table().info(),
          .help = "Where applications connect, and who may do what; without it the node has no "
                  "applications."},
         [](NodeConfig &to, const Value &value) {
             to.applications = applications_table().build(value.as<Object>());
         }},
        {{.key = "api",
          .kind = FieldKind::kObject,
          .section = &api_table().info(),
          .help = "The HTTP API and the dashboard; without it there is no server."},
         [](NodeConfig &to, const Value &value) {
             to.api = api_table().build(value.as<Object>());
         }},
        {{.key = "alarms",
          .kind = FieldKind::kObject,
          .section = &alarms_table().info(),
          .help = "When the node raises alarms, and what it calls then."},
         [](NodeConfig &to, const Value &value) {
             to.alarms = alarms_table().build(value.as<Object>());
         }},
        {{.key = "history",
          .kind = FieldKind::kObject,
          .section = &history_table().info(),
          .help = "Events, rates and totals on disk."},
         [](NodeConfig &to, const Value &value) {
             to.history = history_table().build(value.as<Object>());
         }},
    };
}

std::vector<Field<NodeConfig>> rules() {
    return {
        {{.key = "security",
          .kind = FieldKind::kObject,
          .section = &security_table().info(),
          .help = "Rules of BPSec; without it bundles pass without a look at their security "
                  "blocks."},
         [](NodeConfig &to, const Value &value) {
             auto security = security_table().build(value.as<Object>());
             if (!security.key_store.empty() || !security.rules.empty())
                 to.security = std::move(security);
         }},
    };
}

std::vector<Field<NodeConfig>> custody() {
    return {
        {{.key = "isAcsAware",
          .kind = FieldKind::kBoolean,
          .fallback = true,
          .help = "Custody of BPv6 bundles: send aggregate custody signals to custodians that "
                  "support them, and mark the bundles in custody of this node so that the next "
                  "custodian can do the same (CCSDS 734.2-B-1). Otherwise each bundle requires a "
                  "signal."},
         &NodeConfig::custody,
         &CustodyConfig::acs_aware},
        {{.key = "acsMaxFillsPerAcsPacket",
          .kind = FieldKind::kInteger,
          .minimum = 1,
          .maximum = 2000,
          .fallback = std::uint64_t{100},
          .help = "An aggregate custody signal is sent when it has this number of runs of "
                  "bundles."},
         &NodeConfig::custody,
         &CustodyConfig::acs_max_fills},
        {{.key = "acsSendPeriodMilliseconds",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 0,
          .maximum = 3'600'000,
          .fallback = std::uint64_t{1000},
          .help = "Time that an aggregate custody signal waits for further bundles."},
         &NodeConfig::custody,
         &CustodyConfig::acs_send_period},
        {{.key = "retransmitBundleAfterNoCustodySignalMilliseconds",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 10,
          .maximum = 30ULL * 24 * 3'600'000,
          .fallback = std::uint64_t{10'000},
          .help = "A bundle in custody is sent again if no signal arrives within this time after "
                  "transmission, plus the round-trip light time (from the contact plan). It must "
                  "cover the next custodian's `acsSendPeriodMilliseconds`. Each further wait for "
                  "the same bundle is twice as long, up to 16 times."},
         &NodeConfig::custody,
         &CustodyConfig::retransmit_after},
        {{.key = "neighborDepletedStorageDelaySeconds",
          .kind = FieldKind::kInteger,
          .unit = "seconds",
          .minimum = 0,
          .maximum = 86'400,
          .fallback = std::uint64_t{10},
          .help = "How long no stored bundles are sent to a neighbour that has refused custody "
                  "because its storage is full; bundles with another route take that meanwhile. 0: "
                  "only the refused bundles wait, until they are due for retransmission."},
         [](NodeConfig &to, const Value &value) {
             to.custody.depleted_delay = seconds(value.number<std::uint32_t>());
         }},
    };
}

std::vector<Field<NodeConfig>> custody_signals() {
    return {
        {{.key = "custodySignalsFrom",
          .kind = FieldKind::kTexts,
          .help = "Endpoints (`ipn:10.0`, `ipn:10.*`, `dtn://name/*`) whose custody signals are "
                  "accepted for every bundle. Other nodes are accepted only if they are the "
                  "destination of a bundle or on a route of the plan on which it was sent. "
                  "Required for custodians beyond a default gateway or a static route whose next "
                  "hop does not take custody."},
         &NodeConfig::custody,
         &CustodyConfig::signals_from},
        {{.key = "custodySignalProof",
          .kind = FieldKind::kChoice,
          .fallback = std::string_view("none"),
          .choices = {"none", "link"},
          .help = "`link`: a custody signal is accepted only over the link of the node that it is "
                  "from, if that node is authenticated (TLS, or the address in `neighbours`); "
                  "signals of custodians further on are then not accepted. `none`: a signal may "
                  "arrive over any link."},
         [](NodeConfig &to, const Value &value) {
             to.custody.signal_proof =
                 value.as<std::string>() == "link" ? SignalProof::kLink : SignalProof::kNone;
         }},
    };
}

}  // namespace

const Table<NodeConfig> &node_table() {
    static const Table<NodeConfig> table = [] {
        std::vector<Field<NodeConfig>> fields = identity_and_links();
        for (Field<NodeConfig> &field : limits_and_habits()) fields.push_back(std::move(field));
        for (Field<NodeConfig> &field : operation()) fields.push_back(std::move(field));
        for (Field<NodeConfig> &field : rules()) fields.push_back(std::move(field));
        for (Field<NodeConfig> &field : custody()) fields.push_back(std::move(field));
        for (Field<NodeConfig> &field : custody_signals()) fields.push_back(std::move(field));
        return Table<NodeConfig>{"farlink.json", "The configuration of one node.",
                                 std::move(fields)};
    }();
    return table;
}

}  // namespace farlink::config
