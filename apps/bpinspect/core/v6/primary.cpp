// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/core/v6/primary.hpp"

#include <array>

#include "apps/bpinspect/core/names.hpp"
#include "common/bp/v6/primary.hpp"

namespace farlink::inspect {
namespace {

constexpr std::string_view kPrimary6 = "RFC 5050 section 4.5.1";
constexpr std::string_view kFlags6 = "RFC 5050 section 4.2";
constexpr std::string_view kEndpoints6 = "RFC 5050 section 4.4";
constexpr std::uint64_t kPriorityBits = bp::v6::kPriorityMask << bp::v6::kPriorityShift;

std::string flags_text(std::uint64_t flags) {
    static constexpr const char *kPriorities[] = {"bulk", "normal", "expedited", "reserved"};
    const std::uint64_t priority = flags >> bp::v6::kPriorityShift & bp::v6::kPriorityMask;
    const std::string names = names_of_bits(flags & ~kPriorityBits, kBundleFlags6);
    return (names == "none" ? "" : names + ", ") + std::string(kPriorities[priority]) + " priority";
}

/// RFC 5050 section 4.2.
void judge_flags6(const Primary6 &primary, OctetRange at, Deviations &deviations) {
    const std::uint64_t flags = primary.flags;
    const bool requests = (flags & (bp::v6::kCustodyRequested | bp::v6::kReportFlags)) != 0;
    const bool whole = (flags & bp::v6::kMustNotFragment) != 0;
    const bool anonymous = primary.source && primary.source->view().is_null();
    if (primary.is_admin_record() && requests)
        deviations.add(at, kFlags6, "an administrative record requests custody or reports");
    if (anonymous && requests)
        deviations.add(at, kFlags6, "a bundle without a source requests custody or reports");
    if (anonymous && !whole)
        deviations.add(at, kFlags6, "a bundle without a source may be fragmented");
    if (primary.is_fragment() && whole)
        deviations.add(at, kFlags6, "a fragment has the flag \"must not be fragmented\"");
    if ((flags & kPriorityBits) == kPriorityBits)
        deviations.advise(at, kFlags6, "the priority is reserved");
    if (unnamed_bits(flags & ~kPriorityBits, kBundleFlags6) != 0)
        deviations.advise(at, kFlags6, "reserved flags are set");
}

std::optional<std::string_view> dictionary_text(const Window &dictionary, std::uint64_t offset) {
    if (offset >= dictionary.octets.size()) return std::nullopt;
    const std::string_view from = as_text(dictionary.octets.subspan(offset));
    const std::size_t end = from.find('\0');
    if (end == std::string_view::npos) return std::nullopt;
    return from.substr(0, end);
}

/// The eight numbers of four endpoints, whose meaning depends on the dictionary behind them.
struct Pairs {
    static constexpr std::size_t kCount = 4;
    std::array<std::uint64_t, 2 * kCount> numbers{};
    std::array<std::size_t, kCount> fields{};  ///< their places among the fields
};

bool read_pairs(SdnvWalk &walk, Field &field, Pairs &pairs) {
    static constexpr const char *kNames[] = {"destination", "source", "report-to", "custodian"};
    for (std::size_t i = 0; i < Pairs::kCount; ++i) {
        Field endpoint{kNames[i], {walk.at(), 0}, {}, {}, {}};
        const auto first = walk.sdnv("scheme offset", endpoint);
        const auto second = walk.sdnv("scheme-specific part offset", endpoint);
        endpoint.octets = range_between(endpoint.octets.at, walk.at());
        pairs.fields[i] = field.fields.size();
        field.fields.push_back(std::move(endpoint));
        if (!first || !second) return false;
        pairs.numbers[2 * i] = *first;
        pairs.numbers[2 * i + 1] = *second;
    }
    return true;
}

void name_endpoints(const Pairs &pairs, Field &field, Primary6 &primary, Deviations &deviations) {
    for (std::size_t i = 0; i < Pairs::kCount; ++i) {
        Field &endpoint = field.fields[pairs.fields[i]];
        if (primary.dictionary.octets.empty()) {
            endpoint.fields[0].name = "node number";
            endpoint.fields[1].name = "service number";
        }
        const auto eid = endpoint6(primary.dictionary, pairs.numbers[2 * i],
                                   pairs.numbers[2 * i + 1], endpoint.octets, deviations);
        if (!eid) continue;
        endpoint.value = eid->to_string();
        if (i == 0) primary.destination = eid->to_string();
        if (i == 1) primary.source = *eid;
        if (i == 3) primary.custodian = eid->to_string();
    }
}

void read_times(SdnvWalk &walk, Field &field, Primary6 &primary) {
    primary.creation_time_s = walk.sdnv("creation time", field);
    if (primary.creation_time_s) field.fields.back().meaning = utc_of_s(*primary.creation_time_s);
    primary.sequence = walk.sdnv("sequence number", field);
    const auto lifetime = walk.sdnv("lifetime", field);
    if (lifetime && *lifetime < ~std::uint64_t{0} / bp::v6::kMsPerSecond)
        field.fields.back().meaning = duration_of_ms(*lifetime * bp::v6::kMsPerSecond);
}

void read_dictionary(SdnvWalk &walk, Field &field, Primary6 &primary) {
    const auto length = walk.sdnv("dictionary length", field);
    if (!length) return;
    if (*length == 0) field.fields.back().meaning = "compressed (CBHE)";
    primary.dictionary = walk.octets(*length, "dictionary");
    const Window &dictionary = primary.dictionary;
    if (dictionary.octets.empty()) return;
    field.fields.push_back({"dictionary",
                            {dictionary.base, dictionary.octets.size()},
                            printable(as_text(dictionary.octets), 200),
                            {},
                            {}});
}

}  // namespace

bool Primary6::is_fragment() const {
    return (flags & bp::v6::kIsFragment) != 0;
}

bool Primary6::is_admin_record() const {
    return (flags & bp::v6::kIsAdminRecord) != 0;
}

std::optional<bp::Eid> endpoint6(const Window &dictionary, std::uint64_t scheme, std::uint64_t ssp,
                                 OctetRange at, Deviations &deviations) {
    if (dictionary.octets.empty()) return bp::Eid(scheme, ssp);
    const auto scheme_text = dictionary_text(dictionary, scheme);
    const auto ssp_text = dictionary_text(dictionary, ssp);
    if (!scheme_text || !ssp_text) {
        deviations.add(at, kEndpoints6,
                       "an offset is outside the dictionary, or the text at the offset has no end");
        return std::nullopt;
    }
    const std::string uri = std::string(*scheme_text) + ':' + std::string(*ssp_text);
    if (auto eid = bp::Eid::parse(uri)) return eid;
    if (*scheme_text == "ipn") {
        deviations.add(at, "RFC 6260 section 2.1", "not of the form ipn:NODE.SERVICE");
        return std::nullopt;
    }
    // BPv6 leaves the form of all other endpoints to their scheme.
    if (*scheme_text == "dtn") return bp::Eid(bp::EidView{bp::EidScheme::kDtn, 0, 0, *ssp_text});
    return bp::Eid(bp::EidView{bp::EidScheme::kOther, 0, 0, uri});
}

Field primary_field6(SdnvWalk &walk, const Window &window, Deviations &deviations,
                     Primary6 &primary) {
    Field field{"primary block", {walk.at(), 0}, {}, {}, {}};
    const auto close = [&] {
        field.octets = range_between(field.octets.at, walk.at());
        primary.octets = field.octets;
        return std::move(field);
    };
    walk.octet("version", field);
    const auto flags = walk.sdnv("flags", field);
    if (!flags) return close();
    primary.flags = *flags;
    const OctetRange flags_at = field.fields.back().octets;
    field.fields.back().meaning = flags_text(*flags);
    const auto length = walk.sdnv("block length", field);
    const std::uint64_t begin = walk.at();
    Pairs pairs;
    if (!length || !read_pairs(walk, field, pairs)) return close();
    read_times(walk, field, primary);
    read_dictionary(walk, field, primary);
    if (walk.failed()) return close();
    name_endpoints(pairs, field, primary, deviations);
    judge_flags6(primary, flags_at, deviations);
    if (primary.is_fragment()) {
        primary.fragment_offset = walk.sdnv("fragment offset", field);
        primary.total_adu_length = walk.sdnv("total application data unit length", field);
    }
    if (walk.failed()) return close();
    const std::uint64_t size = walk.at() - begin;
    if (*length != size) {
        deviations.add(range_between(window.base, walk.at()), kPrimary6,
                       "the block length is " + std::to_string(*length) + ", but its fields take " +
                           std::to_string(size) + " octets");
        // The fields end earlier than the block.
        if (*length > size) {
            const Window rest = walk.octets(*length - size, "primary block");
            field.fields.push_back({"unknown octets", {rest.base, rest.octets.size()}, {}, {}, {}});
        }
    }
    return close();
}

}  // namespace farlink::inspect
