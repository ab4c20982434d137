// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/log_scanner.hpp"

#include <algorithm>
#include <cstring>

#include "common/codec/crc.hpp"

namespace farlink::storage {
namespace {

constexpr std::size_t kWindowBytes = 1024 * 1024;
constexpr std::size_t kSectorBytes = 4096;
constexpr std::uint64_t kMaxErasureBytes = 64 * 1024;

/// A part of the file in memory that moves forward with its reader.
class FileWindow {
public:
    FileWindow(LogDirectory &directory, FileNumber file, std::uint64_t size)
        : directory_(directory),
          file_(file),
          size_(size),
          buffer_(std::min<std::uint64_t>(size, kWindowBytes)) {}

    [[nodiscard]] std::uint64_t size() const { return size_; }
    /// Octets [offset, offset + size) that lie in the file, at most kWindowBytes; valid until the
    /// next call.
    [[nodiscard]] ByteView at(std::uint64_t offset, std::uint64_t size) {
        if (offset >= size_) return {};
        const std::uint64_t end =
            std::min(offset + std::min<std::uint64_t>(size, kWindowBytes), size_);
        if (offset < begin_ || end > begin_ + filled_) fill(offset);
        return ByteView(buffer_).subspan(offset - begin_, end - offset);
    }

private:
    void fill(std::uint64_t offset) {
        begin_ = offset;
        filled_ = std::min<std::uint64_t>(kWindowBytes, size_ - offset);
        const MutableBytes all = MutableBytes(buffer_).first(filled_);
        const auto got = directory_.read(file_, offset, all);
        if (got && *got == filled_) return;
        // Some of it cannot be read: only those sectors read as zeros.
        for (std::size_t done = 0; done < filled_; done += kSectorBytes) {
            const MutableBytes sector = all.subspan(done, std::min(kSectorBytes, filled_ - done));
            const auto some = directory_.read(file_, offset + done, sector);
            std::ranges::fill(sector.subspan(some.value_or(0)), std::uint8_t{0});
        }
    }

    LogDirectory &directory_;
    FileNumber file_;
    std::uint64_t size_;
    Bytes buffer_;
    std::uint64_t begin_ = 0;
    std::size_t filled_ = 0;
};

class Scanner {
public:
    Scanner(LogDirectory &directory, FileNumber file, std::uint64_t size, bool last)
        : file_(file),
          window_(directory, file, size),
          last_(last),
          reordered_(last && directory.rebooted()) {}

    FileScan run() {
        if (!read_file_header()) {
            if (last_ && all_zero(0)) {
                scan_.empty = true;
            } else {
                note(DamageKind::kFileHeader, 0);
            }
            return std::move(scan_);
        }
        scan_.bytes = kDataStart;
        std::uint64_t offset = kDataStart;
        while (offset + kRecordHeaderBytes <= window_.size()) offset = step(offset);
        if (offset < window_.size() && !all_zero(offset)) note(DamageKind::kHeader, offset);
        scan_.cut = window_.size() < scan_.header.reserved && window_.size() != end_;
        if (last_ && !scan_.cut) forgive_torn_end();
        return std::move(scan_);
    }

private:
    bool read_file_header() {
        auto header = decode_file_header(window_.at(0, kFileHeaderBytes));
        if (!header) header = decode_file_header(window_.at(kHeaderCopyOffset, kFileHeaderBytes));
        if (!header) return false;
        scan_.header = *header;
        return true;
    }

