// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v6/admin_record_codec.hpp"

#include <limits>

#include "common/bp/v6/block.hpp"

namespace farlink::bp::v6 {
namespace {

constexpr std::uint8_t kForFragment = 0x01;  // low bit of a record's first octet
constexpr std::uint8_t kSucceeded = 0x80;
constexpr std::uint8_t kReasonMask = 0x7f;
constexpr std::uint64_t kNanosecondsPerSecond = 1'000'000'000;

/// BPv6 allows endpoints of any scheme, and of the dtn scheme in any form; they are kept as a
/// dictionary would spell them.
std::optional<Eid> parse_uri(std::string_view uri) {
    if (auto eid = Eid::parse(uri)) return eid;
    const std::size_t colon = uri.find(':');
    if (colon == std::string_view::npos || uri.find('\0') != std::string_view::npos) return {};
    const std::string_view scheme = uri.substr(0, colon);
    if (scheme == "ipn") return {};
    if (scheme == "dtn") return Eid(EidView{EidScheme::kDtn, 0, 0, uri.substr(colon + 1)});
    std::string name(uri);
    name[colon] = '\0';
    return Eid(EidView{EidScheme::kOther, 0, 0, name});
}

/// Reads the fields of a record; keeps the first error.
class RecordReader {
public:
    explicit RecordReader(ByteView octets) : reader_(octets) {}

