// SPDX-License-Identifier: Apache-2.0
// Batches of one bundle that fills a slab, large enough to be sent to another process without a
// copy.
// Owned by the test, which acts as the owner of the batches. One thread.
#pragma once

#include "common/base/bytes.hpp"
#include "common/buffer/batch.hpp"

namespace farlink::test {

class SlabBatches {
public:
    explicit SlabBatches(std::uint32_t slab_bytes)
        : slab_bytes_(slab_bytes), slabs_(slab_bytes, std::uint64_t{1} << 40) {}

    /// A batch whose octets identify it.
    [[nodiscard]] BatchPtr make(std::uint64_t sequence) {
        BatchPtr batch = batches_.acquire();
        const SlabRef slab = slabs_.acquire_beyond_limit();
        for (std::uint32_t at = 0; at < slab_bytes_; at += 8)
            store_be(slab->data + at, at + sequence);
        batch->sequence = sequence;
        batch->bytes = slab_bytes_;
        batch->slices.emplace_back(slab->data, slab_bytes_);
        batch->pin(slab);
        BatchedBundle bundle;
        bundle.size = slab_bytes_;
        bundle.slice_count = 1;
        batch->bundles.push_back(bundle);
        return batch;
    }
    /// Whether its octets are those of the batch with this number.
    [[nodiscard]] bool intact(const Batch &batch, std::uint64_t sequence) const {
        const ByteView octets = batch.slices.front();
        if (octets.size() != slab_bytes_) return false;
        for (std::uint32_t at = 0; at < slab_bytes_; at += 8)
            if (load_be<std::uint64_t>(octets.data() + at) != at + sequence) return false;
        return true;
    }
    void recycle(BatchPtr batch) { batches_.recycle(std::move(batch)); }
    [[nodiscard]] std::uint64_t pinned_bytes() const { return slabs_.pinned_bytes(); }

private:
    std::uint32_t slab_bytes_;
    SlabPool slabs_;
    BatchPool batches_{BatchOwner::kStorage};
};

}  // namespace farlink::test
