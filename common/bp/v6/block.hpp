// SPDX-License-Identifier: Apache-2.0
// The shape that all BPv6 blocks but the primary share (RFC 5050 section 4.5.2).
// Views borrow the octets they were read from; plain functions.
// Any thread.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/bp/base/parse_error.hpp"
#include "common/codec/sdnv.hpp"

namespace farlink::bp::v6 {

/// Block types (RFC 7116 section 2 and IANA's registry).
inline constexpr std::uint8_t kPayloadBlock = 1;
inline constexpr std::uint8_t kPreviousHopBlock = 5;       ///< RFC 6259
inline constexpr std::uint8_t kMetadataBlock = 8;          ///< RFC 6258
inline constexpr std::uint8_t kCustodyTransferBlock = 10;  ///< CTEB, CCSDS 734.2-B-1
inline constexpr std::uint8_t kExtendedClassBlock = 19;    ///< ECOS, CCSDS 734.2-B-1
/// Its data is one SDNV in microseconds (draft-irtf-dtnrg-bundle-age-block).
inline constexpr std::uint8_t kBundleAgeBlock = 20;

/// Block processing control flags (RFC 5050 section 4.3).
inline constexpr std::uint64_t kReplicateBlock = 0x01;
inline constexpr std::uint64_t kReportIfUnprocessable = 0x02;
inline constexpr std::uint64_t kDeleteBundleIfUnprocessable = 0x04;
inline constexpr std::uint64_t kLastBlock = 0x08;
inline constexpr std::uint64_t kDiscardBlockIfUnprocessable = 0x10;
inline constexpr std::uint64_t kForwardedUnprocessed = 0x20;
inline constexpr std::uint64_t kHasEidReferences = 0x40;

/// Bundle processing control flags (RFC 5050 section 4.2).
inline constexpr std::uint64_t kIsFragment = 0x000001;
inline constexpr std::uint64_t kIsAdminRecord = 0x000002;
inline constexpr std::uint64_t kMustNotFragment = 0x000004;
inline constexpr std::uint64_t kCustodyRequested = 0x000008;
inline constexpr std::uint64_t kSingletonDestination = 0x000010;
inline constexpr std::uint64_t kAckRequested = 0x000020;
inline constexpr unsigned kPriorityShift = 7;
inline constexpr std::uint64_t kPriorityMask = 3;
inline constexpr std::uint64_t kReportReceptionFlag = 0x004000;
inline constexpr std::uint64_t kReportCustodyFlag = 0x008000;
inline constexpr std::uint64_t kReportForwardingFlag = 0x010000;
inline constexpr std::uint64_t kReportDeliveryFlag = 0x020000;
inline constexpr std::uint64_t kReportDeletionFlag = 0x040000;
inline constexpr std::uint64_t kReportFlags = kReportReceptionFlag | kReportCustodyFlag |
                                              kReportForwardingFlag | kReportDeliveryFlag |
                                              kReportDeletionFlag;

inline constexpr std::uint64_t kMicrosecondsPerMs = 1000;

using Check = Result<void, ParseError>;

/// Whether this node processes a block, and so neither drops it nor marks it as unprocessed. The
/// security blocks of RFC 6257 (2, 3, 4, 9) are forwarded unchanged.
[[nodiscard]] constexpr bool is_known_block(std::uint8_t type) {
    return (type >= 1 && type <= 5) || (type >= 8 && type <= 10) || type == kExtendedClassBlock ||
           type == kBundleAgeBlock;
}

/// Reads SDNVs from the front of `left`.
class SdnvReader {
public:
    explicit SdnvReader(ByteView octets) : left_(octets) {}

    [[nodiscard]] ByteView left() const { return left_; }
    void skip(std::size_t size) { left_ = left_.subspan(size); }

    [[nodiscard]] Check read(std::uint64_t &value) {
        const auto sdnv = codec::decode_sdnv(left_);
        if (!sdnv) return fail(to_parse_error(sdnv.error()));
        value = sdnv->value;
        skip(sdnv->size);
        return {};
    }
    /// Reads values.size() values in one go.
    [[nodiscard]] Check read(std::span<std::uint64_t> values) {
        const codec::SdnvRun run = codec::decode_sdnvs(left_, values);
        if (run.count != values.size()) return fail(to_parse_error(run.error));
        skip(run.size);
        return {};
    }

private:
    static ParseError to_parse_error(codec::SdnvError error) {
        return error == codec::SdnvError::kTruncated ? ParseError::kTruncated
                                                     : ParseError::kBadSdnv;
    }

    ByteView left_;
};

/// A block up to its data. Offsets count from the block's first octet.
struct BlockHead {
    std::uint8_t type = 0;
    std::uint64_t flags = 0;
    std::uint64_t data_size = 0;  ///< bytes
    std::size_t flags_last = 0;   ///< the octet with the low seven flags
    std::size_t length_at = 0;    ///< the data length field
    std::size_t data_at = 0;      ///< the data
};

/// Reads a block up to its data, which `reader` reads next.
[[nodiscard]] Check read_block_head(SdnvReader &reader, BlockHead &head);

/// One block whose octets are contiguous.
struct Block {
    BlockHead head;
    ByteView octets;  ///< all of it
    [[nodiscard]] ByteView data() const { return octets.subspan(head.data_at); }
};

[[nodiscard]] Check read_block(SdnvReader &reader, Block &block);

/// The data of a bundle age block, in microseconds.
[[nodiscard]] bool read_bundle_age(ByteView data, std::uint64_t &age_us);

/// Writes a bundle age block like `block` that is older by `residence_ms`; returns its end.
std::uint8_t *write_older(std::uint8_t *to, const Block &block, std::uint64_t residence_ms);

}  // namespace farlink::bp::v6
