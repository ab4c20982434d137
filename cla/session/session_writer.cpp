// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_writer.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "common/base/bit_rate.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cla {
namespace {

/// Written in one turn; then the other links of the loop get theirs.
constexpr std::size_t kWrittenPerTurn = 2 * 1024 * 1024;
constexpr std::size_t kWriteBytes = 1024 * 1024;
constexpr std::size_t kWriteEntries = 256;
/// So many refusals without any bundle taken end the session.
constexpr std::uint32_t kRefusalsInARow = 16;

}  // namespace

void SessionWriter::transmit(std::span<const TxBundle> bundles, TimePoint now) {
    if (!std::exchange(sent_before_, true)) acknowledged_ = bundles.front().token;
    next_token_ = bundles.back().token + 1;
    refusals_.handle_sent(bundles);
    if (bucket_.rate().value() > 0) {
        for (const TxBundle &bundle : bundles) bucket_.take(bundle.size, now);
        if (bucket_.available(now) == 0) rate_due_ = bucket_.next_available(now);
    }
    connection_.core->handle_send(bundles, now);
}

std::uint64_t SessionWriter::credit() const {
    const std::uint64_t credit = connection_.core->transmit_credit();
    if (credit == 0 || bucket_.rate().value() == 0) return credit;
    return std::min(credit, bucket_.available(monotonic_now()));
}

void SessionWriter::set_contact_rate(BitRate rate, TimePoint now) {
    bucket_.set_rate(slower_of(rate_limit_, rate), now);
    rate_due_ = bucket_.available(now) == 0 ? bucket_.next_available(now) : kNever;
}

bool SessionWriter::handle_rate_due(TimePoint now) {
    bucket_.catch_up(now);
    const bool ready = bucket_.available(now) > 0;
    rate_due_ = ready ? kNever : bucket_.next_available(now);
    return ready;
}

StreamResult SessionWriter::write() {
    std::size_t written = 0;
    std::array<iovec, kWriteEntries> pieces;
    TxQueue &queue = connection_.core->queue();
    while (queue.pending() > 0 || stream_holds_) {
        const std::size_t count = queue.gather(pieces, kWriteBytes);
        const StreamResult taken = connection_.stream.write({pieces.data(), count});
        if (taken.bytes > 0) {
            queue.written(taken.bytes);
            connection_.core->handle_written(monotonic_now());
            written += taken.bytes;
        }
        stream_holds_ = taken.status == StreamStatus::kWaitWritable && connection_.stream.secured();
        if (taken.status == StreamStatus::kOk && written < kWrittenPerTurn) continue;
        const bool failed =
            taken.status == StreamStatus::kFailed || taken.status == StreamStatus::kEnded;
        connection_.lost = connection_.lost || failed;
        needs_read_ = needs_read_ || taken.status == StreamStatus::kWaitReadable;
        const bool wait = !failed && taken.status != StreamStatus::kWaitReadable;
        return {wait ? StreamStatus::kWaitWritable : taken.status, written};
    }
    return {StreamStatus::kOk, written};
}

bool SessionWriter::all_written() const {
    return !stream_holds_ && connection_.core->queue().pending() == 0;
}

bool SessionWriter::handle_acknowledged(std::uint64_t token) {
    return refusals_.handle_transmitted(std::exchange(acknowledged_, token), token);
}

bool SessionWriter::handle_refused(std::uint64_t token, Refusal refusal) {
    refusals_.handle_refused(token, refusal);
    return refusals_.length() >= kRefusalsInARow;
}

}  // namespace farlink::cla
