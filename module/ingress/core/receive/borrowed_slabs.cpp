// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/receive/borrowed_slabs.hpp"

namespace farlink::ingress {

std::span<const SlabRef> BorrowedSlabs::borrow(BatchPtr batch) {
    FARLINK_INVARIANT(fresh_.empty() && !batch->slabs.empty());
    if (free_.empty()) {
        loans_.push_back(std::make_unique<Loan>());
        free_.push_back(loans_.back().get());
    }
    Loan &loan = *free_.back();
    free_.pop_back();
    // All at once: references point to the proxies.
    loan.slabs.resize(batch->slabs.size());
    loan.referred = batch->slabs.size();
    for (std::size_t i = 0; i < loan.slabs.size(); ++i) {
        const SlabRef &lent = batch->slabs[i];
        static_cast<Slab &>(loan.slabs[i]) = {lent->data, lent->capacity, 0, false, this};
        loan.slabs[i].loan = &loan;
        fresh_.emplace_back(&loan.slabs[i]);
    }
    loan.batch = std::move(batch);
    return fresh_;
}

void BorrowedSlabs::release(Slab *slab) {
    Loan &loan = *static_cast<SlabProxy *>(slab)->loan;
    if (--loan.referred > 0) return;
    returned_.push_back(std::move(loan.batch));
    free_.push_back(&loan);
}

}  // namespace farlink::ingress
