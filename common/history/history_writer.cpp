// SPDX-License-Identifier: Apache-2.0
#include "common/history/history_writer.hpp"

#include <algorithm>
#include <cstring>

namespace farlink::history {
namespace {

std::size_t text_slots(std::string_view text) {
    return (text.size() + kTextBytes - 1) / kTextBytes;
}

std::string_view kept_name(const bp::EidView &eid) {
    return eid.name.substr(0, kMostNameBytes);
}

Word flags_of(const BundleFacts &bundle) {
    Word flags = 0;
    if (bundle.version == bp::kBpVersion6) flags |= kIsVersion6;
    if (bundle.is_fragment) flags |= kIsFragment;
    if (bundle.has_hops) flags |= kHasHops;
    if (!bundle.source.name.empty()) flags |= kSourceIsName;
    if (!bundle.destination.name.empty()) flags |= kDestinationIsName;
    if (bundle.source.is_null()) flags |= kNoSource;
    if (bundle.destination.is_null()) flags |= kNoDestination;
    if (std::max(bundle.source.name.size(), bundle.destination.name.size()) > kMostNameBytes)
        flags |= kNamesAreCut;
    return flags;
}

/// Whether a slot with more numbers follows the record.
bool needs_more(const BundleFacts &bundle, const Passage &passage) {
    const Word wide = bundle.source.service | bundle.destination.service | passage.sender.value();
    return (wide >> 32) != 0 || (bundle.creation_time >> 48) != 0 || bundle.is_fragment ||
           !bundle.source.name.empty() || !bundle.destination.name.empty();
}

}  // namespace

HistoryWriter::HistoryWriter(HistoryBlocks &blocks) : blocks_(blocks) {
    if (blocks_.count() == 0 && !blocks_.grow()) return;
    find_newest();
}

void HistoryWriter::find_newest() {
    for (std::size_t i = 0; i < blocks_.count(); ++i) {
        Word *const words = blocks_.block(i).data();
        const Word number = get(words[kNumberWord]);
        const Word used = get(words[kUsedWord]);
        if (number <= number_ || number > kMostNumber || used < kFirstRecord || used > kBlockSlots)
            continue;
        block_ = words;
        index_ = i;
        number_ = number;
        used_ = static_cast<std::size_t>(used);
        last_time_ = get(words[kLastTimeWord]);
    }
    tag_ = tag_of(number_);
    // Nothing was written yet: the first record begins the first block.
    if (block_ == nullptr) block_ = blocks_.block(0).data();
}

void HistoryWriter::begin_block(DtnTime now) {
    const bool follows = number_ > 0 && (index_ + 1 < blocks_.count() || blocks_.grow());
    index_ = follows ? index_ + 1 : 0;
    block_ = blocks_.block(index_).data();
    put(block_[kNumberWord], 0);
    for (std::size_t i = kUsedWord; i < kFirstRecord * kSlotWords; ++i) put(block_[i], 0);
    used_ = kFirstRecord;
    put(block_[kUsedWord], used_);
    put(block_[kFirstTimeWord], now);
    put(block_[kLastTimeWord], now);
    last_time_ = now;
    has_last_source_ = has_last_ = false;
    tag_ = tag_of(++number_);
    put(block_[kNumberWord], number_);
}

// Bundles of one source often come one after another.
void HistoryWriter::note_source(Word key) {
    if (has_last_source_ && key == last_source_) return;
    last_source_ = key;
    has_last_source_ = true;
    for (const std::size_t bit : filter_bits(key)) {
        Word &word = block_[kSlotWords + bit / 64];
        put(word, get(word) | Word{1} << (bit % 64));
    }
}

void HistoryWriter::add(const BundleFacts &bundle, const Passage &passage) {
    if (block_ == nullptr) return;
    const std::string_view source = kept_name(bundle.source);
    const std::string_view destination = kept_name(bundle.destination);
    const bool more = needs_more(bundle, passage);
    const std::size_t slots =
        more ? 2 + text_slots(source) + text_slots(destination) : std::size_t{1};
    if (used_ + slots > kBlockSlots) begin_block(passage.time);
    const Word source_key = key_of(bundle.source);
    note_source(source_key);
    Word *const slot = block_ + used_ * kSlotWords;
    last_ = {source_key,
             key_of(bundle.destination),
             0,
             0,
             (passage.time & kMask48) | static_cast<Word>(passage.ending) << 48 |
                 Word{passage.reason} << 56,
             (bundle.source.service & kMask32) << 32 | (bundle.destination.service & kMask32),
             Word{bundle.hops} << 40 | flags_of(bundle) << 48 | Word{slots - 1} << 56,
             Word{passage.link.value()} << 32 | (passage.sender.value() & kMask32)};
    has_last_ = !more;
    put(slot[0], last_[0]);
    put(slot[1], last_[1]);
    put(slot[2], bundle.sequence);
    put(slot[3], (bundle.creation_time & kMask48) | tag_);
    put(slot[4], last_[4]);
    put(slot[5], last_[5]);
    put(slot[6], last_[6] | std::min(passage.size, kMask40));
    put(slot[7], last_[7]);
    if (more) write_numbers(slot + kSlotWords, bundle, passage, source, destination);
    used_ += slots;
    put(block_[kUsedWord], used_);
    if (passage.time == last_time_) return;
    last_time_ = passage.time;
    put(block_[kLastTimeWord], last_time_);
}

void HistoryWriter::write_numbers(Word *slot, const BundleFacts &bundle, const Passage &passage,
                                  std::string_view source, std::string_view destination) const {
    put(slot[0], tag_ | source.size() << 16 | destination.size());
    put(slot[1], bundle.fragment_offset);
    put(slot[2], bundle.fragment_length);
    put(slot[3], bundle.source.service);
    put(slot[4], bundle.destination.service);
    put(slot[5], passage.sender.value());
    put(slot[6], bundle.creation_time);
    put(slot[7], 0);
    slot += kSlotWords;
    write_text(slot, source);
    write_text(slot + text_slots(source) * kSlotWords, destination);
}

void HistoryWriter::write_text(Word *slot, std::string_view text) const {
    for (; !text.empty(); slot += kSlotWords) {
        std::array<Word, kSlotWords - 1> words{};
        const std::size_t size = std::min(text.size(), kTextBytes);
        std::memcpy(words.data(), text.data(), size);
        put(slot[0], tag_);
        for (std::size_t i = 0; i < words.size(); ++i) put(slot[i + 1], words[i]);
        text.remove_prefix(size);
    }
}

void HistoryWriter::add_unrecorded(std::uint64_t bundles) {
    if (block_ == nullptr) return;
    if (number_ == 0) begin_block(0);
    put(block_[kUnrecordedWord], get(block_[kUnrecordedWord]) + bundles);
}

}  // namespace farlink::history
