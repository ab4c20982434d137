// SPDX-License-Identifier: Apache-2.0
// The writer and the reader of a bus message: numbers, enums, lists and nested structures.
// Included by wire_fields.hpp, which has the fields of each message. Any thread; each for one
// message.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "common/base/invariant.hpp"
#include "common/bus/wire/wire.hpp"

namespace farlink::bus {

/// The largest value of each encoded enum; the reader refuses larger ones.
template <class Enum>
inline constexpr Enum kLastValue = Enum::undefined;

class WireWriter {
public:
    static constexpr bool kReads = false;
    explicit WireWriter(Bytes &to) : to_(to) {}

    template <class... Fields>
    void operator()(const Fields &...values) {
        (put(values), ...);
    }
    void count(std::size_t items) {
        FARLINK_INVARIANT(items <= 0xffffffffU);
        put(static_cast<std::uint32_t>(items));
    }

private:
    template <std::unsigned_integral Integer>
    void put(Integer value) {
        std::array<std::uint8_t, sizeof value> octets;
        for (std::size_t at = 0; at < octets.size(); ++at)
            octets[at] = static_cast<std::uint8_t>(std::uint64_t{value} >> (8 * at));
        to_.insert(to_.end(), octets.begin(), octets.end());
    }
    template <class Enum>
        requires std::is_enum_v<Enum>
    void put(Enum value) {
        put(static_cast<std::underlying_type_t<Enum>>(value));
    }
    template <class Tag, class Rep>
    void put(Strong<Tag, Rep> value) {
        put(value.value());
    }
    void put(Duration value) { put(static_cast<std::uint64_t>(value.count())); }
    void put(const Bytes &octets) {
        count(octets.size());
        append(to_, octets);
    }
    template <class Item>
    void put(const std::vector<Item> &items) {
        count(items.size());
        for (const Item &item : items) put(item);
    }
    template <class Struct>
        requires std::is_class_v<Struct>
    void put(const Struct &value) {
        fields(*this, value);
    }

    Bytes &to_;
};

/// After the first error every value is zero; error() returns it at the end.
class WireReader {
public:
    static constexpr bool kReads = true;
    explicit WireReader(ByteView from) : rest_(from) {}

    template <class... Fields>
    void operator()(Fields &...values) {
        (get(values), ...);
    }
    /// The length of a list with items of at least `least_octets`; never more than the remaining
    /// octets can hold, so that a list can be reserved.
    [[nodiscard]] std::size_t count(std::size_t least_octets) {
        std::uint32_t items = 0;
        get(items);
        if (items <= rest_.size() / least_octets) return items;
        fail_with(WireError::kTruncated);
        return 0;
    }
    void fail_with(WireError error) {
        if (!error_) error_ = error;
        rest_ = {};
    }
    /// The first error, or kTrailingOctets.
    [[nodiscard]] std::optional<WireError> error() const {
        if (error_) return error_;
        if (!rest_.empty()) return WireError::kTrailingOctets;
        return std::nullopt;
    }
    [[nodiscard]] bool failed() const { return error_.has_value(); }

private:
    template <std::unsigned_integral Integer>
    void get(Integer &value) {
        value = 0;
        if (rest_.size() < sizeof value) return fail_with(WireError::kTruncated);
        std::uint64_t wide = 0;
        for (std::size_t index = 0; index < sizeof value; ++index)
            wide |= std::uint64_t{rest_[index]} << (8 * index);
        value = static_cast<Integer>(wide);
        rest_ = rest_.subspan(sizeof value);
    }
    void get(bool &value) {
        std::uint8_t octet = 0;
        get(octet);
        if (octet > 1) fail_with(WireError::kBadValue);
        value = octet == 1;
    }
    template <class Enum>
        requires std::is_enum_v<Enum>
    void get(Enum &value) {
        std::underlying_type_t<Enum> raw = 0;
        get(raw);
        if (raw > static_cast<std::underlying_type_t<Enum>>(kLastValue<Enum>)) {
            fail_with(WireError::kBadValue);
            raw = 0;
        }
        value = static_cast<Enum>(raw);
    }
    template <class Tag, class Rep>
    void get(Strong<Tag, Rep> &value) {
        Rep raw = 0;
        get(raw);
        value = Strong<Tag, Rep>{raw};
    }
    void get(Duration &value) {
        std::uint64_t raw = 0;
        get(raw);
        value = Duration{static_cast<std::int64_t>(raw)};
    }
    void get(Bytes &octets) {
        const std::size_t length = count(1);
        octets.assign(rest_.begin(), rest_.begin() + static_cast<std::ptrdiff_t>(length));
        rest_ = rest_.subspan(length);
    }
    template <class Item>
    void get(std::vector<Item> &items) {
        items.resize(count(least_octets<Item>()));
        for (Item &item : items) get(item);
    }
    template <class Struct>
        requires std::is_class_v<Struct>
    void get(Struct &value) {
        fields(*this, value);
    }

    /// An item with empty lists is the shortest one.
    template <class Item>
    [[nodiscard]] static std::size_t least_octets() {
        static const std::size_t octets = [] {
            Bytes shortest;
            WireWriter{shortest}(Item{});
            return shortest.size();
        }();
        return octets;
    }

    ByteView rest_;
    std::optional<WireError> error_;
};

}  // namespace farlink::bus
