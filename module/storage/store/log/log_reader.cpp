// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/log_reader.hpp"

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

/// The stretch may end with the file, behind the record; the core checks that it is long enough.
DiskStatus verify_part(DiskRecord &record, ByteView in, std::uint64_t mark) {
    if (record.from > 0) {
        record.octets = in;
        record.crc = codec::crc32c_extend(record.crc, in);
        return DiskStatus::kOk;
    }
    if (in.size() < kRecordHeaderBytes) return DiskStatus::kDamaged;
    const auto fixed = in.first<kRecordHeaderBytes>();
    const auto header = decode_record_header(mark, fixed);
    if (!header || header->type != RecordType::kBundle || header->number != record.at.number ||
        kRecordHeaderBytes + header->label_size > in.size())
        return DiskStatus::kDamaged;
    record.label = in.subspan(kRecordHeaderBytes, header->label_size);
    record.head = header->head;
    record.crc = header->payload_crc;
    return verify_record_header(fixed, record.label) ? DiskStatus::kOk : DiskStatus::kDamaged;
}

/// A place in `table` that nobody uses.
template <class Item>
std::uint32_t take_place(std::vector<Item> &table, std::vector<std::uint32_t> &free) {
    if (free.empty()) {
        free.push_back(static_cast<std::uint32_t>(table.size()));
        table.emplace_back();
    }
    const std::uint32_t place = free.back();
    free.pop_back();
    return place;
}

}  // namespace

void LogReader::start(DiskRequestPtr request) {
    const std::uint32_t serving = take_place(serving_, free_serving_);
    ++busy_;
    const bool parts = request->verb == DiskVerb::kReadPart;
    std::span<DiskRecord> records = request->records;
    serving_[serving] = {std::move(request), 0};
    while (!records.empty()) {
        const FileNumber number = file_of(records[0].at.number);
        const auto file = files_.find(number);
        // Reads wait behind each other while writes go on, so an erasure may have removed it.
        if (file == files_.end()) {
            records[0].status = DiskStatus::kDamaged;
            records = records.subspan(1);
            continue;
        }
        std::size_t count = 1;
        std::uint64_t bytes = records[0].buffer.size();
        while (!parts && count < records.size() && adjacent(records[count - 1], records[count]) &&
               bytes + records[count].buffer.size() <= kMaxReadBytes)
            bytes += records[count++].buffer.size();
        const std::span<DiskRecord> run = records.first(count);
        records = records.subspan(count);

        const std::uint32_t tag = take_place(runs_, free_runs_);
        runs_[tag] = {serving, run, file->second.mark, parts};
        ++serving_[serving].runs;
        directory_.start_read(number, run[0].at.offset + run[0].from, {run[0].buffer.data(), bytes},
                              tag);
    }
    if (serving_[serving].runs == 0) finish(serving);
}

DiskRequestPtr LogReader::poll() {
    while (done_.empty()) {
        const auto read = directory_.poll_read();
        if (!read) return nullptr;
        handle(*read);
    }
    return done_.pop_front();
}

void LogReader::handle(const ReadDone &done) {
    const auto tag = static_cast<std::uint32_t>(done.tag);
    const Run run = runs_[tag];
    free_runs_.push_back(tag);
    std::uint64_t left = done.result.value_or(0);
    for (DiskRecord &record : run.records) {
        if (!done.result) {
            read_one(record, run);
            continue;
        }
        const std::uint64_t size = std::min<std::uint64_t>(left, record.buffer.size());
        left -= size;
        judge(record, record.buffer.first(size), run);
    }
    if (--serving_[run.serving].runs == 0) finish(run.serving);
}

/// One bad sector must not cost its neighbours: each record on its own.
void LogReader::read_one(DiskRecord &record, const Run &run) {
    const auto got =
        directory_.read(file_of(record.at.number), record.at.offset + record.from, record.buffer);
    if (got)
        judge(record, record.buffer.first(*got), run);
    else
        record.status = DiskStatus::kIoError;
}

void LogReader::judge(DiskRecord &record, ByteView in, const Run &run) {
    record.status = run.parts ? verify_part(record, in, run.mark) : verify(record, in, run.mark);
}

void LogReader::finish(std::uint32_t serving) {
    --busy_;
    done_.push_back(std::move(serving_[serving].request));
    free_serving_.push_back(serving);
}

}  // namespace farlink::storage
