// SPDX-License-Identifier: Apache-2.0
#include "common/bp/base/parse_error.hpp"

#include <array>

namespace farlink::bp {
namespace {

constexpr std::array<std::string_view, kParseErrorCount> kNames{
    "empty",
    "unknown_version",
    "truncated",
    "trailing_octets",
    "head_not_contiguous",
    "bad_cbor",
    "bad_sdnv",
    "bad_item_count",
    "bad_crc_type",
    "crc_mismatch",
    "bad_eid",
    "bad_dictionary",
    "bad_primary_length",
    "bad_block_number",
    "no_payload",
    "duplicate_block",
    "bad_block_data",
    "bad_flags",
    "bad_fragment",
    "hop_limit_exceeded",
    "primary_without_crc",
    "age_missing",
};

constexpr std::array<std::string_view, kParseErrorCount> kWords{
    "the bundle is empty",
    "neither version 6 nor version 7 of the Bundle Protocol",
    "the bundle is truncated",
    "octets follow the end of the bundle",
    "the blocks in front of the payload are not in one piece",
    "invalid CBOR",
    "an SDNV exceeds 64 bits",
    "an array has the wrong number of items",
    "unknown CRC type",
    "the CRC of a block does not match",
    "invalid endpoint id",
    "invalid dictionary",
    "the length of the primary block does not match its content",
    "invalid or repeated block number",
    "no payload block, or the payload block is not the last block",
    "a block that may occur only once occurs twice",
    "the data of an extension block is invalid",
    "contradictory flags",
    "the fragment extends beyond the total length of its ADU",
    "hop limit exceeded",
    "the primary block has neither a CRC nor an integrity block",
    "neither a creation time nor a bundle age block",
};

}  // namespace

std::string_view to_string(ParseError error) {
    const auto index = static_cast<std::size_t>(error);
    return index < kNames.size() ? kNames[index] : "unknown";
}

std::string_view in_words(ParseError error) {
    const auto index = static_cast<std::size_t>(error);
    return index < kWords.size() ? kWords[index] : "unknown";
}

}  // namespace farlink::bp
