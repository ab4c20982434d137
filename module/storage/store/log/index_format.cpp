// SPDX-License-Identifier: Apache-2.0
#include "module/storage/store/log/index_format.hpp"

#include <algorithm>

#include "common/codec/crc.hpp"
#include "common/codec/sdnv.hpp"

namespace farlink::storage {
namespace {

constexpr std::array<std::uint8_t, 8> kIndexMagic{'F', 'A', 'R', 'L', 'I', 'D', 'X', '\n'};
constexpr std::size_t kLogHeaderAt = 16;
constexpr std::size_t kLogBytesAt = kLogHeaderAt + kFileHeaderBytes;
constexpr std::size_t kLabelCountAt = kLogBytesAt + 8;
constexpr std::size_t kRecordCountAt = kLabelCountAt + 4;
constexpr std::size_t kErasureCountAt = kRecordCountAt + 4;
constexpr std::size_t kBodyBytesAt = kErasureCountAt + 4 + 4;
constexpr std::size_t kBodyCrcAt = kBodyBytesAt + 8;
constexpr std::size_t kHeaderCrcAt = kIndexHeaderBytes - 4;

/// Flags, status reports, identity: the octets of a record before its numbers.
constexpr std::size_t kFixedBytes = 2 + 16;
constexpr std::uint8_t kPriorityMask = 0x03;
constexpr std::uint8_t kGapFlag = 0x80;
constexpr std::size_t kNumbers = 5;  // arrival, expiry, received, size, label
constexpr std::size_t kSmallestRecord = kFixedBytes + kNumbers;

/// Differences of neighbours are small and of either sign: 0, -1, 1, -2, ... become 0, 1, 2, 3, ...
std::uint64_t zigzag(std::uint64_t value, std::uint64_t before) {
    const std::uint64_t difference = value - before;
    return (difference << 1) ^ (std::uint64_t{0} - (difference >> 63));
}
std::uint64_t unzigzag(std::uint64_t coded, std::uint64_t before) {
    return before + ((coded >> 1) ^ (std::uint64_t{0} - (coded & 1)));
}

/// Where a record lies that follows this one directly.
RecordLocation behind(RecordLocation at, std::uint64_t label_size, std::uint64_t size) {
    return {at.number + 1, at.offset + record_bytes(label_size, size)};
}

RecordLocation first_of(FileNumber file) {
    return {make_record_number(file, 1), kDataStart};
}

class IndexReader {
public:
    explicit IndexReader(ByteView body) : rest_(body) {}

    [[nodiscard]] bool done() const { return rest_.empty(); }

    bool read_labels(std::uint32_t count, FileScan &scan) {
        for (; count > 0; --count) {
            std::uint64_t size = 0;
            if (!numbers({&size, 1}) || size > kMaxLabelBytes || size > rest_.size()) return false;
            labels_.push_back(
                {static_cast<std::uint32_t>(scan.labels.size()), static_cast<std::uint16_t>(size)});
            append(scan.labels, take(size));
        }
        return true;
    }

    bool read_records(std::uint32_t count, FileScan &scan) {
        if (std::uint64_t{count} * kSmallestRecord > rest_.size()) return false;
        scan.records.resize(count);
        RecordLocation at = first_of(scan.header.file);
        const RecordHead none;
        const RecordHead *last = &none;
        for (ScannedRecord &record : scan.records) {
            if (!read_record(record, *last, at) || at.offset > scan.bytes ||
                file_of(record.at.number) != scan.header.file)
                return false;
            last = &record.head;
        }
        return true;
    }

    bool read_erasures(std::uint32_t count, FileScan &scan) {
        if (count > rest_.size()) return false;
        scan.erasures.resize(count);
        RecordNumber last = 0;
        for (RecordNumber &erased : scan.erasures) {
            std::uint64_t coded = 0;
            if (!numbers({&coded, 1})) return false;
            last = erased = unzigzag(coded, last);
        }
        return true;
    }

private:
    struct Label {
        std::uint32_t at = 0;
        std::uint16_t size = 0;
    };

    bool read_record(ScannedRecord &record, const RecordHead &last, RecordLocation &at) {
        if (rest_.size() < kSmallestRecord) return false;
        const ByteView fixed = take(kFixedBytes);
        if ((fixed[0] & kPriorityMask) >= kPriorityCount) return false;
        if ((fixed[0] & kGapFlag) != 0) {
            std::array<std::uint64_t, 2> gap{};
            if (!numbers(gap) || gap[0] > 0xffffffffU || gap[1] > kMaxWords) return false;
            at.number += gap[0];
            at.offset += gap[1] * kRecordAlignment;
        }
        std::array<std::uint64_t, kNumbers> number{};
        if (!numbers(number) || number[4] >= labels_.size()) return false;
        RecordHead &head = record.head;
        head.priority = static_cast<Priority>(fixed[0] & kPriorityMask);
        head.requests = fixed[1];
        head.identity = {load_be<std::uint64_t>(&fixed[2]), load_be<std::uint64_t>(&fixed[10])};
        head.arrival = unzigzag(number[0], last.arrival);
        head.expiry = unzigzag(number[1], last.expiry);
        head.received = unzigzag(number[2], last.received);
        head.size = unzigzag(number[3], last.size);
        if (head.size > kMaxWords * kRecordAlignment) return false;
        record.at = at;
        record.label_at = labels_[number[4]].at;
        record.label_size = labels_[number[4]].size;
        at = behind(at, record.label_size, head.size);
        return true;
    }

