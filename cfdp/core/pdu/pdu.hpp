// SPDX-License-Identifier: Apache-2.0
// The PDUs of CFDP, decoded (CCSDS 727.0-B-5 sections 5.1 to 5.4).
// Values; file data and its segment metadata borrow the octets that were decoded.
// Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cfdp/core/pdu/types.hpp"
#include "common/base/bytes.hpp"
#include "common/base/result.hpp"

namespace farlink::cfdp {

/// Section 5.1. Lengths of numbers are those of the wire, 1 to 8 octets.
struct PduHeader {
    bool towards_sender = false;
    bool unacknowledged = false;
    bool crc = false;
    bool large_file = false;
    bool record_boundaries = false;
    TransactionId id{};
    EntityId destination = 0;
    std::uint8_t entity_bytes = 1;
    std::uint8_t sequence_bytes = 1;
    friend bool operator==(const PduHeader &, const PduHeader &) = default;
};

/// Type, length, value (section 5.4).
struct Tlv {
    enum Type : std::uint8_t {
        kFilestoreRequest = 0,
        kFilestoreResponse = 1,
        kMessageToUser = 2,
        kFaultHandlerOverride = 4,
        kFlowLabel = 5,
        kEntityId = 6,
    };
    std::uint8_t type = 0;
    Bytes value{};
    friend bool operator==(const Tlv &, const Tlv &) = default;
};

struct FileData {
    std::uint64_t offset = 0;
    ByteView data{};
    /// With segment metadata: the record continuation state in the upper two bits is apart.
    bool has_metadata = false;
    std::uint8_t continuation = 0;
    ByteView metadata{};
};

struct Eof {
    ConditionCode condition = ConditionCode::kNoError;
    std::uint32_t checksum = 0;
    std::uint64_t file_size = 0;
    std::optional<EntityId> fault_location{};
    friend bool operator==(const Eof &, const Eof &) = default;
};

struct Finished {
    ConditionCode condition = ConditionCode::kNoError;
    bool incomplete = false;
    FileStatus status = FileStatus::kUnreported;
    std::vector<Bytes> filestore_responses{};
    std::optional<EntityId> fault_location{};
    friend bool operator==(const Finished &, const Finished &) = default;
};

struct Ack {
    Directive of = Directive::kEof;
    ConditionCode condition = ConditionCode::kNoError;
    TransactionStatus status = TransactionStatus::kUndefined;
    friend bool operator==(const Ack &, const Ack &) = default;
};

struct Metadata {
    bool closure_requested = false;
    std::uint8_t checksum_type = 0;  ///< any number of the wire
    std::uint64_t file_size = 0;
    std::string source_name{};
    std::string destination_name{};
    std::vector<Tlv> options{};

    /// False: there is nothing but Metadata (section 4.6.1).
    [[nodiscard]] bool has_file() const { return !destination_name.empty(); }
    friend bool operator==(const Metadata &, const Metadata &) = default;
};

struct SegmentRequest {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    friend bool operator==(const SegmentRequest &, const SegmentRequest &) = default;
};

struct Nak {
    std::uint64_t scope_begin = 0;
    std::uint64_t scope_end = 0;
    std::vector<SegmentRequest> requests{};
    friend bool operator==(const Nak &, const Nak &) = default;
};

struct Prompt {
    bool keep_alive = false;  ///< false: a NAK
    friend bool operator==(const Prompt &, const Prompt &) = default;
};

struct KeepAlive {
    std::uint64_t progress = 0;
    friend bool operator==(const KeepAlive &, const KeepAlive &) = default;
};

using PduBody = std::variant<FileData, Eof, Finished, Ack, Metadata, Nak, Prompt, KeepAlive>;

struct Pdu {
    PduHeader header{};
    PduBody body{};
};

enum class PduError : std::uint8_t {
    kTruncated,  ///< shorter than its lengths
    kTrailing,   ///< octets behind the data field
    kVersion,    ///< not version 1 (CFDP version 2 of the standard)
    kCrc,        ///< the CRC is wrong
    kDirective,  ///< no directive code of the standard
    kDirection,  ///< towards the wrong end
    kField,      ///< a field has a value that it cannot have
};
inline constexpr std::size_t kPduErrors = 7;
[[nodiscard]] std::string_view name_of(PduError error);

/// A header without its ids, and the CRC behind the data field.
inline constexpr std::size_t kFixedHeaderBytes = 4;
inline constexpr std::size_t kPduCrcBytes = 2;

/// Octets of the PDU that these begin with, by its lengths; 0: it is cut.
[[nodiscard]] std::size_t first_pdu_bytes(ByteView octets);

/// `octets` is one PDU and nothing else.
[[nodiscard]] Result<Pdu, PduError> decode_pdu(ByteView octets);

/// The octets of a PDU. Ids fit the header's lengths, file sizes and offsets its large file flag,
/// values of TLVs 255 octets, names 255 octets, the whole 65,535 octets.
[[nodiscard]] Bytes encode_pdu(const PduHeader &header, const PduBody &body);

/// Octets of a header.
[[nodiscard]] std::size_t header_bytes(const PduHeader &header);
/// The fewest octets that hold the number: 1, 2, 4 or 8.
[[nodiscard]] std::uint8_t bytes_for(std::uint64_t number);

/// CRC-16/IBM-3740, which ends PDUs with the CRC flag (section 5.1).
[[nodiscard]] std::uint16_t pdu_crc(ByteView octets);

}  // namespace farlink::cfdp
