// SPDX-License-Identifier: Apache-2.0
#include "common/bp/v6/builder.hpp"

#include <array>

#include "common/base/invariant.hpp"
#include "common/bp/base/slices.hpp"
#include "common/bp/v6/primary.hpp"

namespace farlink::bp::v6 {
namespace {

// The version, flags, block length and all fields of a primary block.
constexpr std::size_t kPrimaryFixed = 1 + (2 + kFieldCount + 2) * codec::kMaxSdnvBytes;

std::array<const EidView *, 4> endpoints(const PrimaryFields &fields) {
    return {&fields.destination, &fields.source, &fields.report_to, &fields.custodian};
}

}  // namespace

bool to_cbhe(const EidView &eid, std::uint64_t *pair) {
    pair[0] = eid.node;
    pair[1] = eid.service;
    return eid.scheme == EidScheme::kIpn || eid.scheme == EidScheme::kNone;
}

Dictionary::Dictionary(ByteView octets) : octets_(octets.begin(), octets.end()) {
    if (!octets_.empty() && octets_.back() != 0) octets_.push_back(0);
}

std::uint64_t Dictionary::offset_of(std::string_view text) {
    for (std::size_t at = 0; at < octets_.size();) {
        const std::string_view entry(reinterpret_cast<const char *>(&octets_[at]));
        if (entry == text) return at;
        at += entry.size() + 1;
    }
    const std::size_t at = octets_.size();
    append(octets_, as_bytes(text));
    octets_.push_back(0);
    return at;
}

void Dictionary::refer(const EidView &eid, std::uint64_t *pair) {
    const std::string uri = to_string(eid);
    const std::size_t colon = uri.find(':');
    pair[0] = offset_of(std::string_view(uri).substr(0, colon));
    pair[1] = offset_of(std::string_view(uri).substr(colon + 1));
}

std::size_t primary_bound(const PrimaryFields &fields) {
    constexpr std::size_t kLongestIpn = 80;  // "ipn:" and three numbers, with their terminators
    std::size_t bound = kPrimaryFixed;
    for (const EidView *eid : endpoints(fields)) bound += kLongestIpn + eid->name.size();
    return bound;
}

std::size_t encode_primary(const PrimaryFields &fields, MutableBytes out) {
    FARLINK_INVARIANT(out.size() >= primary_bound(fields));
    std::uint64_t values[kFieldCount];
    const auto all = endpoints(fields);
    bool compressed = true;
    for (std::size_t i = 0; i < all.size(); ++i) compressed &= to_cbhe(*all[i], values + 2 * i);
    Dictionary dictionary;
    if (!compressed)
        for (std::size_t i = 0; i < all.size(); ++i) dictionary.refer(*all[i], values + 2 * i);
    values[kCreationTime] = fields.creation_time_s;
    values[kSequence] = fields.sequence;
    values[kLifetime] = fields.lifetime_s;
    values[kDictionaryLength] = dictionary.octets().size();

    const bool fragment = (fields.flags & kIsFragment) != 0;
    std::size_t length = dictionary.octets().size();
    for (const std::uint64_t value : values) length += codec::sdnv_size(value);
    if (fragment)
        length +=
            codec::sdnv_size(fields.fragment_offset) + codec::sdnv_size(fields.total_adu_length);

    std::uint8_t *to = out.data();
    *to++ = kVersion;
    to += codec::encode_sdnv(fields.flags, to);
    to += codec::encode_sdnv(length, to);
    for (const std::uint64_t value : values) to += codec::encode_sdnv(value, to);
    to = put(to, dictionary.octets());
    if (fragment) {
        to += codec::encode_sdnv(fields.fragment_offset, to);
        to += codec::encode_sdnv(fields.total_adu_length, to);
    }
    return static_cast<std::size_t>(to - out.data());
}

Builder::Builder(const PrimaryFields &primary) : octets_(primary_bound(primary)) {
    octets_.resize(encode_primary(primary, octets_));
}

void Builder::add_block(std::uint8_t type, std::uint64_t flags, ByteView data,
                        ByteView references) {
    octets_.push_back(type);
    codec::append_sdnv(octets_, flags & ~kLastBlock);
    last_flags_ = octets_.size() - 1;
    append(octets_, references);
    codec::append_sdnv(octets_, data.size());
    append(octets_, data);
}

Bytes Builder::finish() && {
    if (last_flags_ != 0) octets_[last_flags_] |= static_cast<std::uint8_t>(kLastBlock);
    return std::move(octets_);
}

}  // namespace farlink::bp::v6