    ByteView take(std::size_t size) {
        const ByteView taken = rest_.first(size);
        rest_ = rest_.subspan(size);
        return taken;
    }
    bool numbers(std::span<std::uint64_t> out) {
        const codec::SdnvRun run = codec::decode_sdnvs(rest_, out);
        rest_ = rest_.subspan(run.size);
        return run.count == out.size();
    }

    static constexpr std::uint64_t kMaxWords = std::uint64_t{1} << 45;  // as a record's size
    ByteView rest_;
    std::vector<Label> labels_;
};

}  // namespace

/// Keeps its memory for the next file.
void IndexBuilder::clear() {
    labels_.clear();
    records_.clear();
    erasures_.clear();
    record_count_ = erasure_count_ = 0;
    last_ = {};
    last_erased_ = 0;
}

void IndexBuilder::add(const RecordHead &head, RecordLocation at, ByteView label) {
    if (record_count_++ == 0) next_ = first_of(file_of(at.number));
    const bool gap = at.number != next_.number || at.offset != next_.offset;
    std::array<std::uint8_t, kFixedBytes + 7 * codec::kMaxSdnvBytes> out;
    std::uint8_t *end = out.data();
    *end++ = static_cast<std::uint8_t>(static_cast<unsigned>(head.priority) | (gap ? kGapFlag : 0));
    *end++ = head.requests;
    store_be(end, head.identity.high);
    store_be(end + 8, head.identity.low);
    end += 16;
    const auto put = [&end](std::uint64_t value) { end += codec::encode_sdnv(value, end); };
    if (gap) {
        put(at.number - next_.number);
        put((at.offset - next_.offset) / kRecordAlignment);
    }
    put(zigzag(head.arrival, last_.arrival));
    put(zigzag(head.expiry, last_.expiry));
    put(zigzag(head.received, last_.received));
    put(zigzag(head.size, last_.size));
    put(labels_.number_of(label));
    records_.append({out.data(), end});
    last_ = head;
    next_ = behind(at, label.size(), head.size);
}

void IndexBuilder::add_erasures(std::span<const RecordNumber> erased) {
    for (const RecordNumber number : erased) {
        codec::append_sdnv(erasures_, zigzag(number, last_erased_));
        last_erased_ = number;
    }
    erasure_count_ += static_cast<std::uint32_t>(erased.size());
}

Bytes IndexBuilder::finish(const FileHeader &header, std::uint64_t log_bytes) const {
    Bytes out(kIndexHeaderBytes);
    out.reserve(kIndexHeaderBytes + labels_.octets().size() + records_.size() + erasures_.size());
    labels_.octets().append_to(out);
    records_.append_to(out);
    append(out, erasures_);
    std::ranges::copy(kIndexMagic, out.begin());
    store_be(&out[8], kIndexVersion);
    encode_file_header(header, MutableBytes(out).subspan<kLogHeaderAt, kFileHeaderBytes>());
    store_be(&out[kLogBytesAt], log_bytes);
    store_be(&out[kLabelCountAt], static_cast<std::uint32_t>(labels_.size()));
    store_be(&out[kRecordCountAt], record_count_);
    store_be(&out[kErasureCountAt], erasure_count_);
    store_be(&out[kBodyBytesAt], std::uint64_t{out.size() - kIndexHeaderBytes});
    store_be(&out[kBodyCrcAt], codec::crc32c(ByteView(out).subspan(kIndexHeaderBytes)));
    store_be(&out[kHeaderCrcAt], codec::crc32c(ByteView(out).first(kHeaderCrcAt)));
    return out;
}

std::optional<FileScan> decode_index(ByteView in) {
    if (in.size() < kIndexHeaderBytes ||
        !std::ranges::equal(kIndexMagic, in.first(kIndexMagic.size())) ||
        codec::crc32c(in.first(kHeaderCrcAt)) != load_be<std::uint32_t>(&in[kHeaderCrcAt]) ||
        load_be<std::uint32_t>(&in[8]) != kIndexVersion)
        return std::nullopt;
    const ByteView body = in.subspan(kIndexHeaderBytes);
    const auto header = decode_file_header(in.subspan(kLogHeaderAt, kFileHeaderBytes));
    if (!header || body.size() != load_be<std::uint64_t>(&in[kBodyBytesAt]) ||
        codec::crc32c(body) != load_be<std::uint32_t>(&in[kBodyCrcAt]))
        return std::nullopt;
    FileScan scan;
    scan.header = *header;
    scan.bytes = load_be<std::uint64_t>(&in[kLogBytesAt]);
    IndexReader reader(body);
    if (!reader.read_labels(load_be<std::uint32_t>(&in[kLabelCountAt]), scan) ||
        !reader.read_records(load_be<std::uint32_t>(&in[kRecordCountAt]), scan) ||
        !reader.read_erasures(load_be<std::uint32_t>(&in[kErasureCountAt]), scan) || !reader.done())
        return std::nullopt;
    scan.intact = !scan.records.empty() || !scan.erasures.empty();
    return scan;
}

}  // namespace farlink::storage
