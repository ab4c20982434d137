// SPDX-License-Identifier: Apache-2.0
// What modules report to telemetry.
// Part of messages.hpp; a message is owned by whoever holds it.
// Values without behaviour; any thread, one at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/bus/messages/agent_id.hpp"

namespace farlink::bus {

/// Ingress or egress to telemetry: the counters of one link, or of one neighbour at an induct, in
/// the order of their table; those behind the last one above 0 are left out.
struct LinkReport {
    AgentId module = AgentId::kIngress;
    LinkId link = kNoLink;
    Bytes neighbour;  ///< its node id or address, as text; empty: the link as a whole
    std::vector<std::uint64_t> values;
};
/// The side that opens the sessions of a link: an induct waits for neighbours, an outduct connects
/// to one; a session that a neighbour has opened carries bundles both ways.
enum class LinkKind : std::uint8_t { kInduct = 0, kOutduct = 1, kSession = 2 };
/// Ingress or egress to telemetry: a link that it hosts, when it is there, when its connection
/// comes or goes, and when it is removed.
struct LinkInfo {
    /// A node id that a peer of an induct announced, whose session was refused lately for it.
    struct Refused {
        Bytes node_id{};
        Bytes reason{};  ///< with the peer's address, as text
        bool operator==(const Refused &) const = default;
    };
    AgentId module = AgentId::kIngress;
    LinkKind kind = LinkKind::kInduct;
    bool connected = false;  ///< of an induct: it listens
    bool removed = false;    ///< it is to be removed, with its counters
    LinkId link = kNoLink;
    NodeNumber neighbour{};  ///< 0: many, or not known
    Bytes url{};             ///< where it listens or leads to: "tcpclv4://host:port"
    /// As text: why it is not connected, where that is known; of a session that is connected, that
    /// nothing proves it to be the neighbour's; of an induct that listens, why a peer got no
    /// session lately.
    Bytes reason{};
    /// Of a session that is not proved: the dtn name that its peer announces as node id.
    Bytes claimed_name{};
    std::vector<Refused> refused{};  ///< of an induct, a few
};
/// Any module to telemetry: its counters, in the order of its table.
struct CounterReport {
    AgentId module = AgentId::kIngress;
    std::uint64_t sequence = 0;
    std::vector<std::uint64_t> values;
    bool last = false;  ///< the module ends with this report
};
/// How a disk of the store is.
enum class DiskState : std::uint8_t {
    kOk = 0,
    kFull = 1,
    kFailing = 2,   ///< writes or flushes fail, for the time being
    kSetAside = 3,  ///< nothing more is written to it until the next start
};
struct DiskReport {
    Bytes path;
    DiskState state = DiskState::kOk;
    std::uint64_t used_bytes = 0;  ///< by records of bundles that are held
    std::uint64_t capacity_bytes = 0;
    friend bool operator==(const DiskReport &, const DiskReport &) = default;
};
/// What storage holds for a node, all its endpoints together, or for an application of this one.
struct PendingReport {
    NodeNumber destination;  ///< 0: one without a node number, see `name`
    std::uint64_t bundles = 0;
    std::uint64_t bytes = 0;
    std::uint64_t custody_bundles = 0;  ///< of them
    /// When the oldest bundles that wait expire, one for each endpoint and priority; kDtnNever when
    /// none waits. A younger bundle with a shorter lifetime may go before.
    DtnTime next_expiry = kDtnNever;
    /// "dtn://node/", or the endpoint of an application, printable ASCII; else empty.
    Bytes name{};
    friend bool operator==(const PendingReport &, const PendingReport &) = default;
};
/// Storage to telemetry, when it has changed.
struct StorageReport {
    std::vector<DiskReport> disks;       ///< in the order of the configuration
    std::vector<PendingReport> pending;  ///< those with most bundles, by node and name
    std::uint64_t destinations = 0;      ///< nodes, those that `pending` has no room for too
    bool reserve_missing = false;        ///< until its reserve is complete, it accepts no bundles
    friend bool operator==(const StorageReport &, const StorageReport &) = default;
};
/// What is measured in a histogram.
enum class LatencyKind : std::uint8_t {
    kCutThrough = 0,    ///< from arrival in ingress until it gets the outcomes of the batch
    kStorageFlush = 1,  ///< a flush of a disk, from its order to its end
};
inline constexpr std::size_t kLatencyKinds = 2;
/// Ingress or storage to telemetry: durations since the module's start, in nanoseconds.
struct HistogramReport {
    AgentId module = AgentId::kIngress;
    LatencyKind kind = LatencyKind::kCutThrough;
    std::uint64_t count = 0;
    std::uint64_t sum_ns = 0;
    std::uint64_t p50_ns = 0;
    std::uint64_t p90_ns = 0;
    std::uint64_t p99_ns = 0;
    std::uint64_t p999_ns = 0;
    std::uint64_t max_ns = 0;
    friend bool operator==(const HistogramReport &, const HistogramReport &) = default;
};
/// A module to telemetry and supervisor elsewhere: the system's figures of its own process.
struct ProcessReport {
    AgentId module = AgentId::kIngress;
    std::uint64_t process = 0;  ///< the same for all modules of a process, other than any other
    std::uint64_t cpu_ns = 0;   ///< since its start, in user and system mode
    std::uint64_t resident_bytes = 0;
    std::uint64_t threads = 0;
    std::uint64_t descriptors = 0;
    friend bool operator==(const ProcessReport &, const ProcessReport &) = default;
};

}  // namespace farlink::bus
