// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/core/item_fields.hpp"

namespace farlink::inspect {
namespace {

using codec::CborMajor;

constexpr std::string_view kEndpoint7 = "RFC 9171 section 4.2.5.1";
constexpr std::string_view kDtn = "RFC 9171 section 4.2.5.1.1";
constexpr std::string_view kIpn = "RFC 9758 section 6.1";
constexpr std::uint64_t kDtnCode = 1;
constexpr std::uint64_t kIpnCode = 2;

std::optional<bp::Eid> dtn_endpoint(const CborItem &ssp, Deviations &deviations) {
    if (ssp.is_uint() && ssp.whole && ssp.argument == 0) return bp::Eid();
    if (!ssp.is_string(CborMajor::kText)) {
        if (ssp.whole)
            deviations.add(ssp.octets, kDtn,
                           "the value after the scheme dtn is neither 0 nor a text string");
        return std::nullopt;
    }
    const std::string_view text = as_text(ssp.content);
    if (text == "none") {
        deviations.add(ssp.octets, kDtn, "dtn:none is encoded as the integer 0, not as text");
        return bp::Eid();
    }
    if (!bp::is_dtn_ssp(text)) {
        deviations.add(ssp.octets, kDtn, "not of the form //node/demux");
        return std::nullopt;
    }
    return bp::Eid(bp::EidView{bp::EidScheme::kDtn, 0, 0, text});
}

std::optional<bp::Eid> ipn_endpoint(const CborItem &ssp, Deviations &deviations) {
    if (!expect_array(ssp, "ipn endpoint", kIpn, deviations) || !ssp.whole) return std::nullopt;
    const std::size_t count = ssp.items.size();
    if (count != 2 && count != 3) {
        deviations.add(ssp.octets, kIpn, std::to_string(count) + " items instead of 2 or 3");
        return std::nullopt;
    }
    for (const CborItem &part : ssp.items)
        if (!uint_of(part, "part of an ipn endpoint", kIpn, deviations)) return std::nullopt;
    const std::uint64_t service = ssp.items.back().argument;
    if (count == 2) return bp::Eid(ssp.items[0].argument, service);
    const std::uint64_t allocator = ssp.items[0].argument;
    const std::uint64_t node = ssp.items[1].argument;
    if (allocator > bp::kMaxIpnPart || node > bp::kMaxIpnPart) {
        deviations.add(ssp.octets, kIpn, "an allocator or node number above 4294967295");
        return std::nullopt;
    }
    return bp::Eid(allocator << 32 | node, service);
}

std::optional<bp::Eid> endpoint_of(const CborItem &item, Deviations &deviations) {
    if (!expect_array(item, "endpoint id", kEndpoint7, deviations) || !item.whole)
        return std::nullopt;
    if (item.items.size() != 2) {
        deviations.add(item.octets, kEndpoint7,
                       std::to_string(item.items.size()) + " items instead of 2");
        return std::nullopt;
    }
    const auto scheme = uint_of(item.items[0], "scheme of an endpoint id", kEndpoint7, deviations);
    if (scheme == kDtnCode) return dtn_endpoint(item.items[1], deviations);
    if (scheme == kIpnCode) return ipn_endpoint(item.items[1], deviations);
    if (scheme)
        deviations.add(item.items[0].octets, kEndpoint7,
                       "scheme " + std::to_string(*scheme) + " is not registered");
    return std::nullopt;
}

}  // namespace

Field endpoint_field(std::string name, const CborItem &item, Deviations &deviations,
                     std::optional<bp::Eid> *endpoint) {
    Field field = item_field(std::move(name), item);
    const auto read = endpoint_of(item, deviations);
    if (read) {
        field.value = read->to_string();
        const bp::EidView view = read->view();
        if (view.scheme == bp::EidScheme::kIpn && view.node == 0)
            deviations.advise(item.octets, "RFC 9758 section 3.4.1",
                              "node number 0 identifies no node: treated as dtn:none");
    }
    if (endpoint != nullptr) *endpoint = read;
    return field;
}

}  // namespace farlink::inspect