    /// Reads the record at `offset`; returns where to go on.
    std::uint64_t step(std::uint64_t offset) {
        const ByteView fixed = window_.at(offset, kRecordHeaderBytes);
        const auto header =
            decode_record_header(scan_.header.mark, fixed.first<kRecordHeaderBytes>());
        if (!header || file_of(header->number) != file_) return resynchronise(offset);
        const ByteView whole = window_.at(offset, kRecordHeaderBytes + header->label_size);
        if (whole.size() < kRecordHeaderBytes + header->label_size ||
            !verify_record_header(whole.first<kRecordHeaderBytes>(),
                                  whole.subspan(kRecordHeaderBytes)))
            return resynchronise(offset);
        const Bytes label(whole.begin() + kRecordHeaderBytes, whole.end());
        note_missing(place_of(header->number), offset);
        const std::uint64_t payload_at = offset + kRecordHeaderBytes + header->label_size;
        const bool intact = payload_crc(payload_at, header->head.size) == header->payload_crc &&
                            payload_at + header->head.size <= window_.size();
        if (!intact) note(DamageKind::kPayload, offset, header->number);
        if (header->type == RecordType::kErasure) {
            if (intact) take_erasures(payload_at, header->head.size);
        } else {
            scan_.records.push_back({header->head,
                                     {header->number, offset},
                                     static_cast<std::uint32_t>(scan_.labels.size()),
                                     header->label_size,
                                     !intact});
            append(scan_.labels, label);
        }
        place_ = place_of(header->number);
        const std::uint64_t next = offset + header->total_bytes();
        if (intact) last_good_end_ = next;
        end_ = next;
        scan_.intact |= intact;
        scan_.bytes = std::min(next, window_.size());
        return next;
    }

    std::uint32_t payload_crc(std::uint64_t offset, std::uint64_t size) {
        std::uint32_t crc = 0;
        while (size > 0) {
            const ByteView some = window_.at(offset, size);
            if (some.empty()) break;
            crc = codec::crc32c_extend(crc, some);
            offset += some.size();
            size -= some.size();
        }
        return crc;
    }

    void take_erasures(std::uint64_t offset, std::uint64_t size) {
        if (size > kMaxErasureBytes || size % sizeof(RecordNumber) != 0) return;
        const ByteView numbers = window_.at(offset, size);
        for (std::size_t at = 0; at < numbers.size(); at += sizeof(RecordNumber))
            scan_.erasures.push_back(load_be<RecordNumber>(&numbers[at]));
    }

    /// The next place that begins with this file's mark; records are aligned.
    std::uint64_t resynchronise(std::uint64_t offset) {
        std::array<std::uint8_t, 8> mark;
        store_be(mark.data(), scan_.header.mark);
        const std::uint64_t begin = offset;
        if (!gap_) gap_ = begin;
        bool blank = is_zero(window_.at(offset, kRecordAlignment));
        for (offset += kRecordAlignment; offset < window_.size();) {
            const ByteView some = window_.at(offset, kWindowBytes);
            for (std::size_t at = 0; at + mark.size() <= some.size(); at += kRecordAlignment) {
                if (std::memcmp(&some[at], mark.data(), mark.size()) == 0) {
                    note(DamageKind::kHeader, begin);
                    return offset + at;
                }
                blank = blank && is_zero(some.subspan(at, mark.size()));
            }
            if (some.size() % kRecordAlignment != 0)
                blank = blank && is_zero(some.last(some.size() % kRecordAlignment));
            offset += some.size();
        }
        // Reserved room behind the last record is no damage.
        if (!blank) note(DamageKind::kHeader, begin);
        return window_.size();
    }

    /// Records are numbered one by one: `next`, at `offset`, shows which of them were before it,
    /// where no header is recognised.
    void note_missing(std::uint32_t next, std::uint64_t offset) {
        if (!gap_) return;
        const std::uint64_t begin = *std::exchange(gap_, std::nullopt);
        const ByteView octets = window_.at(begin, kRecordHeaderBytes);
        const std::uint64_t bytes = offset - begin;
        if (reordered_ && is_unwritten(octets)) return note_unflushed(next, bytes);
        const auto damaged = read_damaged_header(octets, bytes);
        const bool erasure = damaged && damaged->type == RecordType::kErasure;
        const bool alone = damaged && damaged->total_bytes() == bytes;
        // Numbers may be missing without damage, too: a write that found no room has taken them.
        std::uint64_t most = alone ? 1 : bytes / kRecordHeaderBytes;
        for (std::uint32_t place = place_ + 1; place < next && most > 0; ++place, --most)
            if (!erasure || place != place_ + 1)
                scan_.missing.push_back({make_record_number(file_, place), begin, 0});
        if (alone && !erasure && next > place_ + 1)
            scan_.missing.back().bytes = verified_size(*damaged, begin);
    }

