// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/user/messages.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "common/files/octets.hpp"

namespace farlink::cfdp {
namespace {

constexpr std::size_t kLargestMessage = 255;
constexpr std::size_t kHeadBytes = 4;  // "cfdp"

/// Sections 6.2.2 to 6.6.
enum Type : std::uint8_t {
    kProxyPut = 0x00,
    kProxyMessage = 0x01,
    kProxyRequest = 0x02,
    kProxyOverride = 0x03,
    kProxyMode = 0x04,
    kProxyPutResponse = 0x07,
    kProxyCancel = 0x09,
    kOriginating = 0x0a,
    kProxyClosure = 0x0b,
    kListingRequest = 0x10,
    kListingResponse = 0x11,
    kReportRequest = 0x20,
    kReportResponse = 0x21,
    kSuspendRequest = 0x30,
    kSuspendResponse = 0x31,
    kResumeRequest = 0x38,
    kResumeResponse = 0x39,
};

class Reader : public files::OctetReader {
public:
    using OctetReader::OctetReader;

    std::uint8_t octet() { return number<std::uint8_t>(); }
    ByteView length_value() { return octets(octet()); }
    std::string text() { return std::string(as_text(length_value())); }
    /// More than eight octets are no id of this entity.
    std::uint64_t id(std::size_t size) {
        if (size > sizeof(std::uint64_t)) size = rest().size() + 1;
        std::uint64_t value = 0;
        for (const std::uint8_t each : octets(size)) value = value << 8 | each;
        return value;
    }
    TransactionId transaction() {
        const std::uint8_t sizes = octet();
        const std::uint64_t source = id((sizes >> 4 & 7U) + 1);
        return {source, id((sizes & 7U) + 1)};
    }
};

class Writer {
public:
    explicit Writer(Type type) : octets_{'c', 'f', 'd', 'p', type} {}

