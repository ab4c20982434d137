// SPDX-License-Identifier: Apache-2.0
// Slabs of another module, while ingress refers to octets that a link of that module has received.
// Owned by BundleReceiver; one thread.
// Only the owner of a slab touches its count. Ingress counts on proxies, one a slab, and gives the
// batch that the slabs came with back when no reference is left.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "common/buffer/batch.hpp"

namespace farlink::ingress {

class BorrowedSlabs final : public SlabOwner {
public:
    /// Proxies of the batch's slabs, in their order; valid until the next call. The batch comes
    /// back by poll_returned() when the last reference is dropped.
    [[nodiscard]] std::span<const SlabRef> borrow(BatchPtr batch);
    /// Drops the references that borrow() has handed out.
    void let_go() { fresh_.clear(); }
    [[nodiscard]] BatchPtr poll_returned() {
        if (returned_.empty()) return nullptr;
        BatchPtr batch = std::move(returned_.back());
        returned_.pop_back();
        return batch;
    }
    /// Nothing is borrowed.
    [[nodiscard]] bool empty() const { return free_.size() == loans_.size(); }

private:
    struct Loan;
    struct SlabProxy : Slab {
        Loan *loan = nullptr;
    };
    struct Loan {
        BatchPtr batch;
        std::vector<SlabProxy> slabs;
        std::size_t referred = 0;  ///< how many of them are referred to
    };
    void release(Slab *slab) override;

    std::vector<std::unique_ptr<Loan>> loans_;  ///< all that were ever needed at a time
    std::vector<Loan *> free_;
    std::vector<SlabRef> fresh_;
    std::vector<BatchPtr> returned_;
};

}  // namespace farlink::ingress
