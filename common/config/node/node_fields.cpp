// SPDX-License-Identifier: Apache-2.0
#include "common/config/node/node_fields.hpp"

#include "common/config/applications/applications_fields.hpp"
#include "common/config/fields/byte_units.hpp"
#include "common/config/link/link_fields.hpp"
#include "common/config/link/link_option_fields.hpp"
#include "common/config/node/bus_fields.hpp"
#include "common/config/node/routing_fields.hpp"
#include "common/config/node/storage_fields.hpp"
#include "common/config/node/threads_fields.hpp"
#include "common/config/operations/alarms_fields.hpp"
#include "common/config/operations/api_fields.hpp"
#include "common/config/operations/history_fields.hpp"
#include "common/config/security/security_fields.hpp"

namespace farlink::config {
namespace {

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
          .help = "The inducts. A node needs an induct, an outduct, or `applications` with "
                  "`socket` or `listen`."},
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
          .computed_default = "none: all links have permanent contacts",
          .help = "The contact plan: the times at which links have contacts. Relative to the "
                  "folder of the configuration file."},
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
          .help = "Memory for bundles in transit, separately for each instance of ingress and of "
                  "egress and for the module of applications. When it is used up, reading pauses "
                  "and the peers wait; TCPCL refuses new bundles, and LTP cancels blocks."},
         &NodeConfig::buffer_bytes},
        {{.key = "fragmentBundlesLargerThanBytes",
          .kind = FieldKind::kInteger,
          .unit = "bytes",
          .minimum = 0,
          .maximum = kLargestBundleBytes,
          .fallback = std::uint64_t{0},
          .help = "Largest bundle that leaves the node as a whole. A larger one is cut into "
                  "fragments of at most this size, if it may be cut; otherwise it leaves whole. 0: "
                  "bundles are cut only where an outduct, a neighbour or a convergence layer "
                  "requires it. An outduct with `fragment: false` is excepted."},
         &NodeConfig::fragment_above_bytes},
        {{.key = "maxPauseMilliseconds",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 0,
          .maximum = 60'000,
          .fallback = std::uint64_t{1000},
          .help = "Maximum time that a peer is held back because the outduct of its bundles is "
                  "congested; then the bundles go to storage. In a node with LTP links the time "
                  "is at most a quarter of 2 x (`oneWayLightTimeMs` + `oneWayMarginTimeMs`) x "
                  "`ltpMaxRetriesPerSerialNumber`, the timeout of a sender; the link with the "
                  "smallest value counts. Inducts with `acknowledge: onReceipt` do not count."},
         &NodeConfig::max_pause},
        {{.key = "acknowledgeWithinMilliseconds",
          .kind = FieldKind::kInteger,
          .unit = "milliseconds",
          .minimum = 0,
          .maximum = 60'000,
          .fallback = std::uint64_t{20},
          .help = "A forwarded bundle whose sender waits for an acknowledgement is also stored if "
                  "the next hop has not acknowledged it after this time, and the sender has "
                  "stopped sending or the next hop acknowledges nothing. "
                  "[links.md](links.md#what-safe-means) describes further conditions."},
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
                  "endpoint, for at most 4096 nodes; the others are counted and not sent. Each of "
                  "several `instances` has an equal share, but at least one report. 0: no limit."},
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
          .help = "Folder for state that survives a restart: the contact plan that commands have "
                  "changed, the history of the plan, the holds of destinations and the counters "
                  "of initialization vectors; by default also the `history` and the audit log. "
                  "Created when needed; a second node with the same folder does not start. "
                  "Relative to the folder of the configuration file."},
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
          .help = "Events, rates, totals and past bundles on disk."},
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
          .help = "Rules of BPSec. Without this key the node does not process security blocks."},
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
          .help = "An aggregate custody signal is sent when it has this number of ranges of "
                  "custody ids."},
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
                  "cover the next custodian's `acsSendPeriodMilliseconds`. The time doubles with "
                  "each retransmission of a bundle, up to 16 times the configured time."},
         &NodeConfig::custody,
         &CustodyConfig::retransmit_after},
        {{.key = "neighborDepletedStorageDelaySeconds",
          .kind = FieldKind::kInteger,
          .unit = "seconds",
          .minimum = 0,
          .maximum = 86'400,
          .fallback = std::uint64_t{10},
          .help =
              "How long no stored bundles are sent to a neighbour that has refused custody because "
              "its storage is full; bundles with another route use that route in the meantime. 0: "
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
                  "destination of a bundle, the neighbour to which it was sent, or on a route of "
                  "the plan on which it was sent. Required for custodians beyond a default "
                  "gateway or a static route whose next hop does not take custody."},
         &NodeConfig::custody,
         &CustodyConfig::signals_from},
        {{.key = "custodySignalProof",
          .kind = FieldKind::kChoice,
          .fallback = std::string_view("none"),
          .choices = {"none", "link"},
          .help = "`link`: a custody signal is accepted only over the link of the node that it is "
                  "from, if that node is authenticated (by TLS, or by its address in `neighbours` "
                  "or in an outduct); signals of custodians further on are then not accepted. "
                  "`none`: a signal may arrive over any link."},
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
