// SPDX-License-Identifier: Apache-2.0
#include "common/history/history_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <string>

namespace farlink::history {
namespace {

/// Slots in use of a block, whatever its octets are.
std::size_t used_of(const Word *block) {
    const Word used = get(block[kUsedWord]);
    return used < kFirstRecord ? kFirstRecord
                               : static_cast<std::size_t>(std::min<Word>(used, kBlockSlots));
}

bool is_number(Word number) {
    return number > 0 && number <= kMostNumber;
}

bool may_have(const Word *block, Word source_key) {
    return std::ranges::all_of(filter_bits(source_key), [&](std::size_t bit) {
        return (get(block[kSlotWords + bit / 64]) >> (bit % 64) & 1) != 0;
    });
}

/// A record and the slots that follow it, as they are at one moment.
struct RawRecord {
    std::array<Word, kMostSlots * kSlotWords> words{};
    std::size_t slots = 1;

    /// Empty: what is there is no record of this round of the ring.
    static std::optional<RawRecord> read(const Word *block, std::size_t slot, std::size_t used,
                                         Word tag) {
        const Word *const from = block + slot * kSlotWords;
        RawRecord raw;
        for (std::size_t i = 0; i < kSlotWords; ++i) raw.words[i] = get(from[i]);
        raw.slots = 1 + static_cast<std::size_t>(raw.words[6] >> 56);
        const auto ending = static_cast<std::uint8_t>(raw.words[4] >> 48);
        if ((raw.words[3] & ~kMask48) != tag || ending == 0 ||
            ending > static_cast<std::uint8_t>(kLastEnding))
            return std::nullopt;
        if (raw.slots > kMostSlots || slot + raw.slots > used) return std::nullopt;
        for (std::size_t i = kSlotWords; i < raw.slots * kSlotWords; ++i) {
            raw.words[i] = get(from[i]);
            if (i % kSlotWords == 0 && (raw.words[i] & ~kMask48) != tag) return std::nullopt;
        }
        return raw;
    }

    [[nodiscard]] std::uint8_t flags() const { return static_cast<std::uint8_t>(words[6] >> 48); }
    [[nodiscard]] bool has_more() const { return slots > 1; }

    /// `size` octets from text slot `slot` on; moves `slot` behind them.
    [[nodiscard]] std::string text(std::size_t size, std::size_t &slot) const {
        std::string read;
        while (size > 0 && slot < slots) {
            const std::size_t part = std::min(size, kTextBytes);
            const auto old = read.size();
            read.resize(old + part);
            std::memcpy(read.data() + old, &words[slot * kSlotWords + 1], part);
            size -= part;
            ++slot;
        }
        return read;
    }

