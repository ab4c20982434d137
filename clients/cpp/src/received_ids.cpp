// SPDX-License-Identifier: Apache-2.0
#include "clients/cpp/src/received_ids.hpp"

#include <algorithm>
#include <utility>

#include "clients/cpp/src/random_text.hpp"

namespace farlink::client {
namespace {

constexpr std::size_t kFirstSlots = 256;
constexpr std::uint64_t kTogether = 7;

__extension__ using Product = unsigned __int128;

/// Both halves of the product of 64-bit numbers, folded.
std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
    const Product product = static_cast<Product>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

std::uint64_t word_of(std::string_view text, std::size_t at) {
    std::uint64_t word = 0;
    for (std::size_t octet = at; octet < std::min(at + 8, text.size()); ++octet)
        word = word << 8 | static_cast<std::uint8_t>(text[octet]);
    return word;
}

}  // namespace

ReceivedIds::ReceivedIds()
    : secret_{random_number() | 1, random_number() | 1}, slots_(kFirstSlots) {}

ReceivedIds::Key ReceivedIds::key_of(const Adu &adu) const {
    // Some nodes give all their reports of one second the same id.
    if (adu.source.empty() || adu.source == "dtn:none" || adu.is_status_report) return 0;
    std::uint64_t hash = mix(secret_[0] ^ adu.source.size(), secret_[1]);
    for (std::size_t at = 0; at < adu.source.size(); at += 8)
        hash = mix(hash ^ word_of(adu.source, at), secret_[1]);
    hash = mix(hash ^ adu.creation_ms, secret_[0]);
    hash = mix(hash ^ (adu.sequence & ~kTogether), secret_[1]);
    const Key key = (hash & ~kTogether) | (adu.sequence & kTogether);
    return key == 0 ? kTogether + 1 : key;
}

// Its slot, or the free one where it would be.
std::size_t ReceivedIds::place_of(Key key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = key & mask;
    while (slots_[place].key != 0 && slots_[place].key != key) place = (place + 1) & mask;
    return place;
}

const std::uint64_t *ReceivedIds::find(Key key) const {
    const Slot &slot = slots_[place_of(key)];
    return slot.key == 0 ? nullptr : &slot.number;
}

void ReceivedIds::hold(Key key, std::uint64_t number) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    slots_[place_of(key)] = {key, number};
    ++used_;
}

void ReceivedIds::accept(Key key) {
    slots_[place_of(key)].number = kAccepted;
    if (accepted_.size() < kMostAccepted) return accepted_.push_back(key);
    erase(std::exchange(accepted_[oldest_], key));
    oldest_ = (oldest_ + 1) % kMostAccepted;
}

// What lies behind moves up, so that no search ends too early.
void ReceivedIds::erase(Key key) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t free = place_of(key);
    for (std::size_t next = (free + 1) & mask; slots_[next].key != 0; next = (next + 1) & mask) {
        const std::size_t wanted = slots_[next].key & mask;
        if (((next - wanted) & mask) < ((next - free) & mask)) continue;
        slots_[free] = slots_[next];
        free = next;
    }
    slots_[free] = {};
    --used_;
}

void ReceivedIds::grow() {
    const std::vector<Slot> old = std::exchange(slots_, std::vector<Slot>(2 * slots_.size()));
    for (const Slot &slot : old)
        if (slot.key != 0) slots_[place_of(slot.key)] = slot;
}

}  // namespace farlink::client
