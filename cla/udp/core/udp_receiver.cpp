// SPDX-License-Identifier: Apache-2.0
#include "cla/udp/core/udp_receiver.hpp"

#include <algorithm>
#include <cstring>

namespace farlink::cla::udp {
namespace {

constexpr std::uint32_t kLeastSlot = 256;
/// The end of a slab that has less room than this is left unused.
constexpr std::uint32_t kLeastSpace = 16 * 1024;
constexpr std::array<std::uint8_t, 4> kKeepAlive{};  ///< RFC 7122 section 3.4

}  // namespace

UdpReceiver::UdpReceiver(std::uint64_t max_bundle_bytes)
    : max_bundle_bytes_(max_bundle_bytes),
      spill_(std::make_unique_for_overwrite<std::uint8_t[]>(kMaxMessages * kMessageBytes)) {}

std::span<const UdpReceiver::Space> UdpReceiver::prepare(ReadBuffer &buffer) {
    const std::uint32_t slab_bytes = buffer.pool().slab_bytes();
    slot_bytes_ = std::min(slot_bytes_, slab_bytes);
    const MutableBytes space =
        buffer.space(std::min(std::max(slot_bytes_, kLeastSpace), slab_bytes));
    const std::size_t count = std::min<std::size_t>(space.size() / slot_bytes_, kMaxMessages);
    for (std::size_t i = 0; i < count; ++i)
        spaces_[i] = {space.subspan(i * slot_bytes_, slot_bytes_),
                      {spill_.get() + i * kMessageBytes, kMessageBytes - slot_bytes_}};
    return {spaces_.data(), count};
}

void UdpReceiver::handle_messages(std::span<const InMessage> messages, ReadBuffer &buffer,
                                  ReceivedBundles &out) {
    std::uint32_t largest = 0;
    std::size_t total = 0;
    for (const InMessage &message : messages) {
        largest = std::max(largest, message.size);
        total += message.size;
    }
    const MutableBytes space = buffer.unused();
    const std::size_t slots_end = messages.size() * slot_bytes_;
    const bool spilled = largest > slot_bytes_;
    const bool mostly_empty = total < slots_end / 2;
    // Where the next message that is moved goes to; later slots lie behind it.
    std::size_t end = spilled ? slots_end : 0;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const std::uint32_t size = messages[i].size;
        Placed placed;
        if (size > slot_bytes_) {
            placed = join(i, size, space.subspan(end), buffer);
            if (!placed.slab) {
                ++counters_.no_memory;
                continue;
            }
            if (placed.slab == buffer.slab()) end += size;
        } else if (mostly_empty && !spilled) {
            std::memmove(space.data() + end, spaces_[i].slot.data(), size);
            placed = {buffer.slab(), space.subspan(end, size)};
            end += size;
        } else {
            placed = {buffer.slab(), spaces_[i].slot.first(size)};
            end = std::max(end, i * slot_bytes_ + size);
        }
        split(placed, messages[i].segment_size, out);
    }
    buffer.commit(end);
    adapt(largest);
}

// A message whose end lies in the spill space moves to `room` or, if that is too small, to memory
// of its own.
UdpReceiver::Placed UdpReceiver::join(std::size_t index, std::uint32_t size, MutableBytes room,
                                      ReadBuffer &buffer) {
    SlabRef slab = size <= room.size() ? buffer.slab() : buffer.pool().acquire_sized(size);
    if (!slab) return {};
    std::uint8_t *const to = slab == buffer.slab() ? room.data() : slab->data;
    std::memcpy(to, spaces_[index].slot.data(), slot_bytes_);
    std::memcpy(to + slot_bytes_, spaces_[index].spill.data(), size - slot_bytes_);
    return {std::move(slab), {to, size}};
}

void UdpReceiver::split(const Placed &message, std::uint32_t segment_size, ReceivedBundles &out) {
    ByteView rest = message.octets;
    if (segment_size == 0 || segment_size >= rest.size()) return accept(message.slab, rest, out);
    ++counters_.coalesced;
    while (!rest.empty()) {
        const std::size_t size = std::min<std::size_t>(segment_size, rest.size());
        accept(message.slab, rest.first(size), out);
        rest = rest.subspan(size);
    }
}

void UdpReceiver::accept(const SlabRef &slab, ByteView datagram, ReceivedBundles &out) {
    if (datagram.empty()) {
        ++counters_.empty;
    } else if (std::ranges::equal(datagram, kKeepAlive)) {
        ++counters_.keep_alives;
    } else if (datagram.size() > max_bundle_bytes_) {
        ++counters_.too_large;
    } else {
        ++counters_.bundles;
        counters_.bytes += datagram.size();
        out.add(slab, datagram);
    }
}

// Slots grow at once and shrink slowly, so that few messages spill where sizes vary.
void UdpReceiver::adapt(std::uint32_t largest) {
    const std::uint32_t shrunk = slot_bytes_ - slot_bytes_ / 8;
    slot_bytes_ = std::clamp(std::max(largest, shrunk), kLeastSlot, kMessageBytes);
}

}  // namespace farlink::cla::udp
