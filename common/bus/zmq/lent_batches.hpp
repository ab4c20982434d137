// SPDX-License-Identifier: Apache-2.0
// Batches lent to a module of another process: kept until their outcomes are back and their octets
// are no longer read.
// Owned by a port; its thread only, except FrameLease::let_go(), which any thread may call.
// The octets are sent without a copy, so the sending socket holds a lease of the batch.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

#include "common/buffer/batch.hpp"
#include "common/bus/messages.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::bus {

/// Counts the references to the octets of one batch.
class FrameLease {
public:
    explicit FrameLease(int wake) : wake_(wake) {}

    void take() { word_.fetch_add(kOne, std::memory_order_relaxed); }
    /// Any thread. The last one wakes the owner if it waits.
    void let_go();
    /// False while references are left; the owner is then woken once, at the last one.
    [[nodiscard]] bool await();
    [[nodiscard]] bool unread() const { return word_.load(std::memory_order_acquire) < kOne; }
    /// Resets the lease for the next batch.
    void reset() { word_.store(0, std::memory_order_relaxed); }

private:
    static constexpr std::uint32_t kAwaited = 1;
    static constexpr std::uint32_t kOne = 2;

    std::atomic<std::uint32_t> word_{0};
    int wake_;
};

class LentBatches {
public:
    LentBatches();
    /// Waits until the remaining batches are no longer read, after the sockets have closed.
    ~LentBatches();
    LentBatches(const LentBatches &) = delete;
    LentBatches &operator=(const LentBatches &) = delete;

    /// A lent batch. Meanwhile its `sequence` is the number in its outcome.
    struct Loan {
        Loan(int wake, std::uint64_t at) : place(at), lease(wake) {}
        std::uint64_t place;
        BatchPtr batch;
        std::uint64_t own_sequence = 0;
        std::uint64_t number = 0;
        AgentId borrower = AgentId::kIngress;
        FrameLease lease;
        bool returned = false;
    };

    /// A place for `batch`, whose sequence becomes the number of that place; the caller moves the
    /// batch there.
    [[nodiscard]] Loan &begin(Batch &batch, AgentId borrower);
    /// Copies the outcomes into their batch; false if `from` has borrowed no such batch.
    [[nodiscard]] bool handle_outcome(const Batch &outcome, AgentId from);
    /// The borrower is lost: its batches come back as not sent.
    void take_back(AgentId borrower);
    /// A batch that could not be lent comes back as not sent.
    void give_back(BatchPtr batch);
    /// A batch with all outcomes that is no longer read; or, earlier, a part of one.
    [[nodiscard]] BatchPtr poll_returned();

    /// Makes the descriptor readable until poll_returned() has been called.
    void wake();
    /// Becomes readable when poll_returned() may have something new.
    [[nodiscard]] int descriptor() const { return wake_.get(); }
    [[nodiscard]] std::size_t size() const { return loans_.size() - free_.size(); }

private:
    void handle_wakes();
    void end(Loan &loan);
    [[nodiscard]] BatchPtr close(Loan &loan);

    FileDescriptor wake_;
    std::deque<Loan> loans_;  ///< as many as were lent at one time; their addresses are stable
    std::vector<Loan *> free_;
    std::vector<Loan *> returned_;  ///< no longer read
    std::vector<Loan *> awaited_;   ///< with outcomes, possibly still read
    std::deque<BatchPtr> parts_;
    std::vector<BatchPtr> unlent_;
    std::uint64_t generation_;
    std::uint64_t wakes_due_ = 0;
};

}  // namespace farlink::bus
