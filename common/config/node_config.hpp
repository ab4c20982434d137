// SPDX-License-Identifier: Apache-2.0
// The configuration of a node as the modules use it: parsed, checked, defaults filled in.
// Made once at start by load_node_config(), read-only afterwards; any thread.
// The JSON keys, ranges and texts stand in field tables, from which the schema and the guide come.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "common/base/time.hpp"
#include "common/base/types.hpp"

namespace farlink::config {

/// A link as a URL: `stcp://host:port`; options may follow as query parameters.
struct LinkUrl {
    std::string scheme;
    std::string host;
    std::uint16_t port = 0;  ///< 0 lets the system choose (inducts only)
    std::map<std::string, std::string> options;
};

/// `inducts[]`: a way in.
struct InductConfig {
    LinkId id = kNoLink;                      ///< its place in `inducts`
    LinkUrl url;                              ///< `url`
    std::uint64_t max_bundle_size_bytes = 0;  ///< `maxBundleSizeBytes`
    std::uint32_t max_sessions = 0;           ///< `maxSessions`
    std::uint32_t keep_alive_interval_s = 0;  ///< `keepAliveIntervalSeconds`; 0: none expected
};

/// `outducts[]`: a way out, to one neighbour.
struct OutductConfig {
    LinkId id = kNoLink;                      ///< number of inducts + its place in `outducts`
    LinkUrl url;                              ///< `url`
    NodeNumber next_hop;                      ///< `nextHopNodeId`
    std::uint32_t keep_alive_interval_s = 0;  ///< `keepAliveIntervalSeconds`; 0: none sent
    Duration reconnect_min{};                 ///< `reconnectMinMilliseconds`
    Duration reconnect_max{};                 ///< `reconnectMaxMilliseconds`
    std::uint64_t max_in_flight_bytes = 0;    ///< `maxSumOfBundleBytesInPipeline`
    std::uint32_t max_in_flight_bundles = 0;  ///< `maxNumberOfBundlesInPipeline`
};

/// `storageConfig`
struct StorageConfig {
    std::string directory;             ///< `storeFilePath`: folder of the log
    std::uint64_t capacity_bytes = 0;  ///< `totalStorageCapacityBytes`
    std::uint64_t segment_bytes = 0;   ///< `segmentBytes`: size of one log file
    Duration group_commit_window{};    ///< `groupCommitWindowMilliseconds`
};

struct NodeConfig {
    NodeNumber node;                      ///< `myNodeId`
    std::uint64_t echo_service = 2047;    ///< `myBpEchoServiceId`
    std::vector<InductConfig> inducts;    ///< `inductsConfig`
    std::vector<OutductConfig> outducts;  ///< `outductsConfig`
    StorageConfig storage;                ///< `storageConfig`
    std::string contact_plan_file;        ///< `contactPlanFile`; empty: every outduct is always up
    std::uint64_t buffer_bytes = 0;       ///< `bufferBytes`: memory for bundles in flight, per loop
    Duration max_pause{};                 ///< `maxPauseMilliseconds`: then a blocked bundle spills
    bool status_reports = false;          ///< `statusReports`: answer status report requests
    std::string log_level;                ///< `logLevel`
};

}  // namespace farlink::config
