// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/core/cbor_tree.hpp"

#include <algorithm>

#include "apps/bpinspect/core/octet_text.hpp"

namespace farlink::inspect {
namespace {

using codec::CborMajor;

constexpr std::string_view kEncoding = "RFC 9171 section 4.1";
constexpr std::string_view kHead = "RFC 8949 section 3";
/// No bundle nests deeper; hostile octets do.
constexpr unsigned kDeepest = 24;
/// An item of the tree takes a hundred times the memory of its octet.
constexpr std::size_t kMostItems = 200'000;

/// Reads items one after the other; stops at the first that cannot be read.
class CborWalk {
public:
    CborWalk(ByteView octets, std::uint64_t base, Deviations &deviations)
        : octets_(octets), base_(base), deviations_(deviations) {}

    CborItem item(unsigned depth) {
        CborItem item;
        item.octets.at = base_ + at_;
        item.whole = head(item) && content(item, depth);
        item.octets.size = base_ + at_ - item.octets.at;
        return item;
    }

private:
    [[nodiscard]] std::size_t left() const { return octets_.size() - at_; }

    bool fault(std::uint64_t from, std::string_view section, std::string what) {
        deviations_.add(range_between(from, base_ + at_), section, std::move(what));
        return false;
    }
    bool truncated(std::uint64_t from) {
        at_ = octets_.size();
        return fault(from, kEncoding, "the octets end inside a CBOR item");
    }

    bool head(CborItem &item) {
        const std::uint64_t from = base_ + at_;
        if (left() == 0) return truncated(from);
        if (++count_ > kMostItems)
            return fault(from, kHead,
                         "more items than bpinspect reads; the remaining items are not shown");
        const std::uint8_t initial = octets_[at_++];
        item.major = static_cast<CborMajor>(initial >> 5);
        item.argument = initial & 31;
        if (item.argument == 31) {
            item.head_size = 1;
            item.indefinite = item.major >= CborMajor::kBytes && item.major <= CborMajor::kMap;
            return item.indefinite ||
                   fault(from, kHead, "an unexpected break, or an item without an end");
        }
        if (item.argument > 27) return fault(from, kHead, "the additional information is reserved");
        if (item.argument > 23 && !argument(item, from)) return false;
        item.head_size = base_ + at_ - from;
        return true;
    }

    bool argument(CborItem &item, std::uint64_t from) {
        const std::size_t width = std::size_t{1} << (item.argument - 24);
        if (left() < width) return truncated(from);
        std::uint64_t value = 0;
        for (const std::uint8_t octet : octets_.subspan(at_, width)) value = value << 8 | octet;
        at_ += width;
        item.argument = value;
        // A simple value of two octets and floating-point numbers have their own rules.
        if (item.major != CborMajor::kSimple && codec::cbor_head_size(value) < width + 1)
            fault(from, kEncoding, "the number does not have the shortest encoding");
        return true;
    }

    bool content(CborItem &item, unsigned depth) {
        switch (item.major) {
            case CborMajor::kUnsigned:
            case CborMajor::kNegative:
            case CborMajor::kSimple:
                return true;
            case CborMajor::kBytes:
            case CborMajor::kText:
                return item.indefinite ? children(item, ~std::uint64_t{0}, depth) : string(item);
            case CborMajor::kArray:
                return children(item, item.argument, depth);
            case CborMajor::kMap:
                return children(item, std::min(item.argument, ~std::uint64_t{0} / 2) * 2, depth);
            case CborMajor::kTag:
                return children(item, 1, depth);
        }
        return false;
    }

    bool string(CborItem &item) {
        const std::size_t size = std::min<std::uint64_t>(item.argument, left());
        item.content = octets_.subspan(at_, size);
        at_ += size;
        return size == item.argument || truncated(item.octets.at);
    }

    bool children(CborItem &item, std::uint64_t count, unsigned depth) {
        if (depth == kDeepest)
            return fault(item.octets.at, kHead, "items nested more deeply than bpinspect reads");
        for (std::uint64_t i = 0; item.indefinite || i < count; ++i) {
            if (item.indefinite && left() != 0 && octets_[at_] == codec::kCborBreak) {
                ++at_;
                return true;
            }
            item.items.push_back(this->item(depth + 1));
            if (!item.items.back().whole) return false;
        }
        return true;
    }

    ByteView octets_;
    std::uint64_t base_;
    Deviations &deviations_;
    std::size_t at_ = 0;
    std::size_t count_ = 0;
};

constexpr std::size_t kMostText = 200;

std::string array_text(const CborItem &item) {
    std::string text = "[";
    for (const CborItem &each : item.items) {
        if (text.size() > kMostText) return text + ", ...]";
        text += (text.size() > 1 ? ", " : "") + cbor_text(each);
    }
    return text + "]";
}

}  // namespace

CborItem read_cbor(ByteView octets, std::uint64_t base, Deviations &deviations) {
    return CborWalk(octets, base, deviations).item(0);
}

void note_trailing(const CborItem &item, OctetRange content, std::string_view section,
                   Deviations &deviations) {
    if (item.whole && item.octets.end() < content.end())
        deviations.add(range_between(item.octets.end(), content.end()), section,
                       "octets follow the content");
}

std::string cbor_text(const CborItem &item) {
    switch (item.major) {
        case CborMajor::kUnsigned:
            return std::to_string(item.argument);
        case CborMajor::kNegative:
            return "-1-" + std::to_string(item.argument);
        case CborMajor::kBytes:
            return "h'" + hex_text(item.content, kMostText / 4) + "'";
        case CborMajor::kText:
            return '"' + printable(as_text(item.content), kMostText / 4) + '"';
        case CborMajor::kSimple:
            return item.argument == 20   ? "false"
                   : item.argument == 21 ? "true"
                                         : "simple(" + std::to_string(item.argument) + ")";
        case CborMajor::kTag:
            return std::to_string(item.argument) + array_text(item);
        case CborMajor::kArray:
        case CborMajor::kMap:
            return array_text(item);
    }
    return "?";
}

std::string kind_of(const CborItem &item) {
    static constexpr const char *kKinds[] = {"an unsigned integer",
                                             "a negative integer",
                                             "a byte string",
                                             "a text string",
                                             "an array",
                                             "a map",
                                             "a tag",
                                             "a simple value"};
    std::string text = kKinds[static_cast<std::size_t>(item.major)];
    if (item.is_array()) text += " of " + std::to_string(item.items.size()) + " items";
    if (item.indefinite && !item.is_array()) text += " of indefinite length";
    return text;
}

}  // namespace farlink::inspect
