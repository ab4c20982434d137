// SPDX-License-Identifier: Apache-2.0
// Any octets as CBOR heads and strings, read by what their own octets ask for.
#include "common/base/invariant.hpp"
#include "common/codec/cbor.hpp"

namespace {

using namespace farlink;
using codec::CborMajor;

/// Whether one more item could be read; a read never leaves the input and never stands still.
bool read_one(codec::CborReader &reader) {
    const std::uint8_t first = *reader.at();
    const auto major = static_cast<CborMajor>(first >> 5);
    std::uint64_t argument = 0;
    ByteView string;
    if (major == CborMajor::kArray) return reader.array(argument);
    if (major == CborMajor::kBytes || major == CborMajor::kText)
        return reader.string(major, string);
    if (first == codec::kCborBreak) return reader.octet(codec::kCborBreak);
    if (!reader.head(major, argument)) return false;
    std::uint8_t head[codec::kMaxCborHeadBytes];
    const ByteView written(head, codec::write_cbor_head(head, major, argument));
    FARLINK_INVARIANT(written.size() == codec::cbor_head_size(argument));
    codec::CborReader again(written);
    std::uint64_t same = 0;
    FARLINK_INVARIANT(again.head(major, same) && same == argument && again.done());
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    codec::CborReader reader(ByteView(data, size));
    while (!reader.done()) {
        const std::size_t before = reader.left();
        if (!read_one(reader)) {
            FARLINK_INVARIANT(reader.fault() != codec::CborReader::Fault::kNone);
            break;
        }
        FARLINK_INVARIANT(reader.left() < before);
    }
    return 0;
}
