// SPDX-License-Identifier: Apache-2.0
#include <bit>

#include "cfdp/core/pdu/pdu.hpp"

namespace farlink::cfdp {
namespace {

constexpr std::uint8_t kVersionBits = 0b001U << 5;

/// The fields of one PDU, behind one another.
class PduWriter {
public:
    PduWriter(Bytes &to, bool large) : to_(to), large_(large) {}

    void octet(unsigned value) { to_.push_back(static_cast<std::uint8_t>(value)); }
    void number(std::uint64_t value, std::size_t bytes) {
        for (std::size_t i = bytes; i-- > 0;) octet(static_cast<unsigned>(value >> (8 * i)) & 0xff);
    }
    /// A file size or an offset.
    void size(std::uint64_t value) { number(value, large_ ? 8 : 4); }
    void octets(ByteView more) { append(to_, more); }
    void length_value(ByteView value) {
        octet(static_cast<unsigned>(value.size()));
        octets(value);
    }
    void tlv(std::uint8_t type, ByteView value) {
        octet(type);
        length_value(value);
    }
    void fault_location(const std::optional<EntityId> &entity, std::size_t bytes) {
        if (!entity) return;
        octet(Tlv::kEntityId);
        octet(static_cast<unsigned>(bytes));
        number(*entity, bytes);
    }
    void directive(Directive code) { octet(static_cast<unsigned>(code)); }

private:
    Bytes &to_;
    bool large_;
};

unsigned upper(ConditionCode code) {
    return static_cast<unsigned>(code) << 4;
}

void write(PduWriter &out, const PduHeader &, const FileData &pdu) {
    if (pdu.has_metadata) {
        out.octet((pdu.continuation & 3U) << 6 | (pdu.metadata.size() & 63U));
        out.octets(pdu.metadata);
    }
    out.size(pdu.offset);
    out.octets(pdu.data);
}

void write(PduWriter &out, const PduHeader &header, const Eof &pdu) {
    out.directive(Directive::kEof);
    out.octet(upper(pdu.condition));
    out.number(pdu.checksum, 4);
    out.size(pdu.file_size);
    if (pdu.condition != ConditionCode::kNoError)
        out.fault_location(pdu.fault_location, header.entity_bytes);
}

void write(PduWriter &out, const PduHeader &header, const Finished &pdu) {
    out.directive(Directive::kFinished);
    out.octet(upper(pdu.condition) | (pdu.incomplete ? 4U : 0U) |
              static_cast<unsigned>(pdu.status));
    for (const Bytes &response : pdu.filestore_responses)
        out.tlv(Tlv::kFilestoreResponse, response);
    out.fault_location(pdu.fault_location, header.entity_bytes);
}

void write(PduWriter &out, const PduHeader &, const Ack &pdu) {
    out.directive(Directive::kAck);
    out.octet(static_cast<unsigned>(pdu.of) << 4 | (pdu.of == Directive::kFinished ? 1U : 0U));
    out.octet(upper(pdu.condition) | static_cast<unsigned>(pdu.status));
}

void write(PduWriter &out, const PduHeader &, const Metadata &pdu) {
    out.directive(Directive::kMetadata);
    out.octet((pdu.closure_requested ? 0x40U : 0U) | (pdu.checksum_type & 15U));
    out.size(pdu.file_size);
    out.length_value(as_bytes(pdu.source_name));
    out.length_value(as_bytes(pdu.destination_name));
    for (const Tlv &each : pdu.options) out.tlv(each.type, each.value);
}

void write(PduWriter &out, const PduHeader &, const Nak &pdu) {
    out.directive(Directive::kNak);
    out.size(pdu.scope_begin);
    out.size(pdu.scope_end);
    for (const SegmentRequest &each : pdu.requests) {
        out.size(each.begin);
        out.size(each.end);
    }
}

void write(PduWriter &out, const PduHeader &, const Prompt &pdu) {
    out.directive(Directive::kPrompt);
    out.octet(pdu.keep_alive ? 0x80U : 0U);
}

void write(PduWriter &out, const PduHeader &, const KeepAlive &pdu) {
    out.directive(Directive::kKeepAlive);
    out.size(pdu.progress);
}

void write_header(PduWriter &out, const PduHeader &header, const PduBody &body) {
    const auto *data = std::get_if<FileData>(&body);
    out.octet(kVersionBits | (data != nullptr ? 0x10U : 0U) | (header.towards_sender ? 8U : 0U) |
              (header.unacknowledged ? 4U : 0U) | (header.crc ? 2U : 0U) |
              (header.large_file ? 1U : 0U));
    out.number(0, 2);  // the length, known at the end
    out.octet((header.record_boundaries ? 0x80U : 0U) | (header.entity_bytes - 1U) << 4 |
              (data != nullptr && data->has_metadata ? 8U : 0U) | (header.sequence_bytes - 1U));
    out.number(header.id.source, header.entity_bytes);
    out.number(header.id.sequence, header.sequence_bytes);
    out.number(header.destination, header.entity_bytes);
}

}  // namespace

std::uint8_t bytes_for(std::uint64_t number) {
    const auto bits = std::bit_width(number);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

std::size_t header_bytes(const PduHeader &header) {
    return kFixedHeaderBytes + 2U * header.entity_bytes + header.sequence_bytes;
}

Bytes encode_pdu(const PduHeader &header, const PduBody &body) {
    Bytes octets;
    if (const auto *data = std::get_if<FileData>(&body))
        octets.reserve(header_bytes(header) + 9 + data->metadata.size() + data->data.size() + 2);
    PduWriter out(octets, header.large_file);
    write_header(out, header, body);
    std::visit([&](const auto &pdu) { write(out, header, pdu); }, body);
    const std::size_t data = octets.size() - header_bytes(header) + (header.crc ? kPduCrcBytes : 0);
    store_be(octets.data() + 1, static_cast<std::uint16_t>(data));
    if (header.crc) out.number(pdu_crc(octets), kPduCrcBytes);
    return octets;
}

}  // namespace farlink::cfdp
