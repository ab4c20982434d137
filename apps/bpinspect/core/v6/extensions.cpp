// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/core/names.hpp"
#include "apps/bpinspect/core/v6/blocks.hpp"
#include "common/bp/v6/extended_class.hpp"

namespace farlink::inspect {
namespace {

constexpr BitName kClassFlags[] = {{bp::v6::kEcosCritical, "critical"},
                                   {bp::v6::kEcosStreaming, "streaming"},
                                   {bp::v6::kEcosFlowLabel, "flow label present"},
                                   {bp::v6::kEcosReliable, "reliable"}};

/// draft-irtf-dtnrg-bundle-age-block.
void add_age6(const Block6 &block, Field &data, Deviations &deviations) {
    SdnvWalk walk(block.data, "draft-irtf-dtnrg-bundle-age-block", deviations);
    const auto age_us = walk.sdnv("age", data);
    if (age_us) data.fields.back().meaning = duration_of_ms(*age_us / bp::v6::kMicrosecondsPerMs);
    walk.finish("octets follow the age");
}

/// RFC 6259 section 2.
void add_previous_hop(const Block6 &block, Field &data, Deviations &deviations) {
    constexpr std::string_view kSection = "RFC 6259 section 2";
    if ((block.flags & bp::v6::kDiscardBlockIfUnprocessable) == 0)
        deviations.add(block.field.octets, kSection,
                       "the flag \"discard the block if unprocessable\" is not set");
    const std::string_view text = as_text(block.data.octets);
    if (text.empty()) return;
    const std::size_t scheme_end = text.find('\0');
    if (scheme_end == std::string_view::npos ||
        text.find('\0', scheme_end + 1) != text.size() - 1) {
        deviations.add({block.data.base, text.size()}, kSection,
                       "the data are not two texts that each end with a zero octet");
        return;
    }
    const std::string_view ssp = text.substr(scheme_end + 1, text.size() - scheme_end - 2);
    data.value = printable(text.substr(0, scheme_end), 100) + ':' + printable(ssp, 1000);
}

/// RFC 6258 section 3.
void add_metadata(const Block6 &block, Field &data, Deviations &deviations) {
    SdnvWalk walk(block.data, "RFC 6258 section 3", deviations);
    const auto type = walk.sdnv("metadata type", data);
    if (type) data.fields.back().meaning = *type == 1 ? "URI" : "";
}

/// CCSDS 734.2-B-1.
void add_custody(const Block6 &block, const Primary6 &primary, Field &data,
                 Deviations &deviations) {
    SdnvWalk walk(block.data, "CCSDS 734.2-B-1, custody transfer enhancement block", deviations);
    walk.sdnv("custody id", data);
    const Window creator = walk.octets(walk.left(), "creator");
    if (walk.failed()) return;
    const std::string text(as_text(creator.octets));
    data.fields.push_back(
        {"creator", {creator.base, creator.octets.size()}, printable(text, 1000), {}, {}});
    if (primary.custodian && text != *primary.custodian)
        data.fields.back().meaning =
            "the endpoint is not the current custodian: the block is not valid";
}

/// CCSDS 734.2-B-1.
void add_class(const Block6 &block, Field &data, Deviations &deviations) {
    constexpr std::string_view kSection = "CCSDS 734.2-B-1, extended class of service block";
    SdnvWalk walk(block.data, kSection, deviations);
    const auto flags = walk.octet("flags", data);
    if (flags) data.fields.back().meaning = names_of_bits(*flags, kClassFlags);
    const auto ordinal = walk.octet("ordinal", data);
    if (ordinal && *ordinal == 255)
        deviations.advise(data.fields.back().octets, kSection, "ordinal 255 is reserved");
    if (flags && (*flags & bp::v6::kEcosFlowLabel) != 0) walk.sdnv("flow label", data);
    walk.finish("octets follow the content");
}

}  // namespace

void add_extension6(const Block6 &block, const Primary6 &primary, Field &data,
                    Deviations &deviations) {
    switch (block.type) {
        case bp::v6::kPreviousHopBlock:
            return add_previous_hop(block, data, deviations);
        case bp::v6::kMetadataBlock:
            return add_metadata(block, data, deviations);
        case bp::v6::kCustodyTransferBlock:
            return add_custody(block, primary, data, deviations);
        case bp::v6::kExtendedClassBlock:
            return add_class(block, data, deviations);
        case bp::v6::kBundleAgeBlock:
            return add_age6(block, data, deviations);
        default:
            return;
    }
}

}  // namespace farlink::inspect
