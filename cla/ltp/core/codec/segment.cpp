// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/codec/segment.hpp"

#include <array>

namespace farlink::cla::ltp {
namespace {

using codec::SdnvError;

SegmentError error_of(SdnvError error) {
    return error == SdnvError::kTruncated ? SegmentError::kTruncated : SegmentError::kNumber;
}

/// Reads from the front of a view; the first error stays.
class Reader {
public:
    explicit Reader(ByteView octets) : octets_(octets) {}

    template <std::size_t kCount>
    [[nodiscard]] bool numbers(std::array<std::uint64_t, kCount> &values) {
        const codec::SdnvRun run = codec::decode_sdnvs(left(), values);
        at_ += run.size;
        return run.count == kCount || fail(error_of(run.error));
    }
    [[nodiscard]] bool number(std::uint64_t &value) {
        const auto sdnv = codec::decode_sdnv(left());
        if (!sdnv) return fail(error_of(sdnv.error()));
        value = sdnv->value;
        at_ += sdnv->size;
        return true;
    }
    [[nodiscard]] bool octet(std::uint8_t &value) {
        if (at_ == octets_.size()) return fail(SegmentError::kTruncated);
        value = octets_[at_++];
        return true;
    }
    [[nodiscard]] bool view(std::uint64_t size, ByteView &value) {
        if (size > octets_.size() - at_) return fail(SegmentError::kTruncated);
        value = octets_.subspan(at_, static_cast<std::size_t>(size));
        at_ += value.size();
        return true;
    }
    bool fail(SegmentError error) {
        error_ = error;
        return false;
    }

