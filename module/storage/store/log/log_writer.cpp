// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/log_writer.hpp"

#include <algorithm>

#include "common/base/copy_octets.hpp"
#include "common/codec/crc.hpp"

namespace farlink::storage {
namespace {

constexpr std::array<std::uint8_t, kRecordAlignment> kPadding{};

std::uint64_t bytes_of(const DiskRecord &record) {
    return record_bytes(record.label.size(), record.head.size);
}

std::uint32_t checksum(std::span<const ByteView> slices) {
    std::uint32_t crc = 0;
    for (const ByteView slice : slices) crc = codec::crc32c_extend(crc, slice);
    return crc;
}

}  // namespace

LogWriter::LogWriter(LogDirectory &directory, LogFiles &files, const LogOptions &options)
    : directory_(directory), files_(files), options_(options), key_(options.fresh_key) {}

void LogWriter::resume(FileNumber last_file, const SipKey &key) {
    last_file_ = last_file;
    key_ = key;
}

DiskStatus LogWriter::append(std::span<DiskRecord> records) {
    std::uint64_t bytes = 0;
    for (DiskRecord &record : records) {
        record.at = {};
        bytes += bytes_of(record);
    }
    if (bytes == 0) return DiskStatus::kOk;
    if (const DiskStatus room = make_room(bytes); room != DiskStatus::kOk) return room;
    lay_out(records);
    LogFile &file = files_.at(active_);
    if (const auto written = directory_.write(active_, tail_, pieces_); !written) {
        const DiskStatus status = write_failed(written.error());
        if (status == DiskStatus::kIoError) {
            file.live += static_cast<std::uint32_t>(records.size());
        } else {
            for (DiskRecord &record : records) record.at = {};
        }
        return status;
    }
    dirty_ = true;
    tail_ += bytes;
    file.bytes = tail_;
    file.live += static_cast<std::uint32_t>(records.size());
    for (const DiskRecord &record : records) index_.add(record.head, record.at, record.label);
    return DiskStatus::kOk;
}

/// Places and numbers the records from tail_ on and encodes what stands between the bundles, so
/// that `pieces_` are the octets to write: the bundles themselves are not copied.
void LogWriter::lay_out(std::span<DiskRecord> records) {
    std::size_t header_space = 0;
    for (const DiskRecord &record : records)
        header_space += kRecordHeaderBytes + record.label.size() + kRecordAlignment;
    headers_.resize(header_space);
    pieces_.clear();
    const std::uint64_t mark = files_.at(active_).mark;
    std::uint8_t *out = headers_.data();
    const std::uint8_t *begun = out;
    std::uint64_t offset = tail_;
    for (DiskRecord &record : records) {
        record.at = {make_record_number(active_, ++places_), offset};
        RecordHeader header;
        header.number = record.at.number;
        header.head = record.head;
        header.label_size = static_cast<std::uint16_t>(record.label.size());
        header.payload_crc = checksum(record.slices);
        encode_record_header(header, mark, record.label,
                             std::span<std::uint8_t, kRecordHeaderBytes>(out, kRecordHeaderBytes));
        out = copy_octets(record.label, out + kRecordHeaderBytes);
        pieces_.emplace_back(begun, out);
        begun = out;
        pieces_.insert(pieces_.end(), record.slices.begin(), record.slices.end());
        const std::uint64_t total = header.total_bytes();
        const std::uint64_t padding =
            total - kRecordHeaderBytes - record.label.size() - record.head.size;
        out = copy_octets(ByteView(kPadding).first(padding), out);
        offset += total;
    }
    if (out != begun) pieces_.emplace_back(begun, out);
}

bool LogWriter::append_erasures(std::span<const RecordNumber> erased) {
    constexpr std::size_t kAtOnce = 4096;
    while (!erased.empty()) {
        const auto some = erased.first(std::min(erased.size(), kAtOnce));
        erased = erased.subspan(some.size());
        const std::uint64_t total = record_bytes(0, some.size() * sizeof(RecordNumber));
        if (make_room(total) != DiskStatus::kOk) return false;
        headers_.assign(total, 0);
        std::uint8_t *out = headers_.data() + kRecordHeaderBytes;
        LogFile &file = files_.at(active_);
        for (const RecordNumber number : some) {
            store_be(out, number);
            out += sizeof number;
        }
        RecordHeader header;
        header.type = RecordType::kErasure;
        header.number = make_record_number(active_, ++places_);
        header.head.size = some.size() * sizeof(RecordNumber);
        header.payload_crc = codec::crc32c(ByteView(headers_).subspan(kRecordHeaderBytes));
        encode_record_header(header, file.mark, {},
                             MutableBytes(headers_).first<kRecordHeaderBytes>());
        const std::array<ByteView, 1> piece{ByteView(headers_)};
        if (const auto written = directory_.write(active_, tail_, piece); !written) {
            static_cast<void>(write_failed(written.error()));
            return false;
        }
        dirty_ = true;
        tail_ += total;
        file.bytes = tail_;
        index_.add_erasures(some);
        for (const RecordNumber number : some)
            if (file_of(number) != active_) file.erasures.push_back(number);
    }
    return true;
}

void LogWriter::start_sync() {
    FARLINK_INVARIANT(!syncing_ && !synced_);
    if (flush_failed_) {
        flush_failed_ = false;
        synced_ = false;
    } else if (!dirty_) {
        synced_ = true;
    } else {
        dirty_ = false;
        syncing_ = true;
        directory_.start_sync(active_);
    }
}

std::optional<bool> LogWriter::poll_sync() {
    if (syncing_)
        if (const auto done = directory_.poll_sync()) end_sync(done->has_value());
    return std::exchange(synced_, std::nullopt);
}

void LogWriter::end_sync(bool good) {
    syncing_ = false;
    synced_ = good;
    if (good) return;
    // What was written meanwhile is lost as well, and the next flush has to report it.
    const bool written = dirty_;
    abandon();
    flush_failed_ = written;
}

/// Nothing is done to a file whose flush goes on.
void LogWriter::complete_sync() {
    while (syncing_) {
        if (const auto done = directory_.poll_sync())
            end_sync(done->has_value());
        else
            directory_.wait();
    }
}

void LogWriter::seal() {
    complete_sync();
    if (active_ == 0) return;
    if (!directory_.sync(active_)) {
        abandon();
        return;
    }
    dirty_ = false;
    // Without an index the next start scans the file. A node that is killed leaves no file that is
    // short and has none: it would count as cut.
    const Bytes index = index_.finish(header_of(active_), tail_);
    const bool indexed = directory_.write_index(active_, index).has_value();
    // Reserved but unused room goes back; when that fails, only the room is lost.
    static_cast<void>(directory_.truncate(active_, tail_));
    directory_.close_for_writing(active_);
    files_.at(active_).state = FileState::kSealed;
    if (!indexed) static_cast<void>(directory_.write_index(active_, index));  // it may fit now
    active_ = 0;
}

/// After a failed flush the kernel has marked the lost pages as clean: a second fdatasync would
/// succeed without writing them. So the file is left as it is and everything in it that was not
/// flushed before counts as not written.
void LogWriter::abandon() {
    complete_sync();
    flush_failed_ = true;
    dirty_ = false;
    if (active_ == 0) return;
    directory_.close_for_writing(active_);
    files_.at(active_).state = FileState::kSealed;
    active_ = 0;
}

/// A write for which there was no room is taken back; after that its octets are certainly not in
/// the log. After any other failure they may be.
DiskStatus LogWriter::write_failed(FileError error) {
    if (error == FileError::kNoSpace && directory_.truncate(active_, tail_))
        return DiskStatus::kNoSpace;
    abandon();
    return DiskStatus::kIoError;
}

DiskStatus LogWriter::make_room(std::uint64_t bytes) {
    if (active_ != 0) {
        if (tail_ + bytes <= options_.segment_bytes || tail_ == kDataStart) return DiskStatus::kOk;
        seal();
    }
    return start_file(bytes);
}

DiskStatus LogWriter::start_file(std::uint64_t bytes) {
    const auto status_of = [](FileError error) {
        return error == FileError::kNoSpace ? DiskStatus::kNoSpace : DiskStatus::kIoError;
    };
    const FileNumber number = ++last_file_;
    const std::uint64_t expected = std::max(options_.segment_bytes, kDataStart + bytes);
    if (const auto created = directory_.create(number, expected); !created)
        return status_of(created.error());
    reserved_ = directory_.size(number).value_or(0);
    auto done = write_file_header(number);
    if (done) done = directory_.publish(number, kDataStart);
    if (done) done = directory_.sync_directory();
    if (!done) {
        directory_.close_for_writing(number);
        static_cast<void>(directory_.remove(number));
        return status_of(done.error());
    }
    files_[number] = {FileState::kActive, mark_of(key_, number), kDataStart, 0, {}};
    active_ = number;
    tail_ = kDataStart;
    places_ = 0;
    dirty_ = true;
    index_.clear();
    return DiskStatus::kOk;
}

/// Before the file has its name: a process that is killed leaves no log file without a header.
Result<void, FileError> LogWriter::write_file_header(FileNumber file) {
    const FileHeader header = header_of(file);
    headers_.assign(kDataStart, 0);
    const MutableBytes page(headers_);
    encode_file_header(header, page.first<kFileHeaderBytes>());
    encode_file_header(header, page.subspan<kHeaderCopyOffset, kFileHeaderBytes>());
    const std::array<ByteView, 1> piece{ByteView(page)};
    return directory_.write(file, 0, piece);
}

FileHeader LogWriter::header_of(FileNumber file) const {
    FileHeader header;
    header.node = options_.node;
    header.file = file;
    header.key = key_;
    header.mark = mark_of(key_, file);
    header.reserved = reserved_;
    return header;
}

}  // namespace farlink::storage
