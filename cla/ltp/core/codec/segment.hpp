// SPDX-License-Identifier: Apache-2.0
// LTP segments as values, and their octets (RFC 5326 section 3).
// Views borrow the octets they were decoded from; nothing is owned.
// Plain functions, any thread.
#pragma once

#include <cstdint>
#include <optional>

#include "cla/ltp/core/codec/types.hpp"
#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/codec/sdnv.hpp"

namespace farlink::cla::ltp {

/// RFC 5326 section 3.1.2; 5, 6, 10 and 11 are undefined.
enum class SegmentType : std::uint8_t {
    kRed = 0,
    kCheckpoint = 1,
    kEndOfRed = 2,
    kEndOfRedBlock = 3,  ///< end of the red part and of the block
    kGreen = 4,
    kEndOfGreenBlock = 7,
    kReport = 8,
    kReportAck = 9,
    kCancelBySender = 12,
    kCancelAckToSender = 13,
    kCancelByReceiver = 14,
    kCancelAckToReceiver = 15,
};

[[nodiscard]] constexpr bool is_data(SegmentType type) {
    return static_cast<std::uint8_t>(type) < 8;
}
[[nodiscard]] constexpr bool is_red(SegmentType type) {
    return static_cast<std::uint8_t>(type) < 4;
}
[[nodiscard]] constexpr bool is_checkpoint(SegmentType type) {
    return type != SegmentType::kRed && is_red(type);
}
[[nodiscard]] constexpr bool ends_red(SegmentType type) {
    return type == SegmentType::kEndOfRed || type == SegmentType::kEndOfRedBlock;
}
[[nodiscard]] constexpr bool ends_block(SegmentType type) {
    return type == SegmentType::kEndOfRedBlock || type == SegmentType::kEndOfGreenBlock;
}

/// Extension tags (RFC 5326 section 3.1.4).
inline constexpr std::uint8_t kAuthenticationTag = 0;

/// Control octet, session id and the octet that counts extensions.
inline constexpr std::size_t kMaxPrefixBytes = 2 + 2 * codec::kMaxSdnvBytes;
/// Fields between the prefix and a data segment's data, without extensions.
inline constexpr std::size_t kMaxDataFieldsBytes = 5 * codec::kMaxSdnvBytes;
/// The longest segment without its data, claims and extensions.
inline constexpr std::size_t kMaxControlBytes = kMaxPrefixBytes + codec::kMaxSdnvBytes;

/// Bounds are octets from the start of the block (RFC 5326 section 2 (11)).
struct Interval {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    [[nodiscard]] std::uint64_t size() const { return end - begin; }
    friend constexpr bool operator==(Interval, Interval) = default;
};

struct Extension {
    std::uint8_t tag = 0;
    ByteView value;
};

struct DataFields {
    std::uint64_t service = 0;
    std::uint64_t offset = 0;
    std::uint64_t checkpoint_serial = 0;  ///< checkpoints only, and never 0 there
    std::uint64_t report_serial = 0;
    ByteView data;
    [[nodiscard]] std::uint64_t end() const { return offset + data.size(); }
};

struct ReportFields {
    std::uint64_t report_serial = 0;
    std::uint64_t checkpoint_serial = 0;
    std::uint64_t upper = 0;
    std::uint64_t lower = 0;
    std::uint64_t claim_count = 0;
    ByteView claims;  ///< encoded; read with ClaimReader
};

struct Segment {
    SegmentType type = SegmentType::kRed;
    std::uint64_t originator = 0;
    std::uint64_t session = 0;
    std::uint8_t header_extension_count = 0;
    std::uint8_t trailer_extension_count = 0;
    ByteView header_extensions;   ///< encoded; read with ExtensionReader
    ByteView trailer_extensions;  ///< encoded
    DataFields data;              ///< data segments
    ReportFields report;          ///< reports
    std::uint64_t acked_report = 0;
    std::uint8_t reason = 0;  ///< cancel segments
    ByteView octets;          ///< the whole segment
};

enum class SegmentError : std::uint8_t {
    kTruncated,  ///< the octets end inside a segment that is valid so far
    kVersion,    ///< not version 0
    kUndefined,  ///< an undefined segment type
    kNumber,     ///< a number above 64 bits, or a serial number 0
    kBounds,     ///< offsets that overflow, or a report without scope
    kClaims,     ///< claims against the rules of RFC 5326 section 3.2.2
    kCount_,
};

/// Decodes the segment at the front of `octets`; `segment.octets` has its length.
[[nodiscard]] Result<Segment, SegmentError> decode_segment(ByteView octets);
/// The engine id in a segment's header, of data its sender; empty: not decodable.
[[nodiscard]] std::optional<EngineId> peek_originator(ByteView octets);

/// Walks over the claims of a report that was decoded without error.
class ClaimReader {
public:
    explicit ClaimReader(const ReportFields &report)
        : left_(report.claims), count_(report.claim_count), lower_(report.lower) {}
    /// The next claim, in octets of the block.
    [[nodiscard]] std::optional<Interval> next();

private:
    ByteView left_;
    std::uint64_t count_;
    std::uint64_t lower_;
};

/// Walks over extensions that were decoded without error.
class ExtensionReader {
public:
    ExtensionReader(ByteView extensions, std::uint8_t count) : left_(extensions), count_(count) {}
    [[nodiscard]] std::optional<Extension> next();

private:
    ByteView left_;
    std::uint8_t count_;
};

// The encoders write at `to`, which has room, and return the end.

/// Extensions, if any, follow the prefix. `extensions`: header count << 4 | trailer count.
inline std::uint8_t *encode_prefix(std::uint8_t *to, SegmentType type, std::uint64_t originator,
                                   std::uint64_t session, std::uint8_t extensions = 0) {
    *to++ = static_cast<std::uint8_t>(type);
    to += codec::encode_sdnv(originator, to);
    to += codec::encode_sdnv(session, to);
    *to++ = extensions;
    return to;
}

/// Everything of a data segment between the prefix and the data, `size` octets.
inline std::uint8_t *encode_data_fields(std::uint8_t *to, SegmentType type,
                                        const DataFields &fields, std::uint64_t size) {
    to += codec::encode_sdnv(fields.service, to);
    to += codec::encode_sdnv(fields.offset, to);
    to += codec::encode_sdnv(size, to);
    if (is_checkpoint(type)) {
        to += codec::encode_sdnv(fields.checkpoint_serial, to);
        to += codec::encode_sdnv(fields.report_serial, to);
    }
    return to;
}

/// A report up to its claim count; the claims follow, each an offset from `lower` and a length.
std::uint8_t *encode_report_fields(std::uint8_t *to, const ReportFields &fields);
inline std::uint8_t *encode_claim(std::uint8_t *to, Interval claim, std::uint64_t lower) {
    to += codec::encode_sdnv(claim.begin - lower, to);
    return to + codec::encode_sdnv(claim.size(), to);
}
[[nodiscard]] inline std::size_t claim_bytes(Interval claim, std::uint64_t lower) {
    return codec::sdnv_size(claim.begin - lower) + codec::sdnv_size(claim.size());
}
/// `count` is the largest claim count to expect.
[[nodiscard]] std::size_t report_fields_bytes(const ReportFields &fields, std::uint64_t count);

}  // namespace farlink::cla::ltp
