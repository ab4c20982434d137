// SPDX-License-Identifier: Apache-2.0
// Batches that were lent to a module of another process: kept until their outcome has come back and
// nobody reads their octets any more.
// Owned by a port; its thread only, but for FrameLease::let_go(), which any thread may call.
// The octets leave without a copy, so whoever sends them holds a lease of the batch.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <vector>

#include "common/buffer/batch.hpp"
#include "common/bus/messages.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::bus {

/// Counts who refers to the octets of one batch.
class FrameLease {
public:
    explicit FrameLease(int wake) : wake_(wake) {}

    void take() { word_.fetch_add(kOne, std::memory_order_relaxed); }
    /// Any thread. The last one wakes the owner if that waits.
    void let_go();
    /// False while somebody refers to them; then the owner is woken, once, when nobody does.
    [[nodiscard]] bool await();
    [[nodiscard]] bool unread() const { return word_.load(std::memory_order_acquire) < kOne; }
    /// Before the next batch.
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
    /// Waits until nobody reads the batches that are left: the sockets have closed by then.
    ~LentBatches();
    LentBatches(const LentBatches &) = delete;
    LentBatches &operator=(const LentBatches &) = delete;

    /// A batch that is out. While it is, its `sequence` is the number that its outcome names.
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

    /// A place for `batch`, whose sequence it replaces by the number of that place; the caller
    /// moves the batch there.
    [[nodiscard]] Loan &begin(Batch &batch, AgentId borrower);
    /// Writes the outcomes into the batch that they are for; false: `from` has borrowed none such.
    [[nodiscard]] bool handle_outcome(const Batch &outcome, AgentId from);
    /// The borrower is gone: whatever it has comes back, as not sent.
    void take_back(AgentId borrower);
    /// A batch that could not be lent comes back, as not sent.
    void give_back(BatchPtr batch);
    /// A batch that has its outcomes and that nobody reads; or before that a part of one.
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
    std::deque<Loan> loans_;  ///< all that were ever needed at a time; their addresses stay
    std::vector<Loan *> free_;
    std::vector<Loan *> returned_;  ///< nobody reads them
    std::vector<Loan *> awaited_;       ///< settled, and somebody may still read them
    std::deque<BatchPtr> parts_;
    std::vector<BatchPtr> unlent_;
    std::uint64_t generation_;
    std::uint64_t wakes_due_ = 0;
};

}  // namespace farlink::bus
