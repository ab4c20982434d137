// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/segment_writer.hpp"

#include <algorithm>

namespace farlink::cla::ltp {

std::size_t SegmentWriter::overhead(std::uint64_t originator, std::uint64_t session,
                                    const Authenticator *authenticator) {
    std::size_t bytes = 2 + codec::sdnv_size(originator) + codec::sdnv_size(session);
    if (authenticator != nullptr)
        bytes += 2 + authenticator->header_value().size() + 2 + authenticator->value_bytes();
    return bytes;
}

std::uint8_t *SegmentWriter::begin(SegmentType type, std::uint64_t originator,
                                   std::uint64_t session) {
    batch_.begin();
    std::uint8_t *to = batch_.head();
    if (authenticator_ == nullptr) return encode_prefix(to, type, originator, session);
    to = encode_prefix(to, type, originator, session, 0x11);
    const ByteView value = authenticator_->header_value();
    *to++ = kAuthenticationTag;
    to += codec::encode_sdnv(value.size(), to);
    return std::copy(value.begin(), value.end(), to);
}

// The authentication value covers the segment without the value.
void SegmentWriter::end() {
    if (authenticator_ == nullptr) return;
    const std::size_t size = authenticator_->value_bytes();
    std::uint8_t *to = batch_.head();
    *to++ = kAuthenticationTag;
    to += codec::encode_sdnv(size, to);
    batch_.commit_head(to);
    std::uint8_t *const value = batch_.head();
    authenticator_->sign(batch_.pieces_of(batch_.segments().back()), {value, size});
    batch_.commit_head(value + size);
}

void SegmentWriter::data(const SegmentPlan &plan, const OutBlock &block, std::uint64_t originator,
                         std::uint64_t session) {
    std::uint8_t *to = begin(plan.type, originator, session);
    batch_.commit_head(encode_data_fields(to, plan.type, plan.fields, plan.size));
    block.gather(plan.fields.offset, plan.size, [this](ByteView piece) { batch_.add_data(piece); });
    end();
}

void SegmentWriter::control(const ControlSegment &control) {
    std::uint8_t *to = begin(control.type, control.originator, control.session);
    if (control.type == SegmentType::kReportAck)
        to += codec::encode_sdnv(control.report.report_serial, to);
    else if (control.type == SegmentType::kCancelBySender ||
             control.type == SegmentType::kCancelByReceiver)
        *to++ = static_cast<std::uint8_t>(control.reason);
    else if (control.type == SegmentType::kReport)
        to = encode_claim(encode_report_fields(to, control.report),
                          {control.report.lower, control.report.upper}, control.report.lower);
    batch_.commit_head(to);
    end();
    batch_.rate_whole();
}

// A claim may be left out: the peer repeats its data.
void SegmentWriter::report(const ControlSegment &control, const IntervalList &received,
                           const IntervalPool &pool, std::uint32_t report_bytes,
                           Interval withheld) {
    const auto next_claim = [&](std::uint64_t from) {
        auto part = received.next_part(pool, from, control.report.upper);
        if (part && part->begin >= withheld.begin && part->begin < withheld.end)
            part = received.next_part(pool, withheld.end, control.report.upper);
        if (part && part->begin < withheld.begin) part->end = std::min(part->end, withheld.begin);
        return part;
    };
    ReportFields fields = control.report;
    std::size_t bytes = report_fields_bytes(fields, report_bytes);
    std::uint64_t cursor = fields.lower;
    while (const auto part = next_claim(cursor)) {
        bytes += claim_bytes(*part, fields.lower);
        if (bytes > report_bytes && fields.claim_count > 0) break;
        ++fields.claim_count;
        cursor = part->end;
    }
    std::uint8_t *to = begin(control.type, control.originator, control.session);
    to = encode_report_fields(to, fields);
    cursor = fields.lower;
    for (std::uint64_t i = 0; i < fields.claim_count; ++i) {
        const Interval part = *next_claim(cursor);
        to = encode_claim(to, part, fields.lower);
        cursor = part.end;
    }
    batch_.commit_head(to);
    end();
    batch_.rate_whole();
}

}  // namespace farlink::cla::ltp
