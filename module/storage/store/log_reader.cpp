// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log_reader.hpp"

#include <algorithm>

#include "common/codec/crc.hpp"

namespace farlink::storage {
namespace {

constexpr std::uint64_t kMaxReadBytes = 1024 * 1024;

bool adjacent(const DiskRecord &first, const DiskRecord &second) {
    return file_of(first.at.number) == file_of(second.at.number) &&
           first.at.offset + first.buffer.size() == second.at.offset &&
           first.buffer.data() + first.buffer.size() == second.buffer.data();
}

/// `in` is what could be read of the record; only its padding may be missing.
DiskStatus verify(DiskRecord &record, ByteView in, std::uint64_t mark) {
    if (in.size() < kRecordHeaderBytes) return DiskStatus::kDamaged;
    const auto fixed = in.first<kRecordHeaderBytes>();
    const auto header = decode_record_header(mark, fixed);
    if (!header || header->type != RecordType::kBundle || header->number != record.at.number ||
        header->total_bytes() != record.buffer.size() ||
        kRecordHeaderBytes + header->label_size + header->head.size > in.size())
        return DiskStatus::kDamaged;
    record.label = in.subspan(kRecordHeaderBytes, header->label_size);
    record.octets = in.subspan(kRecordHeaderBytes + header->label_size, header->head.size);
    record.head = header->head;
    const bool intact = verify_record_header(fixed, record.label) &&
                        codec::crc32c(record.octets) == header->payload_crc;
    return intact ? DiskStatus::kOk : DiskStatus::kDamaged;
}

}  // namespace

void read_records(LogDirectory &directory, const LogFiles &files, std::span<DiskRecord> records) {
    while (!records.empty()) {
        std::size_t count = 1;
        std::uint64_t bytes = records[0].buffer.size();
        while (count < records.size() && adjacent(records[count - 1], records[count]) &&
               bytes + records[count].buffer.size() <= kMaxReadBytes)
            bytes += records[count++].buffer.size();
        const auto run = records.first(count);
        records = records.subspan(count);

        const FileNumber number = file_of(run[0].at.number);
        const auto file = files.find(number);
        FARLINK_INVARIANT(file != files.end());
        const auto got = directory.read(number, run[0].at.offset, {run[0].buffer.data(), bytes});
        std::uint64_t left = got.value_or(0);
        for (DiskRecord &record : run) {
            if (!got && run.size() > 1) {
                // One bad sector must not cost its neighbours: each record on its own.
                read_records(directory, files, {&record, 1});
                continue;
            }
            const std::uint64_t size = std::min<std::uint64_t>(left, record.buffer.size());
            left -= size;
            record.status = got ? verify(record, record.buffer.first(size), file->second.mark)
                                : DiskStatus::kIoError;
        }
    }
}

}  // namespace farlink::storage
