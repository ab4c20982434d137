// SPDX-License-Identifier: Apache-2.0
// The reasons for which a bundle is refused; each reason is a counter.
// Values; any thread.
// The names are the counters' names and stay stable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace farlink::bp {

enum class ParseError : std::uint8_t {
    kEmpty = 0,
    kUnknownVersion,     ///< first octet is neither BPv6's nor BPv7's
    kTruncated,          ///< the octets end inside the bundle
    kTrailingOctets,     ///< octets follow the end of the bundle
    kHeadNotContiguous,  ///< not an error of the peer: join the slices and parse again
    kBadCbor,            ///< not the CBOR item that is expected
    kBadSdnv,            ///< SDNV above 64 bits
    kBadItemCount,       ///< an array with the wrong number of items
    kBadCrcType,
    kCrcMismatch,
    kBadEid,
    kBadDictionary,     ///< BPv6: offset outside of the dictionary, or no terminator
    kBadPrimaryLength,  ///< BPv6: the block length disagrees with its content
    kBadBlockNumber,    ///< 0, or the payload's number on another block, or used twice
    kNoPayload,         ///< no payload block, or not the last one (BPv7)
    kDuplicateBlock,    ///< a block that may occur once occurs twice
    kBadBlockData,      ///< a known extension block cannot be read
    kBadFlags,          ///< flags that contradict each other
    kBadFragment,       ///< offset and length go beyond the total length
    kHopLimitExceeded,  ///< RFC 9171 section 4.4.3
    // Found after parse(), on links that do not tolerate it.
    kPrimaryWithoutCrc,  ///< and no block integrity block instead (RFC 9171 section 4.3.1)
    kAgeMissing,         ///< neither creation time nor bundle age block (RFC 9171 section 4.4.2)
    kCount_,
};
inline constexpr std::size_t kParseErrorCount = static_cast<std::size_t>(ParseError::kCount_);

/// Stable snake_case name, as in the counter `ingress_malformed_<name>`.
[[nodiscard]] std::string_view to_string(ParseError error);
/// For people: "the CRC of a block does not match".
[[nodiscard]] std::string_view in_words(ParseError error);

}  // namespace farlink::bp