    void octet(unsigned value) { octets_.push_back(static_cast<std::uint8_t>(value)); }
    void octets(ByteView more) { append(octets_, more); }
    void length_value(ByteView value) {
        too_long_ = too_long_ || value.size() > kLargestMessage;
        octet(static_cast<unsigned>(value.size() & 0xff));
        octets(value);
    }
    void text(std::string_view text) { length_value(as_bytes(text)); }
    void id(std::uint64_t value, std::size_t size) {
        for (std::size_t i = size; i-- > 0;) octet(static_cast<unsigned>(value >> (8 * i)) & 0xff);
    }
    void transaction(const TransactionId &which) {
        const std::size_t source = bytes_for(which.source);
        const std::size_t sequence = bytes_for(which.sequence);
        octet(static_cast<unsigned>((source - 1) << 4 | (sequence - 1)));
        id(which.source, source);
        id(which.sequence, sequence);
    }
    std::optional<Bytes> take() {
        if (too_long_ || octets_.size() > kLargestMessage) return std::nullopt;
        return std::move(octets_);
    }

private:
    Bytes octets_;
    bool too_long_ = false;
};

Writer write(const ProxyPut &message) {
    Writer out(kProxyPut);
    const std::size_t size = bytes_for(message.destination);
    out.octet(static_cast<unsigned>(size));
    out.id(message.destination, size);
    out.text(message.source_name);
    out.text(message.destination_name);
    return out;
}

Writer write(const ProxyOption &message) {
    Writer out(message.is_request ? kProxyRequest : kProxyMessage);
    out.length_value(message.value);
    return out;
}

Writer write(const ProxyOverride &message) {
    Writer out(kProxyOverride);
    out.octet(message.value);
    return out;
}

Writer write(const ProxyMode &message) {
    Writer out(kProxyMode);
    out.octet(message.unacknowledged ? 1 : 0);
    return out;
}

Writer write(const ProxyClosure &message) {
    Writer out(kProxyClosure);
    out.octet(message.requested ? 1 : 0);
    return out;
}

Writer write(const ProxyPutResponse &message) {
    Writer out(kProxyPutResponse);
    out.octet(static_cast<unsigned>(message.condition) << 4 | (message.incomplete ? 4U : 0U) |
              static_cast<unsigned>(message.status));
    return out;
}

Writer write(const ProxyCancel &) {
    return Writer(kProxyCancel);
}

Writer write(const Originating &message) {
    Writer out(kOriginating);
    out.transaction(message.id);
    return out;
}

Writer write(const ListingRequest &message) {
    Writer out(kListingRequest);
    out.text(message.folder);
    out.text(message.file_name);
    return out;
}

Writer write(const ListingResponse &message) {
    Writer out(kListingResponse);
    out.octet(message.failed ? 0x80 : 0);
    out.text(message.folder);
    out.text(message.file_name);
    return out;
}

Writer write(const ReportRequest &message) {
    Writer out(kReportRequest);
    out.transaction(message.id);
    out.text(message.file_name);
    return out;
}

Writer write(const ReportResponse &message) {
    Writer out(kReportResponse);
    out.octet(static_cast<unsigned>(message.status) << 6 | (message.failed ? 1U : 0U));
    out.transaction(message.id);
    out.text(message.file_name);
    return out;
}

Writer write(const ChangeRequest &message) {
    Writer out(message.resume ? kResumeRequest : kSuspendRequest);
    out.transaction(message.id);
    return out;
}

Writer write(const ChangeResponse &message) {
    Writer out(message.resume ? kResumeResponse : kSuspendResponse);
    out.octet((message.suspended ? 0x80U : 0U) | static_cast<unsigned>(message.status) << 5);
    out.transaction(message.id);
    return out;
}

ProxyPut read_put(Reader &in) {
    ProxyPut message{.destination = in.id(std::max<std::size_t>(in.octet(), 1))};
    message.source_name = in.text();
    message.destination_name = in.text();
    return message;
}

ProxyOption read_option(Reader &in, bool is_request) {
    const ByteView value = in.length_value();
    return {is_request, {value.begin(), value.end()}};
}

ProxyPutResponse read_put_response(Reader &in) {
    const unsigned flags = in.octet();
    return {static_cast<ConditionCode>(flags >> 4), (flags & 4) != 0,
            static_cast<FileStatus>(flags & 3)};
}

ListingRequest read_listing_request(Reader &in) {
    ListingRequest message{.folder = in.text()};
    message.file_name = in.text();
    return message;
}

ListingResponse read_listing_response(Reader &in) {
    ListingResponse message{.failed = in.octet() != 0};
    message.folder = in.text();
    message.file_name = in.text();
    return message;
}

ReportRequest read_report_request(Reader &in) {
    ReportRequest message{.id = in.transaction()};
    message.file_name = in.text();
    return message;
}

ReportResponse read_report_response(Reader &in) {
    const unsigned flags = in.octet();
    ReportResponse message{.status = static_cast<TransactionStatus>(flags >> 6),
                           .failed = (flags & 1) != 0,
                           .id = in.transaction()};
    message.file_name = in.text();
    return message;
}

ChangeResponse read_change_response(Reader &in, bool resume) {
    const unsigned flags = in.octet();
    return {resume, (flags & 0x80) != 0, static_cast<TransactionStatus>(flags >> 5 & 3),
            in.transaction()};
}

std::optional<UserMessage> read(std::uint8_t type, Reader &in) {
    switch (type) {
        case kProxyPut:
            return read_put(in);
        case kProxyMessage:
        case kProxyRequest:
            return read_option(in, type == kProxyRequest);
        case kProxyOverride:
            return ProxyOverride{in.octet()};
        case kProxyMode:
            return ProxyMode{(in.octet() & 1) != 0};
        case kProxyClosure:
            return ProxyClosure{(in.octet() & 1) != 0};
        case kProxyPutResponse:
            return read_put_response(in);
        case kProxyCancel:
            return ProxyCancel{};
        case kOriginating:
            return Originating{in.transaction()};
        case kListingRequest:
            return read_listing_request(in);
        case kListingResponse:
            return read_listing_response(in);
        case kReportRequest:
            return read_report_request(in);
        case kReportResponse:
            return read_report_response(in);
        case kSuspendRequest:
        case kResumeRequest:
            return ChangeRequest{type == kResumeRequest, in.transaction()};
        case kSuspendResponse:
        case kResumeResponse:
            return read_change_response(in, type == kResumeResponse);
        default:
            return std::nullopt;
    }
}

}  // namespace

std::optional<UserMessage> decode_user_message(ByteView value) {
    const auto type = reserved_message_type(value);
    if (!type) return std::nullopt;
    Reader in(value.subspan(kHeadBytes + 1));
    auto message = read(*type, in);
    if (in.failed() || !in.rest().empty()) return std::nullopt;
    return message;
}

std::optional<Bytes> encode_user_message(const UserMessage &message) {
    return std::visit([](const auto &each) { return write(each).take(); }, message);
}

}  // namespace farlink::cfdp
