// SPDX-License-Identifier: Apache-2.0
// The shape that all BPv7 blocks share: head, data, CRC (RFC 9171 sections 4.2.1 and 4.3.2).
// Views borrow the octets they were read from; plain functions.
// Any thread.
#pragma once

#include <cstdint>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/bp/base/parse_error.hpp"
#include "common/codec/cbor.hpp"
#include "common/codec/crc.hpp"

namespace farlink::bp::v7 {

/// Block types (RFC 9171 section 9.1; 11 and 12: RFC 9172 section 11.1).
inline constexpr std::uint64_t kPayloadBlock = 1;
inline constexpr std::uint64_t kPreviousNodeBlock = 6;
inline constexpr std::uint64_t kBundleAgeBlock = 7;
inline constexpr std::uint64_t kHopCountBlock = 10;
inline constexpr std::uint64_t kIntegrityBlock = 11;
inline constexpr std::uint64_t kConfidentialityBlock = 12;

/// Block processing control flags (RFC 9171 section 4.2.4).
inline constexpr std::uint64_t kReplicateBlock = 0x01;
inline constexpr std::uint64_t kReportIfUnprocessable = 0x02;
inline constexpr std::uint64_t kDeleteBundleIfUnprocessable = 0x04;
inline constexpr std::uint64_t kDiscardBlockIfUnprocessable = 0x10;

/// Bundle processing control flags (RFC 9171 section 4.2.3).
inline constexpr std::uint64_t kIsFragment = 0x000001;
inline constexpr std::uint64_t kIsAdminRecord = 0x000002;
inline constexpr std::uint64_t kMustNotFragment = 0x000004;
inline constexpr std::uint64_t kAckRequested = 0x000020;
inline constexpr std::uint64_t kStatusTimeRequested = 0x000040;
inline constexpr std::uint64_t kReportReceptionFlag = 0x004000;
inline constexpr std::uint64_t kReportForwardingFlag = 0x010000;
inline constexpr std::uint64_t kReportDeliveryFlag = 0x020000;
inline constexpr std::uint64_t kReportDeletionFlag = 0x040000;
inline constexpr std::uint64_t kReportFlags =
    kReportReceptionFlag | kReportForwardingFlag | kReportDeliveryFlag | kReportDeletionFlag;

enum class CrcType : std::uint8_t { kNone = 0, kCrc16 = 1, kCrc32c = 2 };

[[nodiscard]] constexpr std::size_t crc_size(CrcType type) {
    return type == CrcType::kNone ? 0 : type == CrcType::kCrc16 ? 2 : 4;
}

/// A block's CRC, updated octet by octet; the CRC's own octets count as zeros (section 4.2.1).
class BlockCrc {
public:
    explicit BlockCrc(CrcType type) : type_(type) {}

    void add(ByteView octets) {
        if (type_ == CrcType::kCrc32c)
            crc_ = codec::crc32c_extend(crc_, octets);
        else if (type_ == CrcType::kCrc16)
            crc_ = codec::crc16_x25_extend(static_cast<std::uint16_t>(crc_), octets);
    }

