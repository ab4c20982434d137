// SPDX-License-Identifier: Apache-2.0
// Checks the bundles that arrive at the sink: intact, from bpgen, once, and complete. Requests of
// bping are received too, but are not part of a run.
// Owned by the sink; one thread; no socket and no clock.
// Bundles are told apart by their identity: bpgen gives creation timestamp and payload the same
// sequence number, and a bundle in which the two differ counts as corrupt.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "apps/shared/traffic/content/payload.hpp"
#include "apps/shared/traffic/fragments/contiguous_bundle.hpp"
#include "apps/shared/traffic/fragments/large_bundle.hpp"
#include "apps/shared/traffic/fragments/reassembler.hpp"
#include "apps/shared/traffic/sequence_tracker.hpp"
#include "common/base/bytes.hpp"
#include "common/base/time.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/bp/parse.hpp"
#include "common/telemetry/latency_record.hpp"

namespace farlink::traffic {

/// One moment by both clocks.
struct Arrival {
    TimePoint at{};
    std::uint64_t unix_ns = 0;
};

struct Totals {
    std::uint64_t received = 0;       ///< unique and whole
    std::uint64_t payload_bytes = 0;  ///< of those
    std::uint64_t duplicates = 0;
    std::uint64_t lost = 0;
    std::uint64_t out_of_order = 0;
    std::uint64_t corrupt = 0;       ///< a bundle, but not the one that bpgen sent
    std::uint64_t malformed = 0;     ///< not a bundle (bp::ParseError)
    std::uint64_t misdelivered = 0;  ///< for another endpoint
    std::uint64_t fragments = 0;     ///< received, repeats too
    std::uint64_t joined = 0;        ///< data units that fragments made
    std::uint64_t unjoined = 0;      ///< data units of which fragments are missing
    std::size_t runs = 0;
    bool complete = false;  ///< every run has stated its total and is complete
    TimePoint first{};      ///< arrival of the first and
    TimePoint last{};       ///< of the last bundle that counted as received

    [[nodiscard]] bool flawless() const {
        return complete && duplicates == 0 && corrupt == 0 && malformed == 0 && misdelivered == 0;
    }
};

class Verifier {
public:
    /// `local` is the endpoint that every bundle must be for.
    explicit Verifier(bp::Eid local)
        : local_(std::move(local)), reassembler_({kReassemblyBytes, kReassemblyUnits}) {}

    /// `bundle` is the octets in order, in one slice or several.
    void handle_bundle(std::span<const ByteView> bundle, const Arrival &arrival);

    /// A bundle that came in pieces, the last one too.
    void handle_large(LargeBundle &bundle, const Arrival &arrival);

    /// Unique, whole bundles so far.
    [[nodiscard]] std::uint64_t received() const { return latency_.count(); }
    [[nodiscard]] Totals totals() const;
    [[nodiscard]] const telemetry::LatencyRecord &latency() const { return latency_; }
    [[nodiscard]] std::uint64_t malformed(bp::ParseError error) const {
        return malformed_[static_cast<std::size_t>(error)];
    }

private:
    static constexpr std::size_t kMaxRuns = 1024;
    static constexpr std::size_t kMaxPings = 65'536;  ///< whose repeats are counted
    static constexpr std::uint64_t kReassemblyBytes = std::uint64_t{1} << 30;
    static constexpr std::size_t kReassemblyUnits = 65'536;

    struct Run {
        Run(std::uint64_t id, std::uint64_t seed) : number(id), pattern(seed) {}
        std::uint64_t number;
        Pattern pattern;
        SequenceTracker tracker;
    };

    /// Null when there are too many, or when the seed is not the run's.
    [[nodiscard]] Run *run_of(const PayloadHeader &header);
    void record(const bp::BundleView &view, const PayloadHeader &header, Run &run,
                const Arrival &arrival);
    void handle_ping(const bp::BundleView &view, const PayloadHeader &header, bool intact,
                     const Arrival &arrival);
    void count(const bp::BundleView &view, const PayloadHeader &header, const Arrival &arrival);
    void handle_fragment(const bp::BundleView &view, std::span<const ByteView> bundle,
                         const Arrival &arrival);
    void handle_payload(const bp::BundleView &view, std::span<const ByteView> bundle,
                        const Arrival &arrival);

    bp::Eid local_;
    Reassembler reassembler_;
    std::uint64_t fragments_ = 0;
    std::uint64_t joined_units_ = 0;
    ContiguousBundle contiguous_;
    std::vector<std::unique_ptr<Run>> runs_;
    Run *current_ = nullptr;                                          ///< of the bundle before
    std::set<std::pair<std::uint64_t, std::uint64_t>> pings_;         ///< run and sequence of bping
    std::deque<std::pair<std::uint64_t, std::uint64_t>> ping_order_;  ///< the same, by arrival
    std::uint64_t repeated_pings_ = 0;
    telemetry::LatencyRecord latency_;
    std::array<std::uint64_t, bp::kParseErrorCount> malformed_{};
    std::uint64_t payload_bytes_ = 0;
    std::uint64_t corrupt_ = 0;
    std::uint64_t misdelivered_ = 0;
    TimePoint first_{};
    TimePoint last_{};
};

}  // namespace farlink::traffic
