// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/core/names.hpp"

#include "common/bp/report_reason.hpp"

namespace farlink::inspect {
namespace {

struct Name {
    std::uint64_t number;
    const char *name;
};

template <std::size_t kCount>
std::string name_in(const Name (&names)[kCount], std::uint64_t number, const char *otherwise) {
    for (const Name &each : names)
        if (each.number == number) return each.name;
    return otherwise + std::to_string(number);
}

/// RFC 9171 section 9.1, RFC 9172 section 11.1.
constexpr Name kBlocks7[] = {{1, "payload"},          {6, "previous node"},
                             {7, "bundle age"},       {10, "hop count"},
                             {11, "block integrity"}, {12, "block confidentiality"}};
/// RFC 7116 section 2, CCSDS 734.2-B-1 and IANA's registry.
constexpr Name kBlocks6[] = {{1, "payload"},
                             {2, "bundle authentication"},
                             {3, "payload integrity"},
                             {4, "payload confidentiality"},
                             {5, "previous hop insertion"},
                             {8, "metadata"},
                             {9, "extension security"},
                             {10, "custody transfer enhancement"},
                             {19, "extended class of service"},
                             {20, "bundle age"}};

constexpr std::uint64_t kReasons6 = 9;  ///< the first of them are BPv6's

constexpr Name kCustodyReasons[] = {{0, "no additional information"},
                                    {3, "redundant reception"},
                                    {4, "depleted storage"},
                                    {5, "destination endpoint id unintelligible"},
                                    {6, "no known route to the destination"},
                                    {7, "no timely contact with the next node"},
                                    {8, "block unintelligible"}};

constexpr Name kRecords7[] = {{1, "bundle status report"},
                              {3, "encapsulated bundle"},
                              {4, "custody signal of encapsulation"},
                              {7, "encapsulated bundle"},
                              {8, "custody signal of encapsulation"}};
constexpr Name kRecords6[] = {{1, "bundle status report"},
                              {2, "custody signal"},
                              {4, "aggregate custody signal"},
                              {7, "encapsulated bundle"}};

constexpr Name kContexts[] = {{kHmacSha2Context, "BIB-HMAC-SHA2"}, {kAesGcmContext, "BCB-AES-GCM"}};
constexpr Name kHmacParameters[] = {
    {1, "SHA variant"}, {2, "wrapped key"}, {3, "integrity scope flags"}};
constexpr Name kGcmParameters[] = {
    {1, "initialization vector"}, {2, "AES variant"}, {3, "wrapped key"}, {4, "AAD scope flags"}};

}  // namespace

std::string block_name7(std::uint64_t type) {
    return name_in(kBlocks7, type, "block type ");
}
std::string block_name6(std::uint64_t type) {
    return name_in(kBlocks6, type, "block type ");
}
std::string report_reason7(std::uint64_t reason) {
    return bp::report_reason_text(reason);
}
std::string report_reason6(std::uint64_t reason) {
    return reason < kReasons6 ? report_reason7(reason) : "reason " + std::to_string(reason);
}
std::string custody_reason(std::uint64_t reason) {
    return name_in(kCustodyReasons, reason, "reason ");
}
std::string record_name7(std::uint64_t type) {
    return name_in(kRecords7, type, "record type ");
}
std::string record_name6(std::uint64_t type) {
    return name_in(kRecords6, type, "record type ");
}
std::string context_name(std::uint64_t context) {
    return name_in(kContexts, context, "security context ");
}
std::string parameter_name(std::uint64_t context, std::uint64_t id) {
    if (context == kHmacSha2Context) return name_in(kHmacParameters, id, "parameter ");
    if (context == kAesGcmContext) return name_in(kGcmParameters, id, "parameter ");
    return "parameter " + std::to_string(id);
}
std::string result_name(std::uint64_t context, std::uint64_t id) {
    if (id == 1 && context == kHmacSha2Context) return "expected HMAC";
    if (id == 1 && context == kAesGcmContext) return "authentication tag";
    return "result " + std::to_string(id);
}

}  // namespace farlink::inspect
