// SPDX-License-Identifier: Apache-2.0
#include "module/egress/relayed_outduct.hpp"

#include <algorithm>
#include <utility>

namespace farlink::egress {
namespace {

/// Ingress may run in another process.
cla::LinkFault fault_of(const bus::SessionChange &change) {
    const auto fault = static_cast<cla::LinkFault>(change.fault);
    return fault < cla::LinkFault::kCount_ ? fault : cla::LinkFault::kNone;
}

}  // namespace

void RelayedOutduct::transition(cla::LinkState to, cla::LinkFault fault) {
    if (state_ == to) return;
    state_ = to;
    host_.on_state(link_, to, fault);
}

void RelayedOutduct::handle_session(const bus::SessionChange &change) {
    session_ = change.open;
    max_bundle_bytes_ = change.max_bundle_bytes;
    contact_ = true;  // until close()
    if (change.open) {
        if (pace_.link != kNoLink) send_(pace_);  // ingress may be another one than before
        return transition(cla::LinkState::kConnected);
    }
    // Batches that cross this message come back, and are counted until then.
    forget_open();
    open_again_ = false;
    transition(cla::LinkState::kClosed, fault_of(change));
}

void RelayedOutduct::handle_lost() {
    session_ = false;
    open_again_ = false;
    forget_open();
    if (state_ == cla::LinkState::kClosed) return;
    // The bus may still read lent batches: the link closes when they are back.
    if (out_bytes_ > 0) return transition(cla::LinkState::kClosing);
    transition(cla::LinkState::kClosed);
}

void RelayedOutduct::open() {
    publish_contact(true);
    if (state_ == cla::LinkState::kClosing) open_again_ = true;
    if (state_ == cla::LinkState::kClosed && session_) transition(cla::LinkState::kConnected);
}

// The session waits for answers while there is a contact only.
void RelayedOutduct::publish_contact(bool open) {
    if (std::exchange(contact_, open) == open || !session_) return;
    send_(bus::SessionChange{.link = link_, .neighbour = {}, .open = open, .node_id = {}});
}

void RelayedOutduct::close() {
    open_again_ = false;
    if (state_ != cla::LinkState::kConnected) return;
    forget_open();
    transition(cla::LinkState::kClosing);
    // What the session has not begun comes back at once, the rest with its outcome.
    publish_contact(false);
    if (out_bytes_ == 0) transition(cla::LinkState::kClosed);
}

// Egress holds its bundles.
void RelayedOutduct::forget_open() {
    if (!open_) return;
    out_bytes_ -= open_->bytes;
    batches_.recycle(std::move(open_));
}

// Ingress gives batches back in the order in which it got them, so a token covers those before it.
void RelayedOutduct::handle_returned(BatchPtr batch) {
    if (batch->bundles.empty()) return batches_.recycle(std::move(batch));
    const bool was_full = transmit_credit() == 0;
    out_bytes_ -= batch->bytes;
    for (const BatchedBundle &bundle : batch->bundles) {
        switch (batch->outcome_of(bundle)) {
            case Outcome::kSent:
                break;
            case Outcome::kNoSpace:
                host_.on_refused(link_, bundle.arrival, cla::Refusal::kNoResources);
                break;
            case Outcome::kTooLarge:
                host_.on_refused(link_, bundle.arrival, cla::Refusal::kTooLarge);
                break;
            case Outcome::kIoError:
                host_.on_refused(link_, bundle.arrival, cla::Refusal::kNotAcceptable);
                break;
            case Outcome::kRefused:
                host_.on_refused(link_, bundle.arrival, cla::Refusal::kRetransmit);
                break;
            case Outcome::kUnacknowledged:
                host_.on_refused(link_, bundle.arrival, cla::Refusal::kUnacknowledged);
                break;
            default:
                host_.on_refused(link_, bundle.arrival, cla::Refusal::kNotSent);
                break;
        }
    }
    const std::uint64_t covered = batch->bundles.back().arrival + 1;
    batches_.recycle(std::move(batch));
    host_.on_transmitted(link_, covered);
    if (state_ == cla::LinkState::kClosing && out_bytes_ == 0) {
        transition(cla::LinkState::kClosed);
        if (std::exchange(open_again_, false)) open();
        return;
    }
    if (was_full && state_ == cla::LinkState::kConnected) host_.on_writable(link_);
}

std::uint64_t RelayedOutduct::transmit_credit() const {
    return state_ == cla::LinkState::kConnected && out_bytes_ < kWindowBytes
               ? kWindowBytes - out_bytes_
               : 0;
}

// A head may be longer than a slab: a bundle may have any number of blocks.
void RelayedOutduct::keep(ByteView head, Batch &batch) {
    while (!head.empty()) {
        if (!heads_ || heads_used_ == heads_->capacity) {
            heads_ = pool_.acquire_beyond_limit();
            heads_used_ = 0;
        }
        const std::size_t part = std::min<std::size_t>(heads_->capacity - heads_used_, head.size());
        std::uint8_t *to = heads_->data + heads_used_;
        std::copy_n(head.begin(), part, to);
        heads_used_ += static_cast<std::uint32_t>(part);
        batch.slices.emplace_back(to, part);
        batch.pin(heads_);
        head = head.subspan(part);
    }
}

void RelayedOutduct::transmit(std::span<const TxBundle> bundles) {
    for (const TxBundle &tx : bundles) {
        // A piece of a large bundle travels alone.
        const bool is_piece = tx.is_further_piece || tx.left > 0;
        if (is_piece) flush();
        if (!open_) {
            open_ = batches_.acquire();
            open_->link = link_;
        }
        BatchedBundle bundle;
        bundle.size = tx.size;
        bundle.arrival = tx.token;
        if (tx.continues) bundle.flow = kContinuesFlow;
        bundle.first_slice = static_cast<std::uint32_t>(open_->slices.size());
        keep(tx.head, *open_);
        open_->slices.push_back(tx.body);
        open_->slices.insert(open_->slices.end(), tx.rest.begin(), tx.rest.end());
        bundle.slice_count = static_cast<std::uint32_t>(open_->slices.size()) - bundle.first_slice;
        open_->bytes += tx.size;
        open_->bundles.push_back(bundle);
        out_bytes_ += tx.size;
        if (is_piece) open_->piece = BundlePiece::of_session(tx.is_further_piece, tx.left);
        if (open_->full() || is_piece) flush();
    }
}

void RelayedOutduct::flush() {
    if (open_) send_(bus::TransmitBatch{std::move(open_)});
}

void RelayedOutduct::break_off() {
    flush();
    BatchPtr marker = batches_.acquire();
    marker->link = link_;
    marker->piece = BundlePiece::of_session(true, BundlePiece::kUnknown);
    send_(bus::TransmitBatch{std::move(marker)});
}

void RelayedOutduct::set_rate(BitRate rate) {
    pace_.link = link_;
    pace_.rate = rate;
    send_(pace_);
}

void RelayedOutduct::set_owlt(Duration owlt) {
    pace_.link = link_;
    pace_.owlt = owlt;
    pace_.owlt_known = true;
    send_(pace_);
}

}  // namespace farlink::egress
