// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/spool/spooler.hpp"

namespace farlink::ingress {
namespace {

/// What a sender gets whose bundle storage has not kept.
TransferDisposition disposition_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::kDuplicate:
        case Outcome::kExpired:
            return TransferDisposition::kSafe;
        default:
            return TransferDisposition::kNoResources;
    }
}

}  // namespace

void Spooler::begin(SpoolChannel in, const BatchedBundle &whole, NodeNumber sender,
                    const bp::ArrivingBundle &head) {
    const std::uint64_t number = next_number_++;
    arriving_[in] = number;
    Spool &spool = spools_[number];
    spool.whole = whole;
    spool.sender = sender;
    spool.bundle = head;
    context_.count_in_flight(1, 0);
}

void Spooler::begin_refused(SpoolChannel in, TransferDisposition disposition) {
    const std::uint64_t number = next_number_++;
    arriving_[in] = number;
    spools_[number].ended = disposition;
}

void Spooler::take(SpoolChannel in, const Arrival &piece, bool more, TimePoint now) {
    const auto arriving = arriving_.find(in);
    if (arriving == arriving_.end()) return refuse_unknown(piece, more, now);
    const std::uint64_t number = arriving->second;
    Spool &spool = spools_[number];
    if (!spool.ended) store(number, spool, piece, more, now);
    if (more) return;
    arriving_.erase(arriving);
    spool.whole.transfer = piece.transfer;
    spool.waiting = piece.waiting;
    if (spool.ended) finish(number, now);
}

// Its first pieces came before ingress was restarted: its sender still waits for an answer.
void Spooler::refuse_unknown(const Arrival &piece, bool more, TimePoint now) {
    if (more || piece.waiting == kNoUpstream) return;
    context_.upstreams.acknowledge(piece.waiting, piece.transfer, 1,
                                   TransferDisposition::kNoResources, now);
}

void Spooler::store(std::uint64_t number, Spool &spool, const Arrival &piece, bool more,
                    TimePoint now) {
    const std::uint64_t offset = spool.bundle.taken();
    auto good = spool.bundle.add(piece.slices);
    if (good && !more) good = spool.bundle.finish();
    if (!good) {
        context_.counters.increment(IngressCounter::kMalformed,
                                    static_cast<std::size_t>(good.error()));
        context_.notices.rejected = Rejected{piece.from, context_.upstreams.link(piece.from),
                                             piece.sender, in_words(good.error())};
        return end(number, spool, TransferDisposition::kNotAcceptable, now);
    }
    BatchedBundle bundle = spool.whole;
    bundle.size = piece.size;
    bundle.slice_count = static_cast<std::uint32_t>(piece.slices.size());
    if (offset > 0) bundle.primary_end = bundle.head_end = 0;
    queues_.add_piece({number, offset, spool.bundle.size() - spool.bundle.taken()}, bundle, piece,
                      spool.sender, now);
}

/// Storage keeps nothing of it.
void Spooler::end(std::uint64_t number, Spool &spool, TransferDisposition disposition,
                  TimePoint now) {
    spool.ended = disposition;
    context_.release(1, 0);
    queues_.drop_pieces(number, now);
}

void Spooler::abandon_all(UpstreamId from, TimePoint now) {
    for (;;) {
        const auto next = arriving_.lower_bound({from, 0});
        if (next == arriving_.end() || next->first.session != from) return;
        abandon(next->first, now);
    }
}

void Spooler::abandon(SpoolChannel in, TimePoint now) {
    const auto arriving = arriving_.find(in);
    if (arriving == arriving_.end()) return;
    const std::uint64_t number = arriving->second;
    arriving_.erase(arriving);
    Spool &spool = spools_[number];
    if (!spool.ended) {
        context_.counters.increment(IngressCounter::kDeletedBrokenOff);
        end(number, spool, TransferDisposition::kNoResources, now);
    }
    spools_.erase(number);
}

void Spooler::handle_outcome(BatchPtr batch, TimePoint now) {
    context_.release(0, batch->bytes);
    if (!batch->bundles.empty()) {
        const BatchedBundle &piece = batch->bundles.front();
        const Outcome outcome = batch->outcome_of(piece);
        context_.flows.answered(piece.flow, outcome == Outcome::kStored);
        const auto found = spools_.find(batch->piece.spool);
        if (found != spools_.end()) set_outcome(found->first, found->second, outcome, now);
        if (found != spools_.end() && batch->piece.last()) finish(found->first, now);
    }
    context_.batches.recycle(std::move(batch));
}

/// Of one piece: a bundle is stored if all of them are.
void Spooler::set_outcome(std::uint64_t number, Spool &spool, Outcome outcome, TimePoint now) {
    if (spool.ended) return;
    if (outcome == Outcome::kStored) return;
    if (outcome == Outcome::kExpired) context_.counters.increment(IngressCounter::kExpired);
    const TransferDisposition disposition = disposition_of(outcome);
    if (disposition == TransferDisposition::kNoResources)
        context_.counters.increment(IngressCounter::kDeletedNoResources);
    end(number, spool, disposition, now);
}

void Spooler::finish(std::uint64_t number, TimePoint now) {
    const Spool &spool = spools_[number];
    if (!spool.ended) context_.release(1, 0);
    if (spool.waiting != kNoUpstream)
        context_.upstreams.acknowledge(spool.waiting, spool.whole.transfer, 1,
                                       spool.ended.value_or(TransferDisposition::kSafe), now);
    spools_.erase(number);
}

}  // namespace farlink::ingress
