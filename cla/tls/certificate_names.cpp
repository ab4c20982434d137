// SPDX-License-Identifier: Apache-2.0
#include "cla/tls/certificate_names.hpp"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <optional>

#include "cla/api/node_id.hpp"

namespace farlink::cla {
namespace {

using Address = boost::asio::ip::address;

/// An address as it is compared: an IPv4 address that came by an IPv6 socket is the IPv4 address,
/// and the zone of a link-local one belongs to this machine, not to the peer.
std::optional<Address> read_address(std::string_view text) {
    boost::system::error_code error;
    const Address address = boost::asio::ip::make_address(text.substr(0, text.find('%')), error);
    if (error) return std::nullopt;
    if (address.is_v6() && address.to_v6().is_v4_mapped())
        return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address.to_v6());
    return address;
}

/// RFC 4343: host names have no upper and lower case; the dot of the root may be left out.
bool same_host(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    if (a.ends_with('.')) a.remove_suffix(1);
    if (b.ends_with('.')) b.remove_suffix(1);
    return !a.empty() && std::ranges::equal(a, b, {}, lower, lower);
}

bool has_address(const CertificateNames &names, const std::optional<Address> &wanted) {
    return wanted && std::ranges::any_of(names.addresses, [&](const std::string &name) {
               return read_address(name) == wanted;
           });
}

}  // namespace

Proof prove_node_id(const CertificateNames &names, std::string_view announced) {
    if (names.node_ids.empty()) return Proof::kAbsent;
    const auto wanted = read_node_id(announced);
    if (!wanted) return Proof::kMismatch;
    const bool found = std::ranges::any_of(names.node_ids, [&](const std::string &name) {
        const auto id = read_node_id(name);
        return id && id->proper && id->node == wanted->node;
    });
    return found ? Proof::kProved : Proof::kMismatch;
}

Proof prove_host(const CertificateNames &names, std::string_view host, std::string_view address) {
    const std::optional<Address> host_address = read_address(host);
    const bool by_name = !host.empty() && !host_address;
    const bool has_claims = !names.addresses.empty() || (by_name && !names.dns_names.empty());
    if (!has_claims) return Proof::kAbsent;
    const bool named =
        by_name && std::ranges::any_of(names.dns_names, [&](const std::string &name) {
            return same_host(name, host);
        });
    const bool found =
        named || has_address(names, host_address) || has_address(names, read_address(address));
    return found ? Proof::kProved : Proof::kMismatch;
}

}  // namespace farlink::cla
