// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v7/admin_record_codec.hpp"

#include "common/bp/eid/eid_cbor.hpp"

namespace farlink::bp::v7 {
namespace {

using codec::CborReader;

bool at_break(const CborReader &reader) {
    return reader.left() != 0 && *reader.at() == codec::kCborBreak;
}

/// Walks an array of either form: more() before each item, close() after the last.
class ArrayItems {
public:
    [[nodiscard]] bool open(CborReader &reader) { return reader.array(left_); }
    [[nodiscard]] bool more(const CborReader &reader) const {
        return left_ == CborReader::kIndefinite ? !at_break(reader) : left_ != 0;
    }
    void next() {
        if (left_ != CborReader::kIndefinite) --left_;
    }
    [[nodiscard]] bool close(CborReader &reader) const {
        return left_ == CborReader::kIndefinite ? reader.octet(codec::kCborBreak) : left_ == 0;
    }

private:
    std::uint64_t left_ = 0;
};

bool read_bool(CborReader &reader, bool &value) {
    value = reader.left() != 0 && *reader.at() == codec::kCborTrue;
    return reader.octet(value ? codec::kCborTrue : codec::kCborFalse);
}

bool read_item(CborReader &reader, StatusReport::Item &item) {
    ArrayItems fields;
    if (!fields.open(reader) || !fields.more(reader) || !read_bool(reader, item.asserted))
        return false;
    fields.next();
    if (fields.more(reader)) {
        std::uint64_t time_ms = 0;
        if (!reader.uint(time_ms)) return false;
        item.time_ms = time_ms;
        fields.next();
    }
    return fields.close(reader);
}

/// RFC 9171 section 6.1.1: at least four items; further ones are ignored.
bool read_items(CborReader &reader, StatusReport &report) {
    ArrayItems items;
    if (!items.open(reader)) return false;
    for (StatusReport::Item &item : report.items) {
        if (!items.more(reader) || !read_item(reader, item)) return false;
        items.next();
    }
    for (; items.more(reader); items.next())
        if (StatusReport::Item further; !read_item(reader, further)) return false;
    return items.close(reader);
}

bool read_source(CborReader &reader, StatusReport &report) {
    EidView source;
    if (!read_eid(reader, source)) return false;
    report.source = Eid(source);
    return true;
}

bool read_timestamp(CborReader &reader, StatusReport &report) {
    ArrayItems timestamp;
    if (!timestamp.open(reader)) return false;
    for (std::uint64_t *const field : {&report.creation_time_ms, &report.sequence}) {
        if (!timestamp.more(reader) || !reader.uint(*field)) return false;
        timestamp.next();
    }
    return timestamp.close(reader);
}

bool read_report(CborReader &reader, StatusReport &report) {
    ArrayItems fields;
    if (!fields.open(reader)) return false;
    const auto field = [&](auto read) {
        if (!fields.more(reader) || !read()) return false;
        fields.next();
        return true;
    };
    if (!field([&] { return read_items(reader, report); }) ||
        !field([&] { return reader.uint(report.reason); }) ||
        !field([&] { return read_source(reader, report); }) ||
        !field([&] { return read_timestamp(reader, report); }))
        return false;
    if (fields.more(reader)) {
        FragmentExtent extent;
        if (!field([&] { return reader.uint(extent.offset); }) ||
            !field([&] { return reader.uint(extent.length); }))
            return false;
        report.fragment = extent;
    }
    return fields.close(reader);
}

auto admin_fault_of(const CborReader &reader) {
    return fail(reader.fault() == CborReader::Fault::kTruncated ? AdminError::kTruncated
                                                                : AdminError::kMalformed);
}

void append_uint(Bytes &to, std::uint64_t value) {
    std::uint8_t octets[codec::kMaxCborHeadBytes];
    append(to, {octets, codec::write_cbor_uint(octets, value)});
}

}  // namespace

Result<std::uint64_t, AdminError> admin_record_type(ByteView payload) {
    CborReader reader(payload);
    ArrayItems record;
    std::uint64_t type = 0;
    if (!record.open(reader) || !reader.uint(type)) return admin_fault_of(reader);
    return type;
}

Result<StatusReport, AdminError> decode_status_report(ByteView payload) {
    CborReader reader(payload);
    std::uint64_t count = 0;
    std::uint64_t type = 0;
    if (!reader.array(count) || !reader.uint(type)) return admin_fault_of(reader);
    if (type != kStatusReportRecord) return fail(AdminError::kUnknownType);
    const bool indefinite = count == CborReader::kIndefinite;
    StatusReport report;
    if (!read_report(reader, report)) return admin_fault_of(reader);
    if (indefinite ? !reader.octet(codec::kCborBreak) : count != 2) return admin_fault_of(reader);
    if (!reader.done()) return fail(AdminError::kMalformed);
    return report;
}

Bytes encode(const StatusReport &report) {
    Bytes octets{0x82, static_cast<std::uint8_t>(kStatusReportRecord)};
    octets.push_back(report.fragment ? 0x86 : 0x84);
    octets.push_back(0x84);
    for (const StatusReport::Item &item : report.items) {
        octets.push_back(item.time_ms ? 0x82 : 0x81);
        octets.push_back(item.asserted ? codec::kCborTrue : codec::kCborFalse);
        if (item.time_ms) append_uint(octets, *item.time_ms);
    }
    append_uint(octets, report.reason);
    const EidView source = report.source.view();
    Bytes eid(eid_bound(source));
    append(octets, {eid.data(), write_eid(eid.data(), source)});
    octets.push_back(0x82);
    append_uint(octets, report.creation_time_ms);
    append_uint(octets, report.sequence);
    if (report.fragment) {
        append_uint(octets, report.fragment->offset);
        append_uint(octets, report.fragment->length);
    }
    return octets;
}

}  // namespace farlink::bp::v7
