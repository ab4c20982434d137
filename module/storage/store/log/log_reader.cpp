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
    std::span<DiskRecord> records = request->records;
    serving_[serving] = {std::move(request), 0};
    while (!records.empty()) {
        std::size_t count = 1;
        std::uint64_t bytes = records[0].buffer.size();
        while (count < records.size() && adjacent(records[count - 1], records[count]) &&
               bytes + records[count].buffer.size() <= kMaxReadBytes)
            bytes += records[count++].buffer.size();
        const std::span<DiskRecord> run = records.first(count);
        records = records.subspan(count);

        const FileNumber number = file_of(run[0].at.number);
        const auto file = files_.find(number);
        FARLINK_INVARIANT(file != files_.end());
        const std::uint32_t tag = take_place(runs_, free_runs_);
        runs_[tag] = {serving, run, file->second.mark};
        ++serving_[serving].runs;
        directory_.start_read(number, run[0].at.offset, {run[0].buffer.data(), bytes}, tag);
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
            read_one(record, run.mark);
            continue;
        }
        const std::uint64_t size = std::min<std::uint64_t>(left, record.buffer.size());
        left -= size;
        record.status = verify(record, record.buffer.first(size), run.mark);
    }
    if (--serving_[run.serving].runs == 0) finish(run.serving);
}

/// One bad sector must not cost its neighbours: each record on its own.
void LogReader::read_one(DiskRecord &record, std::uint64_t mark) {
    const auto got = directory_.read(file_of(record.at.number), record.at.offset, record.buffer);
    record.status = got ? verify(record, record.buffer.first(*got), mark) : DiskStatus::kIoError;
}

void LogReader::finish(std::uint32_t serving) {
    --busy_;
    done_.push_back(std::move(serving_[serving].request));
    free_serving_.push_back(serving);
}

}  // namespace farlink::storage
