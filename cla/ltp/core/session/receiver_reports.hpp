// SPDX-License-Identifier: Apache-2.0
// The reports of one incoming block, and the checkpoints that they answer
// (RFC 5326 sections 6.8, 6.11, 6.14).
// Owned by a receiver session; one thread. Its nodes lie in the engine's pools.
// All times are contact time (contact_clock.hpp).
#pragma once

#include <cstdint>
#include <optional>

#include "cla/ltp/core/codec/types.hpp"
#include "cla/ltp/core/session/interval_list.hpp"
#include "cla/ltp/core/session/receive_memory.hpp"

namespace farlink::cla::ltp {

/// kDeferred ──due, or nothing is missing──► kReady ──sent──► kSent ──► kAcked
///                                             ▲──timer, checkpoint again──┘
enum class ReportState : std::uint8_t { kDeferred, kReady, kSent, kAcked };

/// A report segment. Its claims are made when it is sent, so that data which arrive before that are
/// not repeated.
struct Report {
    std::uint64_t serial = 0;  ///< 0 while deferred
    std::uint64_t checkpoint = 0;
    Interval scope;
    TimePoint since{};  ///< sent, or due while deferred
    std::uint16_t sends = 0;
    ReportState state = ReportState::kDeferred;
    bool partial = false;  ///< the block is not safe: all octets but one are claimed
};

struct ReceiverPools {
    IntervalPool intervals;
    NodePool<Report> reports;
    ChunkPool chunks;
};

struct ReceiverLimits {
    std::uint32_t retries = 0;  ///< of one serial number
    std::uint32_t cycles = 0;   ///< reports with gaps, see most_gap_reports()
    std::uint32_t gaps = 0;     ///< intervals of received octets
    std::uint64_t block_bytes = 0;
    /// A block above `spool_above` is passed on in parts: the first one has `spool_above` octets,
    /// the others have `part_bytes`. The block may have `spooled_bytes`.
    std::uint64_t spool_above = ~std::uint64_t{0};
    std::uint64_t part_bytes = 0;
    std::uint64_t spooled_bytes = 0;
    std::uint32_t report_bytes = 0;  ///< of a report segment's content
    Duration report_delay{};         ///< of a report with gaps, which may close meanwhile
    Duration hold{};                 ///< then a partial report is sent for a block that is not safe
    Duration silence{};
    /// A block without new octets for this time is cancelled.
    Duration progress = seconds(1'000'000'000);
};

enum class ReportProgress : std::uint8_t {
    kAcknowledged,  ///< all of them; or there is none
    kPending,
    kExceeded,  ///< a limit of repetitions
};

/// `received`, an argument of most methods, has the octets of the block that are present.
class ReceiverReports {
public:
    explicit ReceiverReports(std::uint64_t first_serial = 1)
        : first_serial_(first_serial), last_serial_(first_serial - 1) {}
    void clear(ReceiverPools &pools);
    [[nodiscard]] bool empty() const { return reports_.empty(); }

    /// False: too many reports with gaps.
    [[nodiscard]] bool handle_checkpoint(const DataFields &data, const IntervalList &received,
                                         const ReceiverLimits &limits, TimePoint at,
                                         ReceiverPools &pools);
    /// RFC 5326 section 6.14; false: no such report was sent.
    [[nodiscard]] bool handle_ack(std::uint64_t serial, const IntervalList &received,
                                  ReceiverPools &pools);
    /// Issues deferred reports that are due, and those whose gaps are closed.
    void issue_deferred(const IntervalList &received, const ReceiverLimits &limits, TimePoint at,
                        ReceiverPools &pools);
    /// Reports that were sent at `unanswered` or before are sent again.
    [[nodiscard]] ReportProgress repeat(const ReceiverLimits &limits, TimePoint unanswered,
                                        ReceiverPools &pools);
    /// When repeat() or issue_deferred() is due, or a report that is ready is due at `ready_due`;
    /// none when all are acknowledged.
    [[nodiscard]] std::optional<TimePoint> next_deadline(Duration answer_within,
                                                         TimePoint ready_due,
                                                         ReceiverPools &pools) const;
    /// Those that are ready claim all octets but those.
    void withhold(Interval octets, ReceiverPools &pools);

    /// The next report to send, or null. `held`: partial ones only.
    [[nodiscard]] Report *find_ready(bool held, ReceiverPools &pools) const;
    /// The same; it counts as sent.
    [[nodiscard]] Report *poll(bool held, TimePoint at, ReceiverPools &pools);
    [[nodiscard]] bool all_acknowledged(ReceiverPools &pools) const;

private:
    [[nodiscard]] std::uint64_t scope_begin(const DataFields &data, ReceiverPools &pools);
    [[nodiscard]] bool too_many_open(const ReceiverLimits &limits, ReceiverPools &pools) const;
    [[nodiscard]] bool too_many_gap_reports(const ReceiverLimits &limits) const;
    void issue(Report asked, const IntervalList &received, const ReceiverLimits &limits,
               ReceiverPools &pools);

    IntervalList checkpoints_seen_;
    PoolList<Report> reports_;
    std::uint64_t primary_end_ = 0;  ///< upper bound of the last primary report
    std::uint64_t first_serial_ = 0;
    std::uint64_t last_serial_ = 0;
    std::uint32_t primary_ = 0;      ///< checkpoints that answer no report
    std::uint32_t gap_reports_ = 0;  ///< reports with gaps
};

}  // namespace farlink::cla::ltp
