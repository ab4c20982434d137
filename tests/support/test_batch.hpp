// SPDX-License-Identifier: Apache-2.0
// Batches like those of ingress and storage, with bundles of a test.
// Owned by the test, which acts as the owner of the batches.
// One thread.
#pragma once

#include "common/bp/parse.hpp"
#include "common/buffer/batch.hpp"
#include "tests/support/test_bundle.hpp"

namespace farlink::test {

/// The memory of batches, and functions to make them.
class BatchMaker {
public:
    /// A batch for `link`; each bundle is cut into slices behind its head when `slices` is above 1.
    [[nodiscard]] BatchPtr make(BatchOwner owner, LinkId link, const std::vector<Bytes> &bundles,
                                std::size_t slices = 1) {
        auto batch = std::make_unique<Batch>();
        batch->owner = owner;
        batch->link = link;
        batch->sequence = ++sequence_;
        for (const Bytes &bundle : bundles) add(*batch, bundle, slices);
        return batch;
    }
    /// The arrival number that the next bundle gets.
    std::uint64_t next_arrival = 1;

    [[nodiscard]] const SlabPool &pool() const { return pool_; }

private:
    void add(Batch &batch, const Bytes &octets, std::size_t slices) {
        const SlabRef slab = pool_.acquire_sized(static_cast<std::uint32_t>(octets.size()));
        std::ranges::copy(octets, slab->data);
        const ByteView whole{slab->data, octets.size()};
        const auto view = bp::parse({&whole, 1});
        FARLINK_INVARIANT(view.has_value());
        BatchedBundle bundle;
        bundle.size = octets.size();
        bundle.arrival = next_arrival++;
        bundle.record = bundle.arrival;
        bundle.expiry = view->expiry(kStart);
        bundle.first_slice = static_cast<std::uint32_t>(batch.slices.size());
        bundle.slice_count = static_cast<std::uint32_t>(slices);
        bundle.primary_end = view->primary_end;
        bundle.head_end = view->head_end;
        bundle.version = view->version;
        bundle.requests = view->requests;
        std::size_t at = 0;
        for (std::size_t left = slices; left > 0; --left) {
            const std::size_t rest = octets.size() - at;
            const std::size_t part = left == 1        ? rest
                                     : left == slices ? view->payload_offset + 1
                                                      : rest / left;
            batch.slices.push_back(whole.subspan(at, part));
            at += part;
        }
        batch.pin(slab);
        batch.bytes += bundle.size;
        batch.requests |= bundle.requests;
        batch.bundles.push_back(bundle);
    }

    SlabPool pool_{64 * 1024, std::uint64_t{1} << 32};
    std::uint64_t sequence_ = 0;
};

}  // namespace farlink::test
