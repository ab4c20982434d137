// SPDX-License-Identifier: Apache-2.0
#include "common/bp/parse.hpp"

#include "common/bp/base/slices.hpp"
#include "common/bp/v6/parse.hpp"
#include "common/bp/v6/primary.hpp"
#include "common/bp/v7/parse.hpp"
#include "common/codec/cbor.hpp"

namespace farlink::bp {
namespace {

constexpr std::uint8_t kVersion7 = 7;

Result<void, ParseError> parse_into(std::span<const ByteView> slices, v7::PayloadCrc payload_crc,
                                    BundleView &view) {
    if (view.size == 0) return fail(ParseError::kEmpty);
    const ByteView head = slices[0];
    if (head.empty()) return fail(ParseError::kHeadNotContiguous);
    Result<void, ParseError> parsed;
    if (head[0] == codec::kCborIndefiniteArray)
        parsed = v7::parse(slices, payload_crc, view);
    else if (head[0] == kBpVersion6)
        parsed = v6::parse(slices, view);
    else
        return fail(ParseError::kUnknownVersion);
    // The rest of the head may be in the next slice.
    if (!parsed && parsed.error() == ParseError::kTruncated && view.payload_offset == 0 &&
        view.size > head.size())
        return fail(ParseError::kHeadNotContiguous);
    return parsed;
}

Result<BundleView, ParseError> parse_with(std::span<const ByteView> slices,
                                          v7::PayloadCrc payload_crc) {
    // One named result for every return: the view is built where the caller wants it.
    Result<BundleView, ParseError> result;
    result->size = total_size(slices);
    const Result<void, ParseError> parsed = parse_into(slices, payload_crc, *result);
    if (!parsed) result = fail(parsed.error());
    return result;
}

}  // namespace

Result<BundleView, ParseError> parse(std::span<const ByteView> slices) {
    return parse_with(slices, v7::PayloadCrc::kVerify);
}

Result<BundleView, ParseError> parse_again(std::span<const ByteView> slices) {
    return parse_with(slices, v7::PayloadCrc::kTrust);
}

Result<BundleView, ParseError> parse_primary(ByteView head) {
    Result<BundleView, ParseError> result;
    Result<void, ParseError> read;
    if (head.empty()) {
        read = fail(ParseError::kEmpty);
    } else if (head[0] == kBpVersion6) {
        result->version = kBpVersion6;
        v6::SdnvReader reader(head);
        read = v6::read_primary(reader, *result);
        result->primary_end = static_cast<std::uint32_t>(head.size() - reader.left().size());
    } else {
        result->version = kVersion7;
        codec::CborReader reader(head);
        if (reader.octet(codec::kCborIndefiniteArray))
            read = v7::read_primary(reader, *result);
        else
            read = fail(ParseError::kUnknownVersion);
        result->primary_end = static_cast<std::uint32_t>(head.size() - reader.left());
    }
    if (!read) result = fail(read.error());
    return result;
}

}  // namespace farlink::bp
