// SPDX-License-Identifier: Apache-2.0
#include "common/bp/bpsec/block/cbor_items.hpp"

namespace farlink::bp::bpsec {
namespace {

using codec::CborMajor;
using codec::CborReader;

constexpr std::uint8_t kIndefiniteLength = 31;

CborMajor major_at(const CborReader &reader) {
    return static_cast<CborMajor>(*reader.at() >> 5);
}

bool at_break(const CborReader &reader) {
    return !reader.done() && *reader.at() == codec::kCborBreak;
}

bool skip_item(CborReader &reader, unsigned depth);

bool skip_items(CborReader &reader, std::uint64_t count, unsigned depth) {
    for (std::uint64_t i = 0; i < count; ++i)
        if (!skip_item(reader, depth)) return false;
    return true;
}

/// An array, a map or a string in pieces, up to its break.
bool skip_indefinite(CborReader &reader, CborMajor major, unsigned depth) {
    reader.skip(1);
    if (major < CborMajor::kBytes || major > CborMajor::kMap) return false;
    std::uint64_t items = 0;
    for (; !at_break(reader); ++items) {
        const bool pieces = major == CborMajor::kBytes || major == CborMajor::kText;
        ByteView piece;
        if (pieces ? !reader.string(major, piece) : !skip_item(reader, depth)) return false;
    }
    reader.skip(1);
    return major != CborMajor::kMap || items % 2 == 0;
}

bool skip_item(CborReader &reader, unsigned depth) {
    if (reader.done() || depth > kDeepestItem) return false;
    const CborMajor major = major_at(reader);
    if ((*reader.at() & 31) == kIndefiniteLength) return skip_indefinite(reader, major, depth + 1);
    ByteView string;
    if (major == CborMajor::kBytes || major == CborMajor::kText)
        return reader.string(major, string);
    std::uint64_t argument = 0;
    if (!reader.head(major, argument)) return false;
    switch (major) {
        case CborMajor::kArray:
            return argument <= reader.left() && skip_items(reader, argument, depth + 1);
        case CborMajor::kMap:
            return argument <= reader.left() && skip_items(reader, 2 * argument, depth + 1);
        case CborMajor::kTag:
            return skip_item(reader, depth + 1);
        default:
            return true;
    }
}

bool copy_item(CborReader &reader, Bytes &to, unsigned depth);

bool copy_array(CborReader &reader, Bytes &to, unsigned depth) {
    std::uint64_t count = 0;
    if (!reader.array(count)) return false;
    Bytes items;
    std::uint64_t copied = 0;
    const bool indefinite = count == CborReader::kIndefinite;
    while (indefinite ? !at_break(reader) : copied < count) {
        if (!copy_item(reader, items, depth)) return false;
        ++copied;
    }
    if (indefinite) reader.skip(1);
    codec::append_cbor_head(to, CborMajor::kArray, copied);
    append(to, items);
    return true;
}

bool copy_item(CborReader &reader, Bytes &to, unsigned depth) {
    if (reader.done() || depth > kDeepestItem) return false;
    const CborMajor major = major_at(reader);
    std::uint64_t argument = 0;
    ByteView string;
    switch (major) {
        case CborMajor::kUnsigned:
        case CborMajor::kNegative:
            if (!reader.head(major, argument)) return false;
            codec::append_cbor_head(to, major, argument);
            return true;
        case CborMajor::kBytes:
        case CborMajor::kText:
            if (!reader.string(major, string)) return false;
            codec::append_cbor_head(to, major, string.size());
            append(to, string);
            return true;
        case CborMajor::kArray:
            return copy_array(reader, to, depth + 1);
        default:
            return false;
    }
}

}  // namespace

bool read_item(CborReader &reader, ByteView &item) {
    const std::uint8_t *const begin = reader.at();
    if (!skip_item(reader, 0)) return false;
    item = {begin, reader.at()};
    return true;
}

bool write_deterministic(ByteView item, Bytes &to) {
    CborReader reader(item);
    return copy_item(reader, to, 0) && reader.done();
}

}  // namespace farlink::bp::bpsec
