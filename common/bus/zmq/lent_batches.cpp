// SPDX-License-Identifier: Apache-2.0
#include "common/bus/zmq/lent_batches.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "common/base/invariant.hpp"
#include "common/bus/wire/wire.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::bus {
namespace {

/// A loan's number: its place in the low bits, the count of earlier batches in the high bits.
constexpr unsigned kPlaceBits = 24;
constexpr std::uint64_t kPlaceMask = (std::uint64_t{1} << kPlaceBits) - 1;

constexpr int kLongestWaitMs = 30'000;

// Some bundles may have been reported to the owner already.
void mark_unsent(Batch &batch) {
    if (batch.done == 0) batch.uniform = Outcome::kNotSent;
    for (BatchedBundle &bundle : batch.bundles)
        if (batch.done > 0 && bundle.outcome != Outcome::kReturnedEarly)
            bundle.outcome = Outcome::kNotSent;
    batch.done = static_cast<std::uint32_t>(batch.bundles.size());
}

}  // namespace

void FrameLease::let_go() {
    // Once the count is zero, the lease may belong to another batch.
    const int wake = wake_;
    if (word_.fetch_sub(kOne, std::memory_order_acq_rel) != kOne + kAwaited) return;
    const std::uint64_t one = 1;
    (void)!::write(wake, &one, sizeof one);
}

bool FrameLease::await() {
    return word_.fetch_or(kAwaited, std::memory_order_acq_rel) < kOne;
}

// A later process must not accept an answer that was meant for this one.
LentBatches::LentBatches()
    : wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)), generation_(entropy_seed() >> kPlaceBits) {
    FARLINK_INVARIANT(wake_);
}

// Waits for every wake that is due, since its writer uses the descriptor until then.
LentBatches::~LentBatches() {
    for (Loan &loan : loans_)
        if (loan.batch && !loan.returned && !loan.lease.await()) ++wakes_due_;
    while (wakes_due_ > 0) {
        pollfd polled{wake_.get(), POLLIN, 0};
        FARLINK_INVARIANT(::poll(&polled, 1, kLongestWaitMs) == 1);
        handle_wakes();
    }
}

LentBatches::Loan &LentBatches::begin(Batch &batch, AgentId borrower) {
    if (free_.empty()) free_.push_back(&loans_.emplace_back(wake_.get(), loans_.size()));
    Loan &loan = *free_.back();
    free_.pop_back();
    loan.own_sequence = batch.sequence;
    loan.number = (++generation_ << kPlaceBits) | loan.place;
    loan.borrower = borrower;
    loan.lease.reset();
    loan.returned = false;
    batch.sequence = loan.number;
    return loan;
}

bool LentBatches::handle_outcome(const Batch &outcome, AgentId from) {
    const std::uint64_t place = outcome.sequence & kPlaceMask;
    if (place >= loans_.size()) return false;
    Loan &loan = loans_[place];
    if (!loan.batch || loan.returned || loan.number != outcome.sequence || loan.borrower != from)
        return false;
    if (is_part(outcome)) {
        BatchPtr part = part_of(outcome, *loan.batch);
        if (part == nullptr) return false;
        part->sequence = loan.own_sequence;
        parts_.push_back(std::move(part));
        return true;
    }
    if (!set_outcomes(outcome, *loan.batch)) return false;
    end(loan);
    return true;
}

void LentBatches::end(Loan &loan) {
    loan.returned = true;
    if (loan.lease.await()) {
        returned_.push_back(&loan);
    } else {
        ++wakes_due_;
        awaited_.push_back(&loan);
    }
}

void LentBatches::take_back(AgentId borrower) {
    std::vector<Loan *> out;
    for (Loan &loan : loans_)
        if (loan.batch && !loan.returned && loan.borrower == borrower) out.push_back(&loan);
    if (out.empty()) return;
    std::ranges::sort(out, {}, &Loan::number);  // in the order in which they were lent
    for (Loan *loan : out) {
        mark_unsent(*loan->batch);
        end(*loan);
    }
    wake();
}

void LentBatches::give_back(BatchPtr batch) {
    mark_unsent(*batch);
    unlent_.push_back(std::move(batch));
    wake();
}

BatchPtr LentBatches::poll_returned() {
    if (!parts_.empty()) {
        BatchPtr part = std::move(parts_.front());
        parts_.pop_front();
        return part;
    }
    if (returned_.empty() && wakes_due_ > 0) {
        handle_wakes();
        std::erase_if(awaited_, [this](Loan *loan) {
            if (!loan->lease.unread()) return false;
            returned_.push_back(loan);
            return true;
        });
    }
    if (returned_.empty() && !unlent_.empty()) {
        BatchPtr oldest = std::move(unlent_.front());
        unlent_.erase(unlent_.begin());
        return oldest;
    }
    if (returned_.empty()) return nullptr;
    Loan &loan = *returned_.front();
    returned_.erase(returned_.begin());
    return close(loan);
}

void LentBatches::wake() {
    ++wakes_due_;
    const std::uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof one);
}

void LentBatches::handle_wakes() {
    std::uint64_t wakes = 0;
    if (::read(wake_.get(), &wakes, sizeof wakes) != sizeof wakes) return;
    FARLINK_INVARIANT(wakes <= wakes_due_);
    wakes_due_ -= wakes;
}

BatchPtr LentBatches::close(Loan &loan) {
    BatchPtr batch = std::move(loan.batch);
    batch->sequence = loan.own_sequence;
    free_.push_back(&loan);
    return batch;
}

}  // namespace farlink::bus
