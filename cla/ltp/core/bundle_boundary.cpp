// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/bundle_boundary.hpp"

#include <algorithm>

namespace farlink::cla::ltp {
namespace {

constexpr std::uint8_t kVersion6 = 6;
/// CBOR: an array of indefinite length, and its end (RFC 8949 section 3.2).
constexpr std::uint8_t kIndefiniteArray = 0x9f;
constexpr std::uint8_t kBreak = 0xff;
/// Items within items within a block: an endpoint id has two levels.
constexpr int kDeepest = 8;

/// RFC 8949 section 3: major type and argument of a head of definite length.
struct Head {
    std::uint8_t major = 0;
    std::uint64_t argument = 0;
};

std::optional<Head> read_head(ChainCursor &cursor) {
    const auto first = cursor.next();
    if (!first) return std::nullopt;
    Head head{static_cast<std::uint8_t>(*first >> 5), *first & 0x1fU};
    if (head.argument < 24) return head;
    if (head.argument > 27) return std::nullopt;
    const int octets = 1 << (head.argument - 24);
    head.argument = 0;
    for (int i = 0; i < octets; ++i) {
        const auto octet = cursor.next();
        if (!octet) return std::nullopt;
        head.argument = head.argument << 8 | *octet;
    }
    return head;
}

bool skip_item(ChainCursor &cursor, int depth) {
    const auto head = read_head(cursor);
    if (!head || depth == 0) return false;
    switch (head->major) {
        case 0:  // unsigned
        case 1:  // negative
        case 7:  // simple values and floats: the argument is the value
            return true;
        case 2:  // octets
        case 3:  // text
            return cursor.skip(head->argument);
        case 4:  // array
            for (std::uint64_t i = 0; i < head->argument; ++i)
                if (!skip_item(cursor, depth - 1)) return false;
            return true;
        default:
            return false;  // bundles have neither maps nor tags
    }
}

// RFC 9171 section 4.1: an indefinite array of blocks, each an array of definite length.
bool skip_v7(ChainCursor &cursor) {
    static_cast<void>(cursor.next());
    while (const auto first = cursor.peek()) {
        if (*first == kBreak) return cursor.skip(1);
        if (*first >> 5 != 4 || !skip_item(cursor, kDeepest)) return false;
    }
    return false;
}

// RFC 5050 section 4.5.2: type, flags, references, length, data.
bool skip_v6_block(ChainCursor &cursor, bool &last) {
    constexpr std::uint64_t kLastBlock = 0x08;
    constexpr std::uint64_t kHasReferences = 0x40;
    if (!cursor.skip(1)) return false;
    const auto flags = cursor.sdnv();
    if (!flags) return false;
    last = (*flags & kLastBlock) != 0;
    if ((*flags & kHasReferences) != 0) {
        const auto count = cursor.sdnv();
        if (!count) return false;
        for (std::uint64_t i = 0; i < *count; ++i)
            if (!cursor.sdnv() || !cursor.sdnv()) return false;
    }
    const auto length = cursor.sdnv();
    return length && cursor.skip(*length);
}

// RFC 5050 section 4.5.1: version, flags, length of the rest of the primary block.
bool skip_v6(ChainCursor &cursor) {
    if (!cursor.skip(1) || !cursor.sdnv()) return false;
    const auto length = cursor.sdnv();
    if (!length || !cursor.skip(*length)) return false;
    bool last = false;
    while (!last)
        if (!skip_v6_block(cursor, last)) return false;
    return true;
}

}  // namespace

void ChainCursor::settle() {
    while (!slices_.empty() && offset_ == slices_.front().size()) {
        slices_ = slices_.subspan(1);
        offset_ = 0;
    }
}

std::optional<std::uint8_t> ChainCursor::peek() const {
    if (done()) return std::nullopt;
    return slices_.front()[offset_];
}

std::optional<std::uint8_t> ChainCursor::next() {
    const auto octet = peek();
    if (!octet) return std::nullopt;
    ++offset_;
    ++position_;
    settle();
    return octet;
}

bool ChainCursor::skip(std::uint64_t bytes) {
    while (bytes > 0 && !done()) {
        const std::uint64_t part =
            std::min<std::uint64_t>(bytes, slices_.front().size() - offset_);
        offset_ += static_cast<std::size_t>(part);
        position_ += part;
        bytes -= part;
        settle();
    }
    return bytes == 0;
}

std::optional<std::uint64_t> ChainCursor::sdnv() {
    std::uint64_t value = 0;
    while (const auto octet = next()) {
        if (value >> 57 != 0) return std::nullopt;
        value = value << 7 | (*octet & 0x7fU);
        if ((*octet & 0x80U) == 0) return value;
    }
    return std::nullopt;
}

bool skip_bundle(ChainCursor &cursor) {
    const auto first = cursor.peek();
    if (!first) return false;
    if (*first == kIndefiniteArray) return skip_v7(cursor);
    if (*first == kVersion6) return skip_v6(cursor);
    return false;
}

}  // namespace farlink::cla::ltp
