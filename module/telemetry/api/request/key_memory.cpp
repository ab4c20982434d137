// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/request/key_memory.hpp"

#include "common/base/bytes.hpp"

namespace farlink::telemetry {
namespace {

/// Apart from the sequence numbers of bundles without a key, and exact as a number of JSON.
constexpr std::uint64_t kSequenceMask = 0x7fff'ffff'ffff;
constexpr std::uint64_t kSequenceMark = std::uint64_t{1} << 47;

constexpr std::uint64_t sequence_of(std::uint64_t key) {
    return (key & kSequenceMask) | kSequenceMark;
}

}  // namespace

std::uint64_t KeyMemory::hash(std::string_view text) const {
    return siphash128(secret_, as_bytes(text)).low;
}

KeyMemory::Entry *KeyMemory::find(std::string_view key) {
    const auto found = entries_.find(hash(key));
    return found == entries_.end() ? nullptr : &found->second;
}

KeyMemory::Found KeyMemory::begin(std::string_view key, std::string_view content,
                                  std::uint64_t now_ms) {
    const std::uint64_t number = hash(key);
    const std::uint64_t fingerprint = hash(content);
    const auto [at, is_new] = entries_.try_emplace(number);
    Entry &entry = at->second;
    if (is_new || entry.refused) {
        entry = {State::kOpen, fingerprint, false, now_ms};
        if (is_new) order_.push_back(number);
    }
    const Found found{entry.state, entry.content != fingerprint, entry.creation_ms,
                      sequence_of(number)};
    if (found.state == State::kOpen && !found.other) entry.state = State::kUnderWay;
    if (is_new) make_room();
    return found;
}

void KeyMemory::accept(std::string_view key) {
    if (Entry *entry = find(key)) entry->state = State::kAccepted;
}

void KeyMemory::refuse(std::string_view key) {
    Entry *entry = find(key);
    if (entry == nullptr) return;
    entry->state = State::kOpen;
    entry->refused = true;
}

void KeyMemory::leave_open(std::string_view key) {
    if (Entry *entry = find(key)) entry->state = State::kOpen;
}

// Requests under way are few; each is passed over once.
void KeyMemory::make_room() {
    for (std::size_t left = order_.size(); entries_.size() > most_ && left > 0; --left) {
        const std::uint64_t oldest = order_.front();
        order_.pop_front();
        if (entries_.at(oldest).state == State::kUnderWay)
            order_.push_back(oldest);
        else
            entries_.erase(oldest);
    }
}

}  // namespace farlink::telemetry