    [[nodiscard]] std::size_t at() const { return at_; }
    [[nodiscard]] ByteView left() const { return octets_.subspan(at_); }
    [[nodiscard]] ByteView since(std::size_t begin) const {
        return octets_.subspan(begin, at_ - begin);
    }
    [[nodiscard]] SegmentError error() const { return error_; }

private:
    ByteView octets_;
    std::size_t at_ = 0;
    SegmentError error_ = SegmentError::kTruncated;
};

// RFC 5326 section 3.1.4.
bool read_extensions(Reader &reader, unsigned count, ByteView &extensions) {
    const std::size_t begin = reader.at();
    for (unsigned i = 0; i < count; ++i) {
        std::uint8_t tag = 0;
        std::uint64_t size = 0;
        ByteView value;
        if (!reader.octet(tag) || !reader.number(size) || !reader.view(size, value)) return false;
    }
    extensions = reader.since(begin);
    return true;
}

// RFC 5326 section 3.2.1.
bool read_data(Reader &reader, SegmentType type, DataFields &data) {
    std::uint64_t size = 0;
    if (is_checkpoint(type)) {
        std::array<std::uint64_t, 5> fields{};
        if (!reader.numbers(fields)) return false;
        data.service = fields[0];
        data.offset = fields[1];
        size = fields[2];
        data.checkpoint_serial = fields[3];
        data.report_serial = fields[4];
        if (data.checkpoint_serial == 0) return reader.fail(SegmentError::kNumber);
    } else {
        std::array<std::uint64_t, 3> fields{};
        if (!reader.numbers(fields)) return false;
        data.service = fields[0];
        data.offset = fields[1];
        size = fields[2];
    }
    if (data.offset + size < data.offset) return reader.fail(SegmentError::kBounds);
    return reader.view(size, data.data);
}

// The rules for claims in RFC 5326 section 3.2.2.
bool read_claims(Reader &reader, ReportFields &report) {
    const std::size_t begin = reader.at();
    const std::uint64_t scope = report.upper - report.lower;
    std::uint64_t prior_end = 0;
    for (std::uint64_t i = 0; i < report.claim_count; ++i) {
        std::array<std::uint64_t, 2> claim{};  // offset, length
        if (!reader.numbers(claim)) return false;
        const bool follows = i == 0 || claim[0] > prior_end;
        if (!follows || claim[1] == 0 || claim[1] > scope || claim[0] > scope - claim[1])
            return reader.fail(SegmentError::kClaims);
        prior_end = claim[0] + claim[1];
    }
    report.claims = reader.since(begin);
    return true;
}

bool read_report(Reader &reader, ReportFields &report) {
    std::array<std::uint64_t, 5> fields{};
    if (!reader.numbers(fields)) return false;
    report.report_serial = fields[0];
    report.checkpoint_serial = fields[1];
    report.upper = fields[2];
    report.lower = fields[3];
    report.claim_count = fields[4];
    if (report.report_serial == 0) return reader.fail(SegmentError::kNumber);
    // RFC 5326 section 6.11: without scope no report is issued.
    if (report.lower >= report.upper) return reader.fail(SegmentError::kBounds);
    // RFC 5326 section 3.2.2: one claim or more.
    if (report.claim_count == 0) return reader.fail(SegmentError::kClaims);
    return read_claims(reader, report);
}

bool read_content(Reader &reader, Segment &segment) {
    switch (segment.type) {
        case SegmentType::kReport:
            return read_report(reader, segment.report);
        case SegmentType::kReportAck:
            if (!reader.number(segment.acked_report)) return false;
            return segment.acked_report != 0 || reader.fail(SegmentError::kNumber);
        case SegmentType::kCancelBySender:
        case SegmentType::kCancelByReceiver:
            return reader.octet(segment.reason);
        case SegmentType::kCancelAckToSender:
        case SegmentType::kCancelAckToReceiver:
            return true;
        default:
            return read_data(reader, segment.type, segment.data);
    }
}

bool read_header(Reader &reader, Segment &segment) {
    std::uint8_t control = 0;
    if (!reader.octet(control)) return false;
    if (control >> 4 != 0) return reader.fail(SegmentError::kVersion);
    if (control == 5 || control == 6 || control == 10 || control == 11)
        return reader.fail(SegmentError::kUndefined);
    segment.type = static_cast<SegmentType>(control);
    std::array<std::uint64_t, 2> id{};
    std::uint8_t extensions = 0;
    if (!reader.numbers(id) || !reader.octet(extensions)) return false;
    segment.originator = id[0];
    segment.session = id[1];
    segment.header_extension_count = extensions >> 4;
    segment.trailer_extension_count = extensions & 15;
    return read_extensions(reader, segment.header_extension_count, segment.header_extensions);
}

}  // namespace

Result<Segment, SegmentError> decode_segment(ByteView octets) {
    Reader reader(octets);
    Segment segment;
    if (!read_header(reader, segment) || !read_content(reader, segment) ||
        !read_extensions(reader, segment.trailer_extension_count, segment.trailer_extensions))
        return fail(reader.error());
    segment.octets = reader.since(0);
    return segment;
}

std::optional<EngineId> peek_originator(ByteView octets) {
    if (octets.size() < 2 || octets[0] >> 4 != 0) return std::nullopt;
    const auto originator = codec::decode_sdnv(octets.subspan(1));
    if (!originator) return std::nullopt;
    return EngineId{originator->value};
}

std::optional<Interval> ClaimReader::next() {
    if (count_ == 0) return std::nullopt;
    --count_;
    std::array<std::uint64_t, 2> claim{};
    left_ = left_.subspan(codec::decode_sdnvs(left_, claim).size);
    return Interval{lower_ + claim[0], lower_ + claim[0] + claim[1]};
}

std::optional<Extension> ExtensionReader::next() {
    if (count_ == 0) return std::nullopt;
    --count_;
    const std::uint8_t tag = left_[0];
    const codec::Sdnv size = *codec::decode_sdnv(left_.subspan(1));
    const ByteView value = left_.subspan(1 + size.size, static_cast<std::size_t>(size.value));
    left_ = left_.subspan(1 + size.size + value.size());
    return Extension{tag, value};
}

std::uint8_t *encode_report_fields(std::uint8_t *to, const ReportFields &fields) {
    to += codec::encode_sdnv(fields.report_serial, to);
    to += codec::encode_sdnv(fields.checkpoint_serial, to);
    to += codec::encode_sdnv(fields.upper, to);
    to += codec::encode_sdnv(fields.lower, to);
    return to + codec::encode_sdnv(fields.claim_count, to);
}

std::size_t report_fields_bytes(const ReportFields &fields, std::uint64_t count) {
    return codec::sdnv_size(fields.report_serial) + codec::sdnv_size(fields.checkpoint_serial) +
           codec::sdnv_size(fields.upper) + codec::sdnv_size(fields.lower) +
           codec::sdnv_size(count);
}

}  // namespace farlink::cla::ltp