    /// They are erased, so that they do not count when younger files follow.
    void note_unflushed(std::uint32_t next, std::uint64_t bytes) {
        std::uint64_t most = bytes / kRecordHeaderBytes;
        for (std::uint32_t place = place_ + 1; place < next && most > 0; ++place, --most)
            scan_.torn.push_back(make_record_number(file_, place));
    }

    /// A power cut may leave some of the last writes, in any order: of a header whose mark or
    /// checksums are empty, a part was never flushed.
    static bool is_unwritten(ByteView header) {
        constexpr std::size_t kPart = 8;
        return is_zero(header.first(kPart)) || is_zero(header.last(kPart));
    }

    /// By its checksum; 0 when the payload does not have this size.
    [[nodiscard]] std::uint64_t verified_size(const RecordHeader &damaged, std::uint64_t begin) {
        const std::uint64_t payload_at = begin + kRecordHeaderBytes + damaged.label_size;
        const std::uint64_t size = damaged.head.size;
        return payload_crc(payload_at, size) == damaged.payload_crc ? size : 0;
    }

    /// A header with a wrong checksum whose number, or whose size, is what is expected here. Its
    /// mark may be what is damaged.
    [[nodiscard]] std::optional<RecordHeader> read_damaged_header(ByteView octets,
                                                                  std::uint64_t bytes) const {
        const auto header = decode_record_header(load_be<std::uint64_t>(octets.data()),
                                                 octets.first<kRecordHeaderBytes>());
        if (!header) return std::nullopt;
        const bool expected = header->number == make_record_number(file_, place_ + 1) ||
                              header->total_bytes() == bytes;
        return expected ? header : std::nullopt;
    }

    /// What lies behind the last good record of the log was never flushed.
    void forgive_torn_end() {
        std::erase_if(scan_.missing,
                      [this](const auto &record) { return record.offset >= last_good_end_; });
        while (!scan_.records.empty() && scan_.records.back().damaged &&
               scan_.records.back().at.offset >= last_good_end_) {
            scan_.torn.push_back(scan_.records.back().at.number);
            scan_.records.pop_back();
        }
        for (Damage &damage : scan_.damages)
            if (damage.offset >= last_good_end_) damage.kind = DamageKind::kTorn;
    }

    static bool is_zero(ByteView octets) {
        return std::ranges::all_of(octets, [](std::uint8_t octet) { return octet == 0; });
    }
    bool all_zero(std::uint64_t offset) {
        while (offset < window_.size()) {
            const ByteView some = window_.at(offset, kWindowBytes);
            if (!is_zero(some)) return false;
            offset += some.size();
        }
        return true;
    }
    void note(DamageKind kind, std::uint64_t offset, RecordNumber number = 0) {
        scan_.damages.push_back({kind, file_, offset, number});
    }

    FileNumber file_;
    FileWindow window_;
    FileScan scan_;
    const bool last_;
    const bool reordered_;  ///< of what was written last, parts in the middle may be missing
    std::uint64_t last_good_end_ = kDataStart;
    std::uint64_t end_ = kDataStart;    ///< of the last record that was recognised, as it was
    std::uint32_t place_ = 0;           ///< of the last record that was recognised
    std::optional<std::uint64_t> gap_;  ///< where no header was recognised after it
};

}  // namespace

std::optional<FileHeader> read_file_header(LogDirectory &directory, FileNumber file) {
    for (const std::uint64_t offset : {std::uint64_t{0}, kHeaderCopyOffset}) {
        std::array<std::uint8_t, kFileHeaderBytes> octets{};
        const auto got = directory.read(file, offset, octets);
        if (!got || *got < octets.size()) continue;
        if (const auto header = decode_file_header(octets)) return header;
    }
    return std::nullopt;
}

Result<FileScan, FileError> scan_file(LogDirectory &directory, FileNumber file, bool last) {
    const auto size = directory.size(file);
    if (!size) return fail(size.error());
    return Scanner(directory, file, *size, last).run();
}

}  // namespace farlink::storage
