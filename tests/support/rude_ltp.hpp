// SPDX-License-Identifier: Apache-2.0
// Habits of LTP peers that farlink puts up with: what they make of datagrams.
// Plain functions; a test applies them on the way to the peer, or from it.
// Any thread.
#pragma once

#include "cla/ltp/core/segment.hpp"

namespace farlink::test {

/// A datagram as a peer reads it that keeps 32 bits of session and serial numbers.
inline Bytes with_cut_numbers(ByteView datagram) {
    using namespace cla::ltp;
    constexpr std::uint64_t kKept = 0xffffffffU;
    Bytes cut;
    while (const auto segment = decode_segment(datagram)) {
        datagram = datagram.subspan(segment->octets.size());
        Bytes octets(kMaxControlBytes + kMaxDataFieldsBytes);
        std::uint8_t *to = encode_prefix(octets.data(), segment->type, segment->originator,
                                         segment->session & kKept);
        ByteView rest;
        if (is_data(segment->type)) {
            DataFields fields = segment->data;
            fields.checkpoint_serial &= kKept;
            fields.report_serial &= kKept;
            to = encode_data_fields(to, segment->type, fields, fields.data.size());
            rest = fields.data;
        } else if (segment->type == SegmentType::kReport) {
            ReportFields fields = segment->report;
            fields.checkpoint_serial &= kKept;
            fields.report_serial &= kKept;
            to = encode_report_fields(to, fields);
            rest = fields.claims;
        } else if (segment->type == SegmentType::kReportAck) {
            to += codec::encode_sdnv(segment->acked_report & kKept, to);
        } else if (segment->type == SegmentType::kCancelBySender ||
                   segment->type == SegmentType::kCancelByReceiver) {
            *to++ = segment->reason;
        }
        octets.resize(static_cast<std::size_t>(to - octets.data()));
        append(octets, rest);
        append(cut, octets);
    }
    return cut;
}

/// A report, and octets behind it that mean nothing.
inline Bytes with_junk(ByteView datagram) {
    Bytes octets(datagram.begin(), datagram.end());
    const auto segment = cla::ltp::decode_segment(datagram);
    if (segment && segment->type == cla::ltp::SegmentType::kReport)
        octets.resize(octets.size() + 7);
    return octets;
}

}  // namespace farlink::test
