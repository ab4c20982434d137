// SPDX-License-Identifier: Apache-2.0
// The octets of a log file: its header and the headers of its records
// (docs/formats/storage_log.md). Plain functions over borrowed octets; any thread. What is read
// from disk is never trusted: every reader returns nothing rather than a wrong value.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "common/base/siphash.hpp"
#include "common/base/types.hpp"
#include "module/storage/disk/disk_io.hpp"
#include "module/storage/disk/record_number.hpp"
#include "module/storage/store/directory/log_directory.hpp"

namespace farlink::storage {

inline constexpr std::uint32_t kLogVersion = 2;
/// Files of this version, and of all between, are read as well: they hold no stripes.
inline constexpr std::uint32_t kOldestLogVersion = 1;
/// Records begin here; the file header stands at 0 and a second copy of it at kHeaderCopyOffset.
inline constexpr std::uint64_t kDataStart = 4096;
inline constexpr std::uint64_t kHeaderCopyOffset = 2048;
inline constexpr std::size_t kFileHeaderBytes = 64;

struct FileHeader {
    std::uint32_t version = kLogVersion;
    NodeNumber node;
    FileNumber file = 0;
    std::uint64_t mark = 0;  ///< what every record of this file begins with
    SipKey key{};            ///< of the store: for marks and for bundle identities
    /// Room that was reserved when the file was made, a multiple of kReservedUnit: until the file
    /// is complete it is not shorter. 0: none, or not known.
    std::uint64_t reserved = 0;
};
inline constexpr std::uint64_t kReservedUnit = 4096;

/// The mark of a file: nobody without the key can write octets into a bundle that look like a
/// record of it.
[[nodiscard]] std::uint64_t mark_of(const SipKey &key, FileNumber file);

void encode_file_header(const FileHeader &header, std::span<std::uint8_t, kFileHeaderBytes> out);
[[nodiscard]] std::optional<FileHeader> decode_file_header(ByteView in);

enum class RecordType : std::uint8_t {
    kBundle = 1,
    kErasure = 2,  ///< its payload are numbers of records that are gone
};

struct RecordHeader {
    RecordType type = RecordType::kBundle;
    RecordNumber number = 0;
    RecordHead head;  ///< head.size: bytes of the payload
    std::uint16_t label_size = 0;
    std::uint32_t payload_crc = 0;  ///< CRC-32C

    [[nodiscard]] std::uint64_t total_bytes() const { return record_bytes(label_size, head.size); }
};

/// The header's checksum covers the label as well.
void encode_record_header(const RecordHeader &header, std::uint64_t mark, ByteView label,
                          std::span<std::uint8_t, kRecordHeaderBytes> out);

/// `in` begins with a header; `label_in` answers whether the checksum holds once the label is
/// known: a reader decodes, fetches label_size octets behind the header, then verifies.
[[nodiscard]] std::optional<RecordHeader> decode_record_header(
    std::uint64_t mark, std::span<const std::uint8_t, kRecordHeaderBytes> in);
[[nodiscard]] bool verify_record_header(std::span<const std::uint8_t, kRecordHeaderBytes> in,
                                        ByteView label);

}  // namespace farlink::storage