    [[nodiscard]] PastBundle decode() const {
        PastBundle bundle;
        const std::uint8_t bits = flags();
        const Word *const more = &words[kSlotWords];
        std::size_t slot = 2;
        std::string source;
        std::string destination;
        if (has_more()) {
            source = text(static_cast<std::size_t>(more[0] >> 16 & 0xffff), slot);
            destination = text(static_cast<std::size_t>(more[0] & 0xffff), slot);
        }
        const Word source_service = has_more() ? more[3] : words[5] >> 32;
        const Word destination_service = has_more() ? more[4] : words[5] & kMask32;
        const auto eid = [](bool is_name, bool is_null, Word node, Word service,
                            std::string_view name) {
            if (is_null) return bp::Eid();
            if (!is_name) return bp::Eid(node, service);
            const auto scheme =
                name.starts_with("//") ? bp::EidScheme::kDtn : bp::EidScheme::kOther;
            return bp::Eid(bp::EidView{scheme, 0, 0, name});
        };
        bundle.id.source = eid((bits & kSourceIsName) != 0, (bits & kNoSource) != 0, words[0],
                               source_service, source);
        bundle.destination = eid((bits & kDestinationIsName) != 0, (bits & kNoDestination) != 0,
                                 words[1], destination_service, destination);
        bundle.id.sequence = words[2];
        bundle.id.creation_time = has_more() ? more[6] : words[3] & kMask48;
        if ((bits & kIsFragment) != 0 && has_more())
            bundle.id.fragment = bp::FragmentExtent{more[1], more[2]};
        bundle.version = (bits & kIsVersion6) != 0 ? bp::kBpVersion6 : 7;
        if ((bits & kHasHops) != 0) bundle.hops = static_cast<std::uint8_t>(words[6] >> 40);
        bundle.cut_names = (bits & kNamesAreCut) != 0;
        bundle.passage.ending = static_cast<Ending>(words[4] >> 48 & 0xff);
        bundle.passage.reason = static_cast<std::uint8_t>(words[4] >> 56);
        bundle.passage.time = words[4] & kMask48;
        bundle.passage.size = words[6] & kMask40;
        bundle.passage.link = LinkId{static_cast<std::uint32_t>(words[7] >> 32)};
        bundle.passage.sender = NodeNumber{has_more() ? more[5] : words[7] & kMask32};
        return bundle;
    }
};

/// Calls `visit(record)` for the records of a block from `slot` on, while it returns true. Returns
/// the slot behind them.
template <class Visit>
std::size_t for_each_record(const Word *block, Word number, std::size_t slot, Visit &&visit) {
    const std::size_t used = used_of(block);
    while (slot < used) {
        const auto raw = RawRecord::read(block, slot, used, tag_of(number));
        if (!raw) {  // an octet of it never reached the disk
            ++slot;
            continue;
        }
        if (!visit(*raw)) break;
        slot += raw->slots;
    }
    return slot;
}

std::optional<std::uint64_t> number_in(std::string_view text) {
    std::uint64_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (text.empty() || read.ec != std::errc{} || read.ptr != text.data() + text.size())
        return std::nullopt;
    return number;
}

/// What follows the last slash, which is cut off with it.
std::string_view take_last(std::string_view &text) {
    const std::size_t slash = text.rfind('/');
    if (slash == std::string_view::npos) return {};
    const std::string_view last = text.substr(slash + 1);
    text = text.substr(0, slash);
    return last;
}

std::optional<BundleQuery> parse_id(std::string_view text) {
    BundleQuery query;
    std::string_view last = take_last(text);
    if (const std::size_t plus = last.find('+'); plus != std::string_view::npos) {
        const auto offset = number_in(last.substr(0, plus));
        const auto length = number_in(last.substr(plus + 1));
        if (!offset || !length) return std::nullopt;
        query.fragment = bp::FragmentExtent{*offset, *length};
        last = take_last(text);
    }
    query.sequence = number_in(last);
    query.creation_time = number_in(take_last(text));
    const auto source = bp::Eid::parse(text);
    if (!query.sequence || !query.creation_time || !source) return std::nullopt;
    query.source = *source;
    return query;
}

}  // namespace

std::optional<BundleQuery> parse_bundle_query(std::string_view text) {
    if (auto query = parse_id(text)) return query;
    const auto source = bp::Eid::parse(text);
    if (!source) return std::nullopt;
    return BundleQuery{.source = *source};
}

bool BundleQuery::matches(const bp::BundleId &id) const {
    return id.source == source && creation_time.value_or(id.creation_time) == id.creation_time &&
           sequence.value_or(id.sequence) == id.sequence && (!fragment || id.fragment == fragment);
}

std::vector<std::size_t> HistoryReader::newest_first() const {
    std::vector<std::pair<Word, std::size_t>> blocks;
    for (std::size_t i = 0; i < count(); ++i)
        if (const Word number = get(block(i)[kNumberWord]); is_number(number))
            blocks.emplace_back(number, i);
    std::ranges::sort(blocks, std::greater<>());
    std::vector<std::size_t> order;
    order.reserve(blocks.size());
    for (const auto &each : blocks) order.push_back(each.second);
    return order;
}

bool HistoryReader::search(const BundleQuery &query, std::size_t limit,
                           std::vector<PastBundle> &found, SearchCounts &counts) const {
    const Word key = key_of(query.source.view());
    const std::size_t most = found.size() + limit;
    std::vector<PastBundle> of_block;
    for (const std::size_t index : newest_first()) {
        const Word *const words = block(index);
        const Word number = get(words[kNumberWord]);
        if (!is_number(number)) continue;
        ++counts.blocks;
        counts.unrecorded += get(words[kUnrecordedWord]);
        counts.oldest = std::min<DtnTime>(counts.oldest, get(words[kFirstTimeWord]));
        if (!may_have(words, key)) {
            ++counts.passed_over;
            continue;
        }
        of_block.clear();
        for_each_record(words, number, kFirstRecord, [&](const RawRecord &raw) {
            if (raw.words[0] != key) return true;
            PastBundle bundle = raw.decode();
            if (query.matches(bundle.id)) of_block.push_back(std::move(bundle));
            return true;
        });
        if (get(words[kNumberWord]) != number) {
            ++counts.overwritten;
            continue;
        }
        for (; !of_block.empty(); of_block.pop_back()) {
            if (found.size() == most) return false;
            found.push_back(std::move(of_block.back()));
        }
    }
    return true;
}

HistoryPlace HistoryReader::end() const {
    HistoryPlace place;
    for (std::size_t i = 0; i < count(); ++i)
        if (const Word number = get(block(i)[kNumberWord]);
            is_number(number) && number > place.number)
            place = {i, number, used_of(block(i))};
    return place;
}

std::uint64_t HistoryReader::follow(HistoryPlace &place, std::size_t limit,
                                    std::vector<PastBundle> &found) const {
    std::uint64_t passed_over = 0;
    const std::size_t most = found.size() + limit;
    while (found.size() < most) {
        if (place.number == 0 || place.index >= count() ||
            get(block(place.index)[kNumberWord]) != place.number) {
            const HistoryPlace newest = end();
            if (newest.number == 0) return passed_over;
            if (place.number != 0) passed_over += (newest.number - place.number) * kRecordsPerBlock;
            place = {newest.index, newest.number, kFirstRecord};
        }
        const std::size_t before = found.size();
        const Word *const words = block(place.index);
        const std::size_t behind =
            for_each_record(words, place.number, place.slot, [&](const RawRecord &raw) {
                if (found.size() == most) return false;
                found.push_back(raw.decode());
                return true;
            });
        if (get(words[kNumberWord]) != place.number) {
            found.resize(before);
            continue;
        }
        place.slot = behind;
        if (found.size() == most) break;
        // The next block is the one behind it, or the first one.
        const std::size_t next = place.index + 1 < count() ? place.index + 1 : 0;
        const auto is_next = [&](std::size_t index) {
            return get(block(index)[kNumberWord]) == place.number + 1;
        };
        if (!is_next(next) && !is_next(0)) break;
        place = {is_next(next) ? next : 0, place.number + 1, kFirstRecord};
    }
    return passed_over;
}

}  // namespace farlink::history
