// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/log_format.hpp"

#include <algorithm>

#include "common/codec/crc.hpp"

namespace farlink::storage {
namespace {

constexpr std::array<std::uint8_t, 8> kLogMagic{'F', 'A', 'R', 'L', 'L', 'O', 'G', '\n'};
constexpr std::size_t kFileCrcAt = kFileHeaderBytes - 4;
constexpr std::size_t kRecordCrcAt = kRecordHeaderBytes - 4;

}  // namespace

std::uint64_t mark_of(const SipKey &key, FileNumber file) {
    std::array<std::uint8_t, 8> name{'m', 'a', 'r', 'k'};
    store_be(name.data() + 4, file);
    return siphash128(key, name).high;
}

void encode_file_header(const FileHeader &header, std::span<std::uint8_t, kFileHeaderBytes> out) {
    std::ranges::fill(out, std::uint8_t{0});
    std::ranges::copy(kLogMagic, out.begin());
    store_be(&out[8], header.version);
    store_be(&out[12], static_cast<std::uint32_t>(header.reserved / kReservedUnit));
    store_be(&out[16], header.node.value());
    store_be(&out[24], std::uint64_t{header.file});
    store_be(&out[32], header.mark);
    std::ranges::copy(header.key, out.begin() + 40);
    store_be(&out[kFileCrcAt], codec::crc32c(out.first<kFileCrcAt>()));
}

std::optional<FileHeader> decode_file_header(ByteView in) {
    if (in.size() < kFileHeaderBytes || !std::ranges::equal(kLogMagic, in.first(kLogMagic.size())))
        return std::nullopt;
    if (codec::crc32c(in.first(kFileCrcAt)) != load_be<std::uint32_t>(&in[kFileCrcAt]))
        return std::nullopt;
    FileHeader header;
    header.version = load_be<std::uint32_t>(&in[8]);
    header.reserved = load_be<std::uint32_t>(&in[12]) * kReservedUnit;
    header.node = NodeNumber{load_be<std::uint64_t>(&in[16])};
    header.file = static_cast<FileNumber>(load_be<std::uint64_t>(&in[24]));
    header.mark = load_be<std::uint64_t>(&in[32]);
    std::ranges::copy(in.subspan(40, header.key.size()), header.key.begin());
    return header;
}

void encode_record_header(const RecordHeader &header, std::uint64_t mark, ByteView label,
                          std::span<std::uint8_t, kRecordHeaderBytes> out) {
    store_be(&out[0], mark);
    out[8] = static_cast<std::uint8_t>(header.type);
    out[9] = static_cast<std::uint8_t>(header.head.priority);
    out[10] = header.head.requests;
    out[11] = 0;
    store_be(&out[12], header.label_size);
    store_be(&out[14], std::uint16_t{0});
    store_be(&out[16], header.number);
    store_be(&out[24], header.head.arrival);
    store_be(&out[32], header.head.expiry);
    store_be(&out[40], header.head.received);
    store_be(&out[48], header.head.identity.high);
    store_be(&out[56], header.head.identity.low);
    store_be(&out[64], header.head.size);
    store_be(&out[72], header.payload_crc);
    store_be(&out[kRecordCrcAt],
             codec::crc32c_extend(codec::crc32c(out.first<kRecordCrcAt>()), label));
}

std::optional<RecordHeader> decode_record_header(
    std::uint64_t mark, std::span<const std::uint8_t, kRecordHeaderBytes> in) {
    if (load_be<std::uint64_t>(&in[0]) != mark) return std::nullopt;
    RecordHeader header;
    header.type = static_cast<RecordType>(in[8]);
    if (header.type != RecordType::kBundle && header.type != RecordType::kErasure)
        return std::nullopt;
    if (in[9] >= kPriorityCount) return std::nullopt;
    header.head.priority = static_cast<Priority>(in[9]);
    header.head.requests = in[10];
    header.label_size = load_be<std::uint16_t>(&in[12]);
    header.number = load_be<std::uint64_t>(&in[16]);
    header.head.arrival = load_be<std::uint64_t>(&in[24]);
    header.head.expiry = load_be<std::uint64_t>(&in[32]);
    header.head.received = load_be<std::uint64_t>(&in[40]);
    header.head.identity = {load_be<std::uint64_t>(&in[48]), load_be<std::uint64_t>(&in[56])};
    header.head.size = load_be<std::uint64_t>(&in[64]);
    header.payload_crc = load_be<std::uint32_t>(&in[72]);
    // A flipped bit must not make the sum of sizes wrap round.
    if (header.head.size > (std::uint64_t{1} << 48)) return std::nullopt;
    return header;
}

bool verify_record_header(std::span<const std::uint8_t, kRecordHeaderBytes> in, ByteView label) {
    const std::uint32_t crc = codec::crc32c_extend(codec::crc32c(in.first<kRecordCrcAt>()), label);
    return crc == load_be<std::uint32_t>(&in[kRecordCrcAt]);
}

}  // namespace farlink::storage
