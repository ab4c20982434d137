// SPDX-License-Identifier: Apache-2.0
#include "module/applications/core/protocol/aap2.hpp"

#include "module/applications/core/protocol/protobuf.hpp"

namespace farlink::applications {
namespace {

constexpr std::uint32_t kWelcome = 1;
constexpr std::uint32_t kConfig = 2;
constexpr std::uint32_t kAdu = 3;
constexpr std::uint32_t kDispatchEvent = 4;
constexpr std::uint32_t kLink = 5;
constexpr std::uint32_t kKeepAlive = 6;

constexpr std::uint64_t kLastFlag = 3;

bool is_number(const ProtobufField &field) {
    return field.type == WireType::kVarint;
}
bool is_octets(const ProtobufField &field) {
    return field.type == WireType::kOctets;
}

// Decoded in place: each false means that the message is not well formed.

bool decode_config(ByteView octets, ConnectionConfig &config) {
    ProtobufReader reader(octets);
    while (const auto field = reader.next()) {
        const bool texts = field->number == 3 || field->number == 4;
        if (texts != is_octets(*field) && field->number <= 5) return false;
        switch (field->number) {
            case 1:
                config.subscribes = field->value != 0;
                break;
            case 2:
                config.auth_type = field->value;
                break;
            case 3:
                config.secret = field->text();
                break;
            case 4:
                config.endpoint = field->text();
                break;
            case 5:
                config.keep_alive_seconds = field->value;
                break;
            case 1000:
                config.window = field->value;
                break;
            case 1001:
                config.stay_seconds = field->value;
                break;
            case 1003:
                config.wants_metadata = field->value != 0;
                break;
            default:
                break;
        }
    }
    return !reader.failed();
}

/// A flag of the enum; one that is not known makes the message invalid.
bool add_flag(std::uint64_t flag, std::uint8_t &flags) {
    if (flag > kLastFlag) return false;
    if (flag > 0) flags |= static_cast<std::uint8_t>(1U << flag);
    return true;
}

/// `repeated` enums are packed, or one field each.
bool add_flags(const ProtobufField &field, std::uint8_t &flags) {
    if (is_number(field)) return add_flag(field.value, flags);
    if (!is_octets(field)) return false;
    ByteView rest = field.octets;
    while (!rest.empty()) {
        const VarintRead read = read_varint(rest);
        if (read.invalid || read.size == 0 || !add_flag(read.value, flags)) return false;
        rest = rest.subspan(read.size);
    }
    return true;
}

/// The fields that only a sender gives.
void decode_option(const ProtobufField &field, SendOptions &options) {
    if (!is_number(field)) return;
    switch (field.number) {
        case 1000:
            options.lifetime_ms = field.value;
            break;
        case 1001:
            if (field.value < kPriorityCount) options.priority = static_cast<Priority>(field.value);
            break;
        case 1002:
            options.reports = static_cast<std::uint8_t>(field.value);
            break;
        case 1003:
            options.crc_type = field.value;
            break;
        case 1004:
            options.hop_limit = field.value;
            break;
        case 1005:
            options.version = field.value;
            break;
        default:
            break;
    }
}

bool decode_adu(ByteView octets, BundleAdu &adu) {
    ProtobufReader reader(octets);
    while (const auto field = reader.next()) {
        const bool texts = field->number <= 2 || field->number == 7;
        if (field->number <= 7 && field->number != 6 && texts != is_octets(*field)) return false;
        switch (field->number) {
            case 1:
                adu.source = field->text();
                break;
            case 2:
                adu.destination = field->text();
                break;
            case 3:
                adu.creation_ms = field->value;
                break;
            case 4:
                adu.sequence = field->value;
                break;
            case 5:
                adu.payload_bytes = field->value;
                break;
            case 6:
                if (!add_flags(*field, adu.flags)) return false;
                break;
            case 7:
                adu.report_to = field->text();
                break;
            default:
                decode_option(*field, adu.options);
                break;
        }
    }
    return !reader.failed();
}

bool decode_content(const ProtobufField &field, ClientMessage &message) {
    switch (field.number) {
        case kConfig:
            return decode_config(field.octets, message.emplace<ConnectionConfig>());
        case kAdu:
            return decode_adu(field.octets, message.emplace<BundleAdu>());
        case kKeepAlive:
            message = KeepAliveMessage{};
            return true;
        case kWelcome:
        case kDispatchEvent:
        case kLink:
            message = OtherMessage{};
            return true;
        default:
            return false;
    }
}

}  // namespace

std::optional<ClientMessage> decode_message(ByteView octets) {
    std::optional<ClientMessage> message;
    ProtobufReader reader(octets);
    while (const auto field = reader.next()) {
        if (field->number > kKeepAlive) continue;
        if (!is_octets(*field)) return std::nullopt;
        // The last one of a oneof counts.
        if (!decode_content(*field, message ? *message : message.emplace(OtherMessage{})))
            return std::nullopt;
    }
    if (reader.failed()) message.reset();
    return message;
}

std::optional<Response> decode_response(ByteView octets) {
    Response response;
    ProtobufReader reader(octets);
    while (const auto field = reader.next()) {
        if (field->number == 1 && !is_number(*field)) return std::nullopt;
        if (field->number == 1 && field->value <= 0xff)
            response.status = static_cast<ResponseStatus>(field->value);
        if (field->number == 1000 && is_number(*field)) response.count = field->value;
        if (field->number == 1001 && is_octets(*field)) response.reason = field->text();
    }
    if (reader.failed()) return std::nullopt;
    return response;
}

void Aap2Writer::welcome(Bytes &to, std::string_view node_id) {
    content_.clear();
    ProtobufWriter(content_).text(1, node_id);
    message(to, kWelcome);
}

void Aap2Writer::keep_alive(Bytes &to) {
    content_.clear();
    message(to, kKeepAlive);
}

void Aap2Writer::adu(Bytes &to, const BundleAdu &adu, const Reception *reception) {
    content_.clear();
    ProtobufWriter out(content_);
    out.text(1, adu.source);
    out.text(2, adu.destination);
    out.number(3, adu.creation_ms);
    out.number(4, adu.sequence);
    out.number(5, adu.payload_bytes);
    for (std::uint64_t flag = 1; flag <= kLastFlag; ++flag)
        if ((adu.flags >> flag & 1) != 0) out.number(6, flag);
    out.text(7, adu.report_to);
    if (reception != nullptr) {
        out.number(1010, reception->previous_node);
        out.number(1011, reception->hop_count);
        out.number(1012, reception->hop_limit);
        out.number(1013, reception->age_ms);
        out.number(1014, reception->repeated ? 1 : 0);
        out.number(1015, reception->identity);
        out.number(1016, reception->priority);
    }
    message(to, kAdu);
}

void Aap2Writer::response(Bytes &to, const Response &response) {
    content_.clear();
    ProtobufWriter out(content_);
    out.number(1, static_cast<std::uint64_t>(response.status));
    if (response.count != 1) out.number(1000, response.count);
    out.text(1001, response.reason);
    delimited(to, content_);
}

void Aap2Writer::message(Bytes &to, std::uint32_t field) {
    ProtobufWriter out(to);
    out.varint(ProtobufWriter::message_size(field, content_.size()));
    out.message(field, content_);
}

void Aap2Writer::delimited(Bytes &to, ByteView octets) {
    ProtobufWriter(to).varint(octets.size());
    append(to, octets);
}

}  // namespace farlink::applications
