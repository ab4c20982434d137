// SPDX-License-Identifier: Apache-2.0
// Writes segments for one peer into a batch, with the extensions of its authentication.
// A short-lived helper of the engine; one thread.
// RFC 5326 section 3 and RFC 5327 section 2.1.
#pragma once

#include <cstdint>

#include "cla/ltp/core/codec/authenticator.hpp"
#include "cla/ltp/core/codec/out_batch.hpp"
#include "cla/ltp/core/session/interval_list.hpp"
#include "cla/ltp/core/session/sender_session.hpp"

namespace farlink::cla::ltp {

/// A segment without data: a report, a cancel segment, or an acknowledgement.
struct ControlSegment {
    SegmentType type = SegmentType::kReportAck;
    CancelReason reason{};
    std::uint64_t originator = 0;
    std::uint64_t session = 0;
    ReportFields report;  ///< report_serial for acknowledgements too
};

class SegmentWriter {
public:
    SegmentWriter(OutBatch &batch, Authenticator *authenticator)
        : batch_(batch), authenticator_(authenticator) {}

    /// Is there room for a segment whose head has at most `more` octets beyond the usual?
    [[nodiscard]] bool has_room(std::size_t more = 0) const {
        return batch_.has_room(kMostHeadBytes + more);
    }
    void data(const SegmentPlan &plan, const OutBlock &block, std::uint64_t originator,
              std::uint64_t session);
    /// Writes a segment; a report claims all of its scope.
    void control(const ControlSegment &control);
    /// Writes a report with as many received intervals of its scope as fit `report_bytes`, without
    /// `withheld`.
    void report(const ControlSegment &control, const IntervalList &received,
                const IntervalPool &pool, std::uint32_t report_bytes, Interval withheld = {});

    /// Octets of the prefix and the extensions of every segment of a session.
    [[nodiscard]] static std::size_t overhead(std::uint64_t originator, std::uint64_t session,
                                              const Authenticator *authenticator);

private:
    /// Prefix, fields, header and trailer extension of any segment.
    static constexpr std::size_t kMostHeadBytes = kMaxPrefixBytes + kMaxDataFieldsBytes +
                                                  (2 + Authenticator::kMaxHeaderBytes) +
                                                  (2 + Authenticator::kMaxValueBytes);

    [[nodiscard]] std::uint8_t *begin(SegmentType type, std::uint64_t originator,
                                      std::uint64_t session);
    void end();

    OutBatch &batch_;
    Authenticator *authenticator_;
};

}  // namespace farlink::cla::ltp
