// SPDX-License-Identifier: Apache-2.0
// Values and batches that the tests of the wire format share.
// A SampleBatch owns the pools of its batch and keeps its slabs; one thread.
// Its numbers are different in every field, so that fields that are mixed up show.
#pragma once

#include <algorithm>

#include "common/bus/wire/wire.hpp"

namespace farlink::bus {

inline constexpr EventHeader kHeader{1, 2};

/// A batch of three bundles that lie in two slabs: two read together, with four octets of framing
/// between them, and one that continues in the second slab.
struct SampleBatch {
    SampleBatch() {
        first = slabs.acquire();
        second = slabs.acquire();
        std::fill_n(first->data, first->capacity, std::uint8_t{0});
        std::fill_n(second->data, second->capacity, std::uint8_t{0});
        for (std::uint8_t index = 0; index < 64; ++index) {
            first->data[index] = index;
            second->data[index] = static_cast<std::uint8_t>(0x80 + index);
        }
        batch = batches.acquire();
        batch->link = LinkId{5};
        batch->next_hop = NodeNumber{9};
        batch->sender = NodeNumber{3};
        batch->sequence = 77;
        batch->number = 78;
        batch->behind = {79, 80, 81, 82, 83};
        batch->upstream = UpstreamId{4};
        batch->sent_payload = 84;
        add({{first->data, 10}}, 6, 8);
        add({{first->data + 14, 6}}, 2, 6);
        add({{first->data + 24, 8}, {second->data + 1, 4}}, 4, 5);
        batch->pin(first);
        batch->pin(second);
    }

    void add(const std::vector<ByteView> &slices, std::uint32_t primary_end,
             std::uint32_t head_end) {
        BatchedBundle bundle;
        for (const ByteView slice : slices) bundle.size += slice.size();
        const std::uint64_t number = batch->bundles.size() + 1;
        bundle.arrival = 0x100 + number;
        bundle.flow = 0x200 + number;
        bundle.record = 0x300 + number;
        bundle.expiry = 0x400 + number;
        bundle.received = TimePoint{nanoseconds(number)};
        bundle.first_slice = static_cast<std::uint32_t>(batch->slices.size());
        bundle.slice_count = static_cast<std::uint32_t>(slices.size());
        bundle.primary_end = primary_end;
        bundle.head_end = head_end;
        bundle.version = number == 2 ? 6 : 7;
        bundle.priority = Priority::kExpedited;
        bundle.outcome = Outcome::kNotSent;
        bundle.requests = kReportDeletion;
        bundle.transfer = 3;
        batch->slices.insert(batch->slices.end(), slices.begin(), slices.end());
        batch->bytes += bundle.size;
        batch->bundles.push_back(bundle);
    }

    SlabPool slabs{256, 4096};
    BatchPool batches{BatchOwner::kStorage, 2};
    SlabRef first;
    SlabRef second;
    BatchPtr batch;
};

}  // namespace farlink::bus
