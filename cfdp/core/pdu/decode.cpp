// SPDX-License-Identifier: Apache-2.0
#include "cfdp/core/pdu/pdu.hpp"

#include "common/files/octets.hpp"

namespace farlink::cfdp {
namespace {

constexpr std::uint8_t kVersion = 0b001;

/// After an end that comes too early everything is 0 or empty.
class PduReader : public files::OctetReader {
public:
    PduReader(ByteView from, bool large) : OctetReader(from), large_(large) {}

    std::uint64_t number(std::size_t bytes) {
        std::uint64_t value = 0;
        for (const std::uint8_t each : octets(bytes)) value = value << 8 | each;
        return value;
    }
    std::uint8_t octet() { return static_cast<std::uint8_t>(number(1)); }
    std::uint64_t size() { return number(large_ ? 8 : 4); }
    ByteView length_value() { return octets(octet()); }
    ByteView take_rest() { return octets(rest().size()); }
    [[nodiscard]] bool at_end() const { return rest().empty(); }

private:
    bool large_;
};

using Body = Result<PduBody, PduError>;

Bytes copy_of(ByteView octets) {
    return {octets.begin(), octets.end()};
}

/// 12 and 13 are not used.
bool is_condition(unsigned code) {
    return code <= 11 || code >= 14;
}

/// An entity id of 1 to 8 octets.
std::optional<EntityId> entity_of(ByteView value) {
    if (value.empty() || value.size() > sizeof(EntityId)) return std::nullopt;
    return PduReader(value, false).number(value.size());
}

Body read_eof(PduReader in) {
    const unsigned condition = in.octet() >> 4;
    Eof pdu{.condition = static_cast<ConditionCode>(condition),
            .checksum = static_cast<std::uint32_t>(in.number(4)),
            .file_size = in.size()};
    while (!in.at_end()) {
        const std::uint8_t type = in.octet();
        const ByteView value = in.length_value();
        if (in.failed()) break;
        if (type != Tlv::kEntityId) continue;
        pdu.fault_location = entity_of(value);
        if (!pdu.fault_location) return fail(PduError::kField);
    }
    if (in.failed()) return fail(PduError::kTruncated);
    if (!is_condition(condition)) return fail(PduError::kField);
    return pdu;
}

Body read_finished(PduReader in) {
    const std::uint8_t flags = in.octet();
    Finished pdu{.condition = static_cast<ConditionCode>(flags >> 4),
                 .incomplete = (flags & 4) != 0,
                 .status = static_cast<FileStatus>(flags & 3)};
    while (!in.at_end()) {
        const std::uint8_t type = in.octet();
        const ByteView value = in.length_value();
        if (in.failed()) break;
        if (type == Tlv::kFilestoreResponse) pdu.filestore_responses.push_back(copy_of(value));
        if (type != Tlv::kEntityId) continue;
        pdu.fault_location = entity_of(value);
        if (!pdu.fault_location) return fail(PduError::kField);
    }
    if (in.failed()) return fail(PduError::kTruncated);
    if (!is_condition(flags >> 4)) return fail(PduError::kField);
    return pdu;
}

Body read_ack(PduReader in) {
    const std::uint8_t of = in.octet();
    const std::uint8_t flags = in.octet();
    if (in.failed()) return fail(PduError::kTruncated);
    if (!in.at_end()) return fail(PduError::kTrailing);
    const auto directive = static_cast<Directive>(of >> 4);
    const bool known = directive == Directive::kEof || directive == Directive::kFinished;
    if (!known || !is_condition(flags >> 4)) return fail(PduError::kField);
    return Ack{directive, static_cast<ConditionCode>(flags >> 4),
               static_cast<TransactionStatus>(flags & 3)};
}

Body read_metadata(PduReader in) {
    const std::uint8_t flags = in.octet();
    Metadata pdu{.closure_requested = (flags & 0x40) != 0,
                 .checksum_type = static_cast<std::uint8_t>(flags & 15),
                 .file_size = in.size()};
    pdu.source_name = as_text(in.length_value());
    pdu.destination_name = as_text(in.length_value());
    while (!in.at_end()) {
        const std::uint8_t type = in.octet();
        const ByteView value = in.length_value();
        if (!in.failed()) pdu.options.push_back({type, copy_of(value)});
    }
    if (in.failed()) return fail(PduError::kTruncated);
    return pdu;
}

Body read_nak(PduReader in) {
    Nak pdu{.scope_begin = in.size(), .scope_end = in.size()};
    while (!in.at_end()) {
        SegmentRequest request{.begin = in.size()};
        request.end = in.size();
        if (in.failed()) break;
        if (request.begin > request.end) return fail(PduError::kField);
        pdu.requests.push_back(request);
    }
    if (in.failed()) return fail(PduError::kTruncated);
    if (pdu.scope_begin > pdu.scope_end) return fail(PduError::kField);
    return pdu;
}

Body read_prompt(PduReader in) {
    const Prompt pdu{.keep_alive = (in.octet() & 0x80) != 0};
    if (in.failed()) return fail(PduError::kTruncated);
    if (!in.at_end()) return fail(PduError::kTrailing);
    return pdu;
}

Body read_keep_alive(PduReader in) {
    const KeepAlive pdu{.progress = in.size()};
    if (in.failed()) return fail(PduError::kTruncated);
    if (!in.at_end()) return fail(PduError::kTrailing);
    return pdu;
}

Body read_file_data(PduReader in, bool has_metadata) {
    FileData pdu{.has_metadata = has_metadata};
    if (has_metadata) {
        const std::uint8_t flags = in.octet();
        pdu.continuation = flags >> 6;
        pdu.metadata = in.octets(flags & 63);
    }
    pdu.offset = in.size();
    pdu.data = in.take_rest();
    if (in.failed()) return fail(PduError::kTruncated);
    if (pdu.offset + pdu.data.size() < pdu.offset) return fail(PduError::kField);
    return pdu;
}

Body read_directive(PduReader in) {
    if (in.at_end()) return fail(PduError::kTruncated);
    switch (static_cast<Directive>(in.octet())) {
        case Directive::kEof:
            return read_eof(in);
        case Directive::kFinished:
            return read_finished(in);
        case Directive::kAck:
            return read_ack(in);
        case Directive::kMetadata:
            return read_metadata(in);
        case Directive::kNak:
            return read_nak(in);
        case Directive::kPrompt:
            return read_prompt(in);
        case Directive::kKeepAlive:
            return read_keep_alive(in);
    }
    return fail(PduError::kDirective);
}

/// Section 5.1, table 5-1: which end a PDU is for.
bool is_towards_sender(const PduBody &body) {
    if (const auto *ack = std::get_if<Ack>(&body)) return ack->of == Directive::kEof;
    return std::holds_alternative<Finished>(body) || std::holds_alternative<Nak>(body) ||
           std::holds_alternative<KeepAlive>(body);
}

struct ReadHeader {
    PduHeader header{};
    bool file_data = false;
    bool segment_metadata = false;
    ByteView data{};
};

Result<ReadHeader, PduError> read_header(ByteView octets) {
    if (octets.size() < kFixedHeaderBytes) return fail(PduError::kTruncated);
    const std::uint8_t flags = octets[0];
    if (flags >> 5 != kVersion) return fail(PduError::kVersion);
    ReadHeader read{.header = {.towards_sender = (flags & 8) != 0,
                               .unacknowledged = (flags & 4) != 0,
                               .crc = (flags & 2) != 0,
                               .large_file = (flags & 1) != 0,
                               .record_boundaries = (octets[3] & 0x80) != 0,
                               .entity_bytes = static_cast<std::uint8_t>((octets[3] >> 4 & 7) + 1),
                               .sequence_bytes = static_cast<std::uint8_t>((octets[3] & 7) + 1)},
                    .file_data = (flags & 0x10) != 0,
                    .segment_metadata = (octets[3] & 8) != 0};
    const std::size_t head = header_bytes(read.header);
    const std::size_t size = load_be<std::uint16_t>(&octets[1]);
    if (octets.size() < head + size) return fail(PduError::kTruncated);
    if (octets.size() > head + size) return fail(PduError::kTrailing);
    PduReader in(octets.subspan(kFixedHeaderBytes), false);
    read.header.id.source = in.number(read.header.entity_bytes);
    read.header.id.sequence = in.number(read.header.sequence_bytes);
    read.header.destination = in.number(read.header.entity_bytes);
    read.data = octets.subspan(head);
    return read;
}

}  // namespace

std::uint16_t pdu_crc(ByteView octets) {
    unsigned crc = 0xffff;
    for (const std::uint8_t octet : octets) {
        unsigned mixed = (crc >> 8) ^ octet;
        mixed ^= mixed >> 4;
        crc = (crc << 8 ^ mixed << 12 ^ mixed << 5 ^ mixed) & 0xffff;
    }
    return static_cast<std::uint16_t>(crc);
}

std::size_t first_pdu_bytes(ByteView octets) {
    if (octets.size() < kFixedHeaderBytes) return 0;
    const PduHeader lengths{.entity_bytes = static_cast<std::uint8_t>((octets[3] >> 4 & 7) + 1),
                            .sequence_bytes = static_cast<std::uint8_t>((octets[3] & 7) + 1)};
    const std::size_t size = header_bytes(lengths) + load_be<std::uint16_t>(&octets[1]);
    return size <= octets.size() ? size : 0;
}

Result<Pdu, PduError> decode_pdu(ByteView octets) {
    auto read = read_header(octets);
    if (!read) return fail(read.error());
    if (read->header.crc) {
        if (read->data.size() < kPduCrcBytes) return fail(PduError::kTruncated);
        const ByteView covered = octets.first(octets.size() - kPduCrcBytes);
        if (pdu_crc(covered) != load_be<std::uint16_t>(&octets[covered.size()]))
            return fail(PduError::kCrc);
        read->data = read->data.first(read->data.size() - kPduCrcBytes);
    }
    const PduReader in(read->data, read->header.large_file);
    Body body = read->file_data ? read_file_data(in, read->segment_metadata) : read_directive(in);
    if (!body) return fail(body.error());
    if (is_towards_sender(*body) != read->header.towards_sender) return fail(PduError::kDirection);
    return Pdu{read->header, std::move(*body)};
}

}  // namespace farlink::cfdp
