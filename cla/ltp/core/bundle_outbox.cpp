// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/bundle_outbox.hpp"

#include <algorithm>
#include <utility>

namespace farlink::cla::ltp {

void BundleOutbox::handle_send(std::span<const TxBundle> bundles, TimePoint now) {
    for (const TxBundle &bundle : bundles) {
        follow(bundle.token, now);
        done_.push_back(0);
        if (bundle.left > 0 || bundle.is_further_piece) [[unlikely]] {
            send_piece(bundle, now);
        } else if (config_.aggregate_bytes == 0 || bundle.size >= config_.aggregate_bytes) {
            // Order is kept: the waiting block is sent first.
            flush(now);
            send_alone(bundle, now);
        } else {
            add(bundle, now);
        }
    }
}

// A bundle that expired in the queue has a token and is never sent. A block has consecutive tokens,
// so a gap ends the waiting block.
void BundleOutbox::follow(std::uint64_t token, TimePoint now) {
    if (done_below_ + done_.size() != token) flush(now);
    if (done_.empty()) done_below_ = token;
    while (done_below_ + done_.size() < token) done_.push_back(1);
}

void BundleOutbox::gather(const TxBundle &bundle) {
    pieces_.clear();
    pieces_.push_back({bundle.head, true});
    pieces_.push_back({bundle.body, false});
    for (const ByteView piece : bundle.rest) pieces_.push_back({piece, false});
}

void BundleOutbox::send_alone(const TxBundle &bundle, TimePoint now) {
    gather(bundle);
    send(kBundleService, bundle.token, 1, now);
}

// ---- bundles in pieces

void BundleOutbox::send_piece(const TxBundle &piece, TimePoint now) {
    if (!piece.is_further_piece) {
        flush(now);
        spool_ = {.token = piece.token, .block = {}, .unreported = {}};
    }
    gather(piece);
    const bool taken = piece.is_further_piece
                           ? spool_.block && engine_.extend_block(*spool_.block, pieces_)
                           : begin_block(piece, now);
    if (!taken) skip_piece(piece);
    if (piece.left == 0) spool_.block.reset();
}

bool BundleOutbox::begin_block(const TxBundle &first, TimePoint now) {
    BlockRequest block;
    block.pieces = pieces_;
    block.token = first.token;
    // The host has checked the credit already.
    block.beyond_credit = true;
    block.following = first.left;
    const auto begun = engine_.send_block(peer_, block, now);
    if (begun) spool_.block = *begun;
    return begun.has_value();
}

// The block has ended already. Without a refusal of its last piece the bundle would count as sent.
void BundleOutbox::skip_piece(const TxBundle &piece) {
    if (!spool_.refused || piece.left == 0) {
        Refusal refusal = std::exchange(spool_.unreported, std::nullopt)
                              .value_or(Refusal{.reason = CancelReason::kUserCancelled,
                                                .broken_off = spool_.refused});
        refusal.token = piece.token;
        refusal.count = 1;
        refusals_.push_back(refusal);
        spool_.refused = true;
    }
    note_done(piece.token, 1);
}

void BundleOutbox::break_off(TimePoint now) {
    if (!spool_.block) return;
    spool_.broken_off = true;
    engine_.cancel_block(*spool_.block, CancelReason::kUserCancelled, now);
}

void BundleOutbox::add(const TxBundle &bundle, TimePoint now) {
    if (waiting_ == 0) {
        first_token_ = bundle.token;
        flush_at_ = now + config_.aggregate_delay;
    }
    if (config_.service_data_aggregation) {
        static constexpr std::uint8_t kService[] = {kBundleService};
        add_copy(kService);
    }
    add_copy(bundle.head);
    // A small bundle is all head.
    if (!bundle.body.empty())
        waiting_pieces_.push_back({bundle.body.data(), 0, bundle.body.size()});
    for (const ByteView piece : bundle.rest)
        if (!piece.empty()) waiting_pieces_.push_back({piece.data(), 0, piece.size()});
    ++waiting_;
    waiting_bytes_ += bundle.size;
    if (waiting_bytes_ >= config_.aggregate_bytes) flush(now);
}

// Consecutive copies form one piece.
void BundleOutbox::add_copy(ByteView octets) {
    if (octets.empty()) return;
    const std::size_t offset = copies_.size();
    append(copies_, octets);
    if (!waiting_pieces_.empty() && waiting_pieces_.back().data == nullptr)
        waiting_pieces_.back().size += octets.size();
    else
        waiting_pieces_.push_back({nullptr, offset, octets.size()});
}

void BundleOutbox::flush(TimePoint now) {
    if (waiting_ == 0) return;
    pieces_.clear();
    for (const Waiting &piece : waiting_pieces_) {
        if (piece.data == nullptr)
            pieces_.push_back({ByteView(copies_).subspan(piece.offset, piece.size), true});
        else
            pieces_.push_back({{piece.data, piece.size}, false});
    }
    send(config_.service_data_aggregation ? kAggregationService : kBundleService, first_token_,
         waiting_, now);
    waiting_pieces_.clear();
    copies_.clear();
    waiting_ = 0;
    waiting_bytes_ = 0;
    flush_at_ = kNever;
}

void BundleOutbox::send(std::uint64_t service, std::uint64_t token, std::uint32_t count,
                        TimePoint now) {
    BlockRequest block;
    block.pieces = pieces_;
    block.service = service;
    block.token = token;
    block.token_count = count;
    // The host has checked the credit already.
    block.beyond_credit = true;
    if (engine_.send_block(peer_, block, now)) return;
    refusals_.push_back({token, count, CancelReason::kSystemCancelled, false});
    note_done(token, count);
}

void BundleOutbox::handle_event(const Event &event) {
    if (event.type == EventType::kPartEnded) return note_done(event.token, 1);
    if (event.type > EventType::kCancelledByPeer) return;
    if (event.type != EventType::kDelivered) handle_cancelled(event);
    if (awaits(event.token)) note_done(event.token, event.token_count);
}

// If all parts of the block have ended, the token is that of the next part.
void BundleOutbox::handle_cancelled(const Event &event) {
    Refusal refusal{event.token, event.token_count, event.reason,
                    event.type == EventType::kCancelledByPeer};
    const bool is_spool = spool_.block && event.token >= spool_.token;
    if (is_spool) {
        refusal.broken_off = spool_.broken_off;
        spool_.block.reset();
    }
    if (awaits(event.token)) {
        refusals_.push_back(refusal);
        spool_.refused = spool_.refused || is_spool;
    } else if (is_spool) {
        spool_.unreported = refusal;
    }
}

void BundleOutbox::note_done(std::uint64_t token, std::uint32_t count) {
    const std::uint64_t first = token - done_below_;
    FARLINK_INVARIANT(first + count <= done_.size());
    for (std::uint32_t i = 0; i < count; ++i) done_[first + i] = 1;
    while (!done_.empty() && done_.front() != 0) {
        static_cast<void>(done_.pop_front());
        ++done_below_;
    }
}

}  // namespace farlink::cla::ltp
