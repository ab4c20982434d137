// SPDX-License-Identifier: Apache-2.0
#include "common/bus/zmq/zmq_bus_parcel.hpp"

#include <atomic>
#include <memory>
#include <utility>

#include "common/base/invariant.hpp"

namespace farlink::bus {
namespace {

/// A message in transit between two threads. ZeroMQ carries its address inline; the atomic word
/// shows the thread sanitizer the hand-over inside the library.
struct Parcel {
    Message message;
    std::atomic<std::uint32_t> handed_over{0};
};

constexpr std::uint64_t kParcel = 0xffff;

// A batch is its own envelope: no allocation on the data path.
template <class Data>
constexpr bool is_batch_message =
    std::is_same_v<Data, ForwardBatch> || std::is_same_v<Data, StoreBatch> ||
    std::is_same_v<Data, ReleaseBatch> || std::is_same_v<Data, BatchOutcome>;

BatchPtr take_batch(std::uintptr_t address) {
    BatchPtr batch(reinterpret_cast<Batch *>(address));
    batch->take();
    return batch;
}

}  // namespace

Envelope pack(Message message) {
    const std::uint64_t kind = message.index();
    return std::visit(
        [&](auto &data) -> Envelope {
            using Data = std::decay_t<decltype(data)>;
            if constexpr (is_batch_message<Data>) {
                data.batch->give();
                return {kind, reinterpret_cast<std::uintptr_t>(data.batch.release())};
            } else {
                auto parcel = std::make_unique<Parcel>();
                parcel->message = std::move(data);
                parcel->handed_over.store(1, std::memory_order_release);
                return {kParcel, reinterpret_cast<std::uintptr_t>(parcel.release())};
            }
        },
        message);
}

Message unpack(const Envelope &envelope) {
    switch (envelope.kind) {
        case 0:
            return ForwardBatch{take_batch(envelope.address)};
        case 1:
            return StoreBatch{take_batch(envelope.address)};
        case 2:
            return ReleaseBatch{take_batch(envelope.address)};
        case 3:
            return BatchOutcome{take_batch(envelope.address)};
        default:
            break;
    }
    const std::unique_ptr<Parcel> parcel(reinterpret_cast<Parcel *>(envelope.address));
    FARLINK_INVARIANT(parcel->handed_over.load(std::memory_order_acquire) == 1);
    return std::move(parcel->message);
}

}  // namespace farlink::bus
