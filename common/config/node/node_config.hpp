// SPDX-License-Identifier: Apache-2.0
// The configuration of a node as the modules use it: parsed, checked, defaults filled in.
// Made once at start by load_node_config(), read-only afterwards; any thread.
// The JSON keys, ranges and texts stand in field tables, from which the schema and the guide come.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/disk_cost.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/config/applications/applications_config.hpp"
#include "common/config/link/link_config.hpp"
#include "common/config/node/bus_config.hpp"
#include "common/config/node/routing_config.hpp"
#include "common/config/node/threads_config.hpp"
#include "common/config/operations/alarms_config.hpp"
#include "common/config/operations/api_config.hpp"
#include "common/config/operations/history_config.hpp"
#include "common/config/security/security_config.hpp"

namespace farlink::config {

/// `storageDiskConfigVector[]`: one disk of the store, with a log of its own.
struct StorageDiskConfig {
    std::string name;                  ///< `name`: for the operator; the directory when not given
    std::string directory;             ///< `storeFilePath`: folder of the log
    std::uint64_t capacity_bytes = 0;  ///< `capacityBytes`; 0: no limit but that of the store
};

/// `quotas[]`: what bundles from or to some endpoints may take. One of the two is given.
struct StorageQuota {
    std::string source;                ///< `source`: an EID, or `ipn:<node>.*`
    std::string destination;           ///< `destination`: likewise
    std::uint64_t capacity_bytes = 0;  ///< `capacityBytes`
};

/// `reassembly`: of fragments for this node, and for `reassembleInTransit`.
struct ReassemblyConfig {
    /// `largestBundleBytes`: of payload; it is joined in memory
    std::uint64_t largest_bundle_bytes = std::uint64_t{256} * 1024 * 1024;
    std::uint32_t sets_per_source = 10'000;          ///< `setsPerSource`: incomplete ones
    std::uint32_t fragments_per_source = 1'000'000;  ///< `fragmentsPerSource`: of those
    /// `payloadBytesPerSource`: of payload, likewise
    std::uint64_t bytes_per_source = std::uint64_t{4} * 1024 * 1024 * 1024;
};

/// `whenFull`
enum class WhenFull : std::uint8_t { kRefuse = 0, kMakeRoom = 1 };

/// `storageConfig`
struct StorageConfig {
    std::string directory;  ///< `storeFilePath`: the one disk, where there is no list of them
    std::vector<StorageDiskConfig> disks;  ///< `storageDiskConfigVector`; one at least once loaded
    std::uint64_t capacity_bytes = 0;      ///< `totalStorageCapacityBytes`, of all disks together
    std::uint64_t segment_bytes = 0;       ///< `segmentBytes`: size of one log file
    Duration group_commit_window{};        ///< `groupCommitWindowMilliseconds`
    std::uint64_t compaction_threshold_bytes = 0;  ///< `compactionThresholdBytes`; 0: never
    std::uint64_t expedited_reserve_bytes = 0;     ///< `reserveForExpeditedBytes`
    std::uint64_t stripe_above_bytes = 0;          ///< `stripeAboveBytes`; 0: never
    std::uint64_t spool_above_bytes = 0;           ///< `spoolAboveBytes`; 0: never
    WhenFull when_full = WhenFull::kRefuse;        ///< `whenFull`
    std::vector<StorageQuota> quotas;              ///< `quotas`; at most 64
    ReassemblyConfig reassembly;                   ///< `reassembly`
    bool overtake = false;  ///< `overtakeStored`: new bundles pass those of their flow on disk
    bool restore = true;    ///< `restore`: stored bundles of earlier runs; otherwise deleted
    bool delete_on_exit = false;  ///< `deleteOnExit`: the files of the store, at a clean end