    std::uint8_t octet() {
        if (reader_.left().empty()) return give_up(AdminError::kTruncated), 0;
        const std::uint8_t value = reader_.left()[0];
        reader_.skip(1);
        return value;
    }
    std::uint64_t sdnv() {
        std::uint64_t value = 0;
        if (const Check read = reader_.read(value); !read)
            give_up(read.error() == ParseError::kTruncated ? AdminError::kTruncated
                                                           : AdminError::kMalformed);
        return value;
    }
    Time time() {
        const std::uint64_t seconds_part = sdnv();
        const Time time{seconds_part, sdnv()};
        if (time.nanoseconds >= kNanosecondsPerSecond) give_up(AdminError::kMalformed);
        return time;
    }
    Eid eid(std::uint64_t size) {
        if (size > reader_.left().size()) return give_up(AdminError::kTruncated), Eid();
        const auto uri = as_text(reader_.left().first(static_cast<std::size_t>(size)));
        reader_.skip(uri.size());
        const auto eid = parse_uri(uri);
        if (!eid) give_up(AdminError::kMalformed);
        return eid.value_or(Eid());
    }
    /// The end of a status report and of a custody signal.
    void subject(Subject &subject) {
        subject.creation_time_s = sdnv();
        subject.sequence = sdnv();
        subject.source = eid(sdnv());
        if (left() != 0) give_up(AdminError::kMalformed);
    }
    [[nodiscard]] std::size_t left() const { return reader_.left().size(); }
    [[nodiscard]] bool failed() const { return failed_; }
    [[nodiscard]] AdminError error() const { return error_; }
    void give_up(AdminError error) {
        if (!std::exchange(failed_, true)) error_ = error;
        reader_ = SdnvReader({});
    }

private:
    SdnvReader reader_;
    AdminError error_ = AdminError::kMalformed;
    bool failed_ = false;
};

/// Reads the first octet; returns the fragment flag in `for_fragment`.
void read_type(RecordReader &reader, std::uint8_t expected, bool &for_fragment) {
    const std::uint8_t first = reader.octet();
    for_fragment = (first & kForFragment) != 0;
    if (!reader.failed() && first >> 4 != expected) reader.give_up(AdminError::kUnknownType);
}

void read_fragment(RecordReader &reader, bool present, Subject &subject) {
    if (!present) return;
    const std::uint64_t offset = reader.sdnv();
    subject.fragment = FragmentExtent{offset, reader.sdnv()};
}

void append_first(Bytes &to, std::uint8_t type, const Subject &subject) {
    to.push_back(static_cast<std::uint8_t>(type << 4 | (subject.fragment ? kForFragment : 0)));
}

void append_fragment(Bytes &to, const Subject &subject) {
    if (!subject.fragment) return;
    codec::append_sdnv(to, subject.fragment->offset);
    codec::append_sdnv(to, subject.fragment->length);
}

void append_time(Bytes &to, const Time &time) {
    codec::append_sdnv(to, time.seconds);
    codec::append_sdnv(to, time.nanoseconds);
}

void append_subject(Bytes &to, const Subject &subject) {
    codec::append_sdnv(to, subject.creation_time_s);
    codec::append_sdnv(to, subject.sequence);
    const std::string uri = subject.source.to_string();
    codec::append_sdnv(to, uri.size());
    append(to, as_bytes(uri));
}

std::uint8_t status_octet(bool succeeded, std::uint8_t reason) {
    return static_cast<std::uint8_t>((succeeded ? kSucceeded : 0) | (reason & kReasonMask));
}

}  // namespace

Result<std::uint8_t, AdminError> admin_record_type(ByteView payload) {
    if (payload.empty()) return fail(AdminError::kTruncated);
    return static_cast<std::uint8_t>(payload[0] >> 4);
}

Result<StatusReport, AdminError> decode_status_report(ByteView payload) {
    RecordReader reader(payload);
    StatusReport report;
    bool for_fragment = false;
    read_type(reader, kStatusReportRecord, for_fragment);
    const std::uint8_t flags = reader.octet();
    report.reason = reader.octet();
    read_fragment(reader, for_fragment, report.subject);
    for (std::size_t i = 0; i < report.times.size(); ++i)
        if ((flags >> i & 1) != 0) report.times[i] = reader.time();
    reader.subject(report.subject);
    if (reader.failed()) return fail(reader.error());
    return report;
}

Result<CustodySignal, AdminError> decode_custody_signal(ByteView payload) {
    RecordReader reader(payload);
    CustodySignal signal;
    bool for_fragment = false;
    read_type(reader, kCustodySignalRecord, for_fragment);
    const std::uint8_t status = reader.octet();
    signal.succeeded = (status & kSucceeded) != 0;
    signal.reason = status & kReasonMask;
    read_fragment(reader, for_fragment, signal.subject);
    signal.time = reader.time();
    reader.subject(signal.subject);
    if (reader.failed()) return fail(reader.error());
    return signal;
}

Result<AggregateCustodySignal, AdminError> decode_aggregate_custody_signal(ByteView payload) {
    constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
    RecordReader reader(payload);
    AggregateCustodySignal signal;
    bool for_fragment = false;
    read_type(reader, kAggregateCustodySignalRecord, for_fragment);
    const std::uint8_t status = reader.octet();
    signal.succeeded = (status & kSucceeded) != 0;
    signal.reason = status & kReasonMask;
    std::uint64_t last = 0;
    do {
        // The first fill begins at a custody id, a later one at a distance from the id before.
        const std::uint64_t start = reader.sdnv();
        const std::uint64_t length = reader.sdnv();
        if (reader.failed()) return fail(reader.error());
        const bool overlaps = !signal.ranges.empty() && start == 0;
        if (length == 0 || overlaps || start > kMost - last || length - 1 > kMost - last - start)
            return fail(AdminError::kMalformed);
        signal.ranges.push_back({last + start, last + start + length - 1});
        last = signal.ranges.back().last;
    } while (reader.left() != 0);
    return signal;
}

Bytes encode(const StatusReport &report) {
    Bytes octets;
    append_first(octets, kStatusReportRecord, report.subject);
    unsigned flags = 0;
    for (std::size_t i = 0; i < report.times.size(); ++i)
        if (report.times[i]) flags |= 1U << i;
    octets.push_back(static_cast<std::uint8_t>(flags));
    octets.push_back(report.reason);
    append_fragment(octets, report.subject);
    for (const auto &time : report.times)
        if (time) append_time(octets, *time);
    append_subject(octets, report.subject);
    return octets;
}

Bytes encode(const CustodySignal &signal) {
    Bytes octets;
    append_first(octets, kCustodySignalRecord, signal.subject);
    octets.push_back(status_octet(signal.succeeded, signal.reason));
    append_fragment(octets, signal.subject);
    append_time(octets, signal.time);
    append_subject(octets, signal.subject);
    return octets;
}

Bytes encode(const AggregateCustodySignal &signal) {
    Bytes octets{kAggregateCustodySignalRecord << 4, status_octet(signal.succeeded, signal.reason)};
    std::uint64_t last = 0;
    for (const CustodyRange &range : signal.ranges) {
        codec::append_sdnv(octets, range.first - last);
        codec::append_sdnv(octets, range.last - range.first + 1);
        last = range.last;
    }
    return octets;
}

Result<CustodyTransferEnhancement, AdminError> decode_cteb(ByteView data) {
    RecordReader reader(data);
    CustodyTransferEnhancement cteb;
    cteb.custody_id = reader.sdnv();
    cteb.creator = reader.eid(reader.left());
    if (reader.failed()) return fail(reader.error());
    return cteb;
}

Bytes encode(const CustodyTransferEnhancement &cteb) {
    Bytes octets;
    codec::append_sdnv(octets, cteb.custody_id);
    append(octets, as_bytes(cteb.creator.to_string()));
    return octets;
}

}  // namespace farlink::bp::v6
