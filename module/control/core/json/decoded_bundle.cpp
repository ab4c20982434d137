// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/decoded_bundle.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>

#include "common/bp/eid/eid_cbor.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v6/primary.hpp"
#include "common/bp/v7/block.hpp"
#include "common/bp/v7/extension_data.hpp"
#include "common/config/fields/instant.hpp"
#include "common/json/exact_number.hpp"

namespace farlink::control {
namespace {

using Json = nlohmann::ordered_json;

struct Flag {
    std::uint64_t bit;
    const char *name;
};
constexpr std::array<Flag, 9> kBundleFlags7{{{bp::v7::kIsFragment, "isFragment"},
                                             {bp::v7::kIsAdminRecord, "isAdminRecord"},
                                             {bp::v7::kMustNotFragment, "mustNotFragment"},
                                             {bp::v7::kAckRequested, "ackRequested"},
                                             {bp::v7::kStatusTimeRequested, "statusTimeRequested"},
                                             {bp::v7::kReportReceptionFlag, "reportReception"},
                                             {bp::v7::kReportForwardingFlag, "reportForwarding"},
                                             {bp::v7::kReportDeliveryFlag, "reportDelivery"},
                                             {bp::v7::kReportDeletionFlag, "reportDeletion"}}};
constexpr std::array<Flag, 11> kBundleFlags6{
    {{bp::v6::kIsFragment, "isFragment"},
     {bp::v6::kIsAdminRecord, "isAdminRecord"},
     {bp::v6::kMustNotFragment, "mustNotFragment"},
     {bp::v6::kCustodyRequested, "custodyRequested"},
     {bp::v6::kSingletonDestination, "singletonDestination"},
     {bp::v6::kAckRequested, "ackRequested"},
     {bp::v6::kReportReceptionFlag, "reportReception"},
     {bp::v6::kReportCustodyFlag, "reportCustody"},
     {bp::v6::kReportForwardingFlag, "reportForwarding"},
     {bp::v6::kReportDeliveryFlag, "reportDelivery"},
     {bp::v6::kReportDeletionFlag, "reportDeletion"}}};
/// The first four have the same bits in both versions (RFC 9171 section 4.2.4, RFC 5050 section
/// 4.3), the others are BPv6's.
constexpr std::array<Flag, 7> kBlockFlags{
    {{bp::v7::kReplicateBlock, "replicate"},
     {bp::v7::kReportIfUnprocessable, "reportIfUnprocessable"},
     {bp::v7::kDeleteBundleIfUnprocessable, "deleteBundleIfUnprocessable"},
     {bp::v7::kDiscardBlockIfUnprocessable, "discardIfUnprocessable"},
     {bp::v6::kLastBlock, "lastBlock"},
     {bp::v6::kForwardedUnprocessed, "forwardedUnprocessed"},
     {bp::v6::kHasEidReferences, "hasEidReferences"}}};
constexpr std::size_t kSharedBlockFlags = 4;

Json names_of(std::span<const Flag> flags, std::uint64_t bits) {
    Json names = Json::array();
    for (const Flag &flag : flags)
        if ((bits & flag.bit) != 0) names.push_back(flag.name);
    return names;
}

const char *name7(std::uint64_t type) {
    switch (type) {
        case bp::v7::kPayloadBlock:
            return "payload";
        case bp::v7::kPreviousNodeBlock:
            return "previousNode";
        case bp::v7::kBundleAgeBlock:
            return "bundleAge";
        case bp::v7::kHopCountBlock:
            return "hopCount";
        case bp::v7::kIntegrityBlock:
            return "integrity";
        case bp::v7::kConfidentialityBlock:
            return "confidentiality";
        default:
            return nullptr;
    }
}

const char *name6(std::uint8_t type) {
    switch (type) {
        case bp::v6::kPayloadBlock:
            return "payload";
        case bp::v6::kPreviousHopBlock:
            return "previousHop";
        case bp::v6::kMetadataBlock:
            return "metadata";
        case bp::v6::kCustodyTransferBlock:
            return "custodyTransfer";
        case bp::v6::kExtendedClassBlock:
            return "extendedClassOfService";
        case bp::v6::kBundleAgeBlock:
            return "bundleAge";
        default:
            return nullptr;
    }
}

const char *crc_name(bp::v7::CrcType type) {
    return type == bp::v7::CrcType::kNone ? "none"
                                          : (type == bp::v7::CrcType::kCrc16 ? "crc16" : "crc32c");
}

/// Null: its source has no clock, or no calendar shows it.
Json creation_of(const bp::BundleView &view) {
    const std::uint64_t unit_ms = view.version == bp::kBpVersion6 ? bp::v6::kMsPerSecond : 1;
    if (view.creation_time == 0 || view.creation_time > config::kLastUtc / unit_ms) return {};
    return config::format_utc(view.creation_time * unit_ms);
}

Json primary_json(const bp::BundleView &view) {
    const bool six = view.version == bp::kBpVersion6;
    Json decoded{
        {"version", view.version},
        {"flags", six ? names_of(kBundleFlags6, view.flags) : names_of(kBundleFlags7, view.flags)},
        {"flagBits", exact_json(view.flags)},
        {"destination", bp::to_string(view.destination)},
        {"source", bp::to_string(view.source)},
        {"reportTo", bp::to_string(view.report_to)}};
    if (six) decoded["custodian"] = bp::to_string(view.custodian);
    decoded["created"] = creation_of(view);
    decoded["creationTime"] = exact_json(view.creation_time);
    decoded["sequence"] = exact_json(view.sequence);
    decoded["lifetimeMilliseconds"] = exact_json(view.lifetime_ms);
    if (view.is_fragment)
        decoded["fragment"] = {{"offset", exact_json(view.fragment_offset)},
                               {"totalBytes", exact_json(view.total_adu_length)}};
    decoded["primaryBytes"] = view.primary_end;
    return decoded;
}

/// What stands in a block that farlink itself reads; encrypted it is something else.
void add_content(Json &block, std::uint64_t type, ByteView data) {
    bp::v7::HopCount hops;
    std::uint64_t age_ms = 0;
    bp::EidView node;
    codec::CborReader reader(data);
    if (type == bp::v7::kHopCountBlock && bp::v7::read_hop_count(data, hops)) {
        block["hopLimit"] = hops.limit;
        block["hopCount"] = exact_json(hops.count);
    }
    if (type == bp::v7::kBundleAgeBlock && bp::v7::read_bundle_age(data, age_ms))
        block["ageMilliseconds"] = exact_json(age_ms);
    if (type == bp::v7::kPreviousNodeBlock && bp::read_eid(reader, node) && reader.done())
        block["node"] = bp::to_string(node);
}

/// RFC 9171 section 4.1: the payload block is the last one.
bool add_blocks7(ByteView octets, std::size_t from, Json &blocks) {
    codec::CborReader reader(octets.subspan(from));
    for (;;) {
        const auto offset = static_cast<std::size_t>(reader.at() - octets.data());
        bp::v7::BlockHead head;
        if (!bp::v7::read_block_head(reader, head)) return false;
        Json block{{"type", exact_json(head.type)}};
        if (const char *name = name7(head.type)) block["name"] = name;
        block["number"] = exact_json(head.number);
        block["flags"] = names_of(std::span(kBlockFlags).first<kSharedBlockFlags>(), head.flags);
        block["flagBits"] = exact_json(head.flags);
        block["crc"] = crc_name(head.crc_type);
        block["offset"] = offset;
        block["bytes"] = exact_json(head.data_size);
        const bool here = head.data_size <= reader.left();
        if (here) add_content(block, head.type, {reader.at(), head.data_size});
        blocks.push_back(std::move(block));
        if (head.type == bp::v7::kPayloadBlock) return true;
        if (!here) return false;
        reader.skip(head.data_size);
        const std::uint8_t *crc = nullptr;
        if (!bp::v7::read_block_end(reader, head.crc_type, head.indefinite, crc)) return false;
    }
}

/// RFC 5050 section 4: the last block is marked.
bool add_blocks6(ByteView octets, std::size_t from, Json &blocks) {
    bp::v6::SdnvReader reader(octets.subspan(from));
    for (;;) {
        const std::size_t offset = octets.size() - reader.left().size();
        bp::v6::BlockHead head;
        if (!bp::v6::read_block_head(reader, head)) return false;
        Json block{{"type", head.type}};
        if (const char *name = name6(head.type)) block["name"] = name;
        block["flags"] = names_of(kBlockFlags, head.flags);
        block["flagBits"] = exact_json(head.flags);
        block["offset"] = offset;
        block["bytes"] = exact_json(head.data_size);
        const ByteView left = reader.left();
        std::uint64_t age_us = 0;
        if (head.type == bp::v6::kBundleAgeBlock && head.data_size <= left.size() &&
            bp::v6::read_bundle_age(left.first(head.data_size), age_us))
            block["ageMilliseconds"] = exact_json(age_us / bp::v6::kMicrosecondsPerMs);
        blocks.push_back(std::move(block));
        if ((head.flags & bp::v6::kLastBlock) != 0) return true;
        if (head.data_size > left.size()) return false;
        reader.skip(head.data_size);
    }
}

}  // namespace

Json decoded_json(ByteView octets) {
    const auto view = bp::parse_primary(octets);
    if (!view) return {{"decodeError", bp::to_string(view.error())}};
    Json decoded = primary_json(*view);
    Json blocks = Json::array();
    const bool complete = view->version == bp::kBpVersion6
                              ? add_blocks6(octets, view->primary_end, blocks)
                              : add_blocks7(octets, view->primary_end, blocks);
    decoded["blocks"] = std::move(blocks);
    decoded["blocksComplete"] = complete;
    return decoded;
}

}  // namespace farlink::control