    /// Adds the CRC's own zeros and, for an indefinite-length array, the break behind them.
    [[nodiscard]] std::uint32_t finish(bool indefinite) {
        static constexpr std::uint8_t kTail[5] = {0, 0, 0, 0, codec::kCborBreak};
        const std::size_t zeros = crc_size(type_);
        add({kTail + 4 - zeros, zeros + (indefinite ? 1 : 0)});
        return crc_;
    }

private:
    CrcType type_;
    std::uint32_t crc_ = 0;
};

/// The CRC of a contiguous block; `octets` end in front of the CRC's own.
[[nodiscard]] inline std::uint32_t block_crc(CrcType type, bool indefinite, ByteView octets) {
    if (type == CrcType::kCrc32c && !indefinite) return codec::crc32c_with_zeros(octets);
    BlockCrc crc(type);
    crc.add(octets);
    return crc.finish(indefinite);
}

/// A canonical block up to its data, in wire format.
struct BlockHead {
    std::uint64_t type = 0;
    std::uint64_t number = 0;
    std::uint64_t flags = 0;
    std::uint64_t data_size = 0;  ///< bytes
    CrcType crc_type = CrcType::kNone;
    bool indefinite = false;  ///< the block's array ends with a break
};

using Check = Result<void, ParseError>;

[[nodiscard]] inline auto fault_of(const codec::CborReader &reader) {
    return fail(reader.fault() == codec::CborReader::Fault::kTruncated ? ParseError::kTruncated
                                                                       : ParseError::kBadCbor);
}

/// Reads a CRC type; false when there is no such type (section 4.2.1).
[[nodiscard]] inline bool to_crc_type(std::uint64_t raw, CrcType &type) {
    type = static_cast<CrcType>(raw);
    return raw <= 2;
}

[[nodiscard]] inline Check read_block_head(codec::CborReader &reader, BlockHead &head) {
    std::uint64_t count = 0;
    std::uint64_t crc_type = 0;
    if (!reader.array(count) || !reader.uint(head.type) || !reader.uint(head.number) ||
        !reader.uint(head.flags) || !reader.uint(crc_type))
        return fault_of(reader);
    if (!to_crc_type(crc_type, head.crc_type)) return fail(ParseError::kBadCrcType);
    head.indefinite = count == codec::CborReader::kIndefinite;
    if (!head.indefinite && count != (crc_type == 0 ? 5U : 6U))
        return fail(ParseError::kBadItemCount);
    if (!reader.head(codec::CborMajor::kBytes, head.data_size)) return fault_of(reader);
    return {};
}

/// Reads the end of a block behind its last field: the CRC, whose value `crc` then points to
/// (null without one), and the break of an indefinite-length array.
[[nodiscard]] inline Check read_block_end(codec::CborReader &reader, CrcType type, bool indefinite,
                                          const std::uint8_t *&crc) {
    crc = nullptr;
    if (type != CrcType::kNone) {
        ByteView value;
        if (!reader.string(codec::CborMajor::kBytes, value)) return fault_of(reader);
        if (value.size() != crc_size(type)) return fail(ParseError::kBadCbor);
        crc = value.data();
    }
    if (indefinite && !reader.octet(codec::kCborBreak)) return fault_of(reader);
    return {};
}

[[nodiscard]] inline std::uint32_t load_crc(CrcType type, const std::uint8_t *crc) {
    return type == CrcType::kCrc16 ? load_be<std::uint16_t>(crc) : load_be<std::uint32_t>(crc);
}

/// Reads the end of a contiguous block that began at `begin`; checks its CRC.
[[nodiscard]] inline Check close_block(codec::CborReader &reader, const std::uint8_t *begin,
                                       CrcType type, bool indefinite) {
    const std::uint8_t *crc = nullptr;
    if (const Check end = read_block_end(reader, type, indefinite, crc); !end) return end;
    if (crc == nullptr) return {};
    if (block_crc(type, indefinite, {begin, crc}) != load_crc(type, crc))
        return fail(ParseError::kCrcMismatch);
    return {};
}

/// One canonical block whose octets are contiguous.
struct Block {
    BlockHead head;
    ByteView octets;  ///< all of it
    ByteView data;    ///< its block-type-specific data
};

/// Reads a whole canonical block without checking its CRC.
[[nodiscard]] inline Check read_block(codec::CborReader &reader, Block &block) {
    const std::uint8_t *const begin = reader.at();
    if (const Check head = read_block_head(reader, block.head); !head) return head;
    if (block.head.data_size > reader.left()) return fail(ParseError::kTruncated);
    block.data = {reader.at(), static_cast<std::size_t>(block.head.data_size)};
    reader.skip(block.data.size());
    const std::uint8_t *crc = nullptr;
    const Check end = read_block_end(reader, block.head.crc_type, block.head.indefinite, crc);
    block.octets = {begin, reader.at()};
    return end;
}

/// An upper bound of a block's size without its data, in bytes.
inline constexpr std::size_t kBlockOverhead = 1 + 4 * codec::kMaxCborHeadBytes + 1 + 5;

/// Closes a definite-length block that began at `begin` with its CRC; returns its end.
std::uint8_t *write_crc(std::uint8_t *begin, std::uint8_t *to, CrcType type);

/// Writes a canonical block with its CRC; returns its end.
std::uint8_t *write_block(std::uint8_t *to, std::uint64_t type, std::uint64_t number,
                          std::uint64_t flags, CrcType crc_type, ByteView data);

}  // namespace farlink::bp::v7