    /// What the largest disk may hold: a larger record finds no room even in an empty store.
    [[nodiscard]] std::uint64_t largest_room_bytes() const {
        std::uint64_t largest = disks.empty() ? capacity_bytes : 0;
        for (const StorageDiskConfig &disk : disks)
            largest =
                std::max(largest, disk.capacity_bytes == 0 ? capacity_bytes : disk.capacity_bytes);
        return std::min(largest, capacity_bytes);
    }
};

/// `custodySignalProof`
enum class SignalProof : std::uint8_t { kNone = 0, kLink = 1 };

/// Custody transfer of BPv6 bundles.
struct CustodyConfig {
    bool acs_aware = true;                          ///< `isAcsAware`
    std::uint32_t acs_max_fills = 100;              ///< `acsMaxFillsPerAcsPacket`
    Duration acs_send_period = milliseconds(1000);  ///< `acsSendPeriodMilliseconds`
    /// `retransmitBundleAfterNoCustodySignalMilliseconds`: beside the light time there and back
    Duration retransmit_after = milliseconds(10'000);
    Duration depleted_delay = seconds(10);  ///< `neighborDepletedStorageDelaySeconds`; 0: none
    std::vector<std::string> signals_from;  ///< `custodySignalsFrom`: endpoints or patterns
    SignalProof signal_proof = SignalProof::kNone;  ///< `custodySignalProof`
};

struct NodeConfig {
    NodeNumber node;                      ///< `myNodeId`
    std::uint64_t echo_service = 2047;    ///< `myBpEchoServiceId`
    std::vector<InductConfig> inducts;    ///< `inductsConfig`
    std::vector<OutductConfig> outducts;  ///< `outductsConfig`, without `spans`
    /// Outducts that leave by the port of an LTP induct; they are its neighbours, too.
    std::vector<OutductConfig> spans;
    StorageConfig storage;           ///< `storageConfig`
    std::string contact_plan_file;   ///< `contactPlanFile`; empty: permanent contacts
    std::uint64_t buffer_bytes = 0;  ///< `bufferBytes`: memory for bundles in flight, per loop
    std::string control_socket;      ///< `controlSocket`; empty: the node takes no commands
    std::string state_folder;        ///< `stateFolder`: what commands have changed
    Duration max_pause{};            ///< `maxPauseMilliseconds`: then a blocked bundle spills
    /// `acknowledgeWithinMilliseconds`: a bundle that is not safe by then is stored as well
    Duration acknowledge_within = milliseconds(20);
    CustodyConfig custody;
    RoutingConfig routing;            ///< `routing`
    BusConfig bus;                    ///< `bus`
    ThreadsConfig threads;            ///< `threads`
    ApiConfig api;                    ///< `api`
    ApplicationsConfig applications;  ///< `applications`
    AlarmsConfig alarms;              ///< `alarms`
    HistoryConfig history;            ///< `history`
    /// `security`; without it bundles pass without a look at their security blocks
    std::optional<SecurityConfig> security;
    std::string shown;              ///< the file as JSON, without what leads to secrets
    std::vector<ConfigPart> parts;  ///< what all processes of the node must have the same
    /// `fragmentBundlesLargerThanBytes`: towards all neighbours; 0: no limit
    std::uint64_t fragment_above_bytes = 0;
    bool status_reports = false;  ///< `statusReports`: answer status report requests
    /// `statusReportsPerSecond`: for the node of each report-to endpoint; 0: no limit
    std::uint32_t status_reports_per_second = 10;
    std::string log_level;  ///< `logLevel`

    /// Room on disk for what all instances of ingress hold in memory when the node stops.
    [[nodiscard]] std::uint64_t stop_reserve_bytes() const {
        return kDiskPerMemory * threads.instances * buffer_bytes;
    }
    /// Larger bundles, in bytes, arrive and leave in pieces.
    [[nodiscard]] std::uint64_t spool_above() const {
        if (storage.spool_above_bytes == 0) return ~std::uint64_t{0};
        return std::min(storage.spool_above_bytes, buffer_bytes / 4);
    }
};

}  // namespace farlink::config
