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

}  // namespace

std::string_view to_string(ParseError error) {
    const auto index = static_cast<std::size_t>(error);
    return index < kNames.size() ? kNames[index] : "unknown";
}

}  // namespace farlink::bp
