// SPDX-License-Identifier: Apache-2.0
#include "common/config/links_together.hpp"

#include "common/config/ip_address.hpp"

namespace farlink::config {
namespace {

/// UDP's ports are apart from TCP's.
bool is_datagram(const LinkUrl &url) {
    return url.scheme == "udp" || url.scheme == "ltp";
}

/// Do two sockets at these addresses of this machine need different ports?
bool share(const std::string &one, const std::string &other) {
    const auto any = [](const std::string &address) {
        return address.empty() || is_any_address(address);
    };
    return any(one) || any(other) || one == other;
}

/// The one whose UDP port it would be, too; empty: nobody's.
std::string whose_port(const OutductConfig &outduct, const OtherLinks &others) {
    const std::uint16_t port = outduct.ltp.sender_bound_port;
    for (const auto &[name, other] : others.inducts)
        if (is_datagram(other->url) && other->url.port == port &&
            share(other->url.host, outduct.bind_address))
            return name;
    for (const auto &[name, other] : others.outducts)
        if (other->ltp.sender_bound_port == port &&
            share(other->bind_address, outduct.bind_address))
            return name;
    return {};
}

}  // namespace

void check_among(const InductConfig &induct, const OtherLinks &others, const std::string &path,
                 std::vector<ConfigError> &errors) {
    if (induct.url.scheme.empty() || induct.url.port == 0) return;
    for (const auto &[name, other] : others.inducts)
        if (other->url.host == induct.url.host && other->url.port == induct.url.port &&
            is_datagram(other->url) == is_datagram(induct.url))
            errors.push_back({member_path(path, "url"),
                              "found the address of " + name + " again",
                              "an address of its own",
                              {}});
}

void check_among(const OutductConfig &outduct, const OtherLinks &others, const std::string &path,
                 std::vector<ConfigError> &errors) {
    // A second socket is not given the port of another one.
    if (outduct.ltp.sender_bound_port != 0) {
        const std::string taken = whose_port(outduct, others);
        if (!taken.empty())
            errors.push_back({member_path(path, "ltpSenderBoundPort"),
                              "found " + std::to_string(outduct.ltp.sender_bound_port) +
                                  ", the port of " + taken + " too",
                              "a port of its own, or 0 for the system's choice",
                              {}});
    }
    if (outduct.next_hop == NodeNumber{}) return;
    for (const auto &[name, other] : others.outducts) {
        if (other->next_hop != outduct.next_hop) continue;
        errors.push_back({member_path(path, "nextHopNodeId"),
                          "found " + std::to_string(outduct.next_hop.value()) +
                              ", the neighbour of " + name + " too",
                          "one outduct for each neighbour",
                          "a contact plan names nodes and could not tell the two apart"});
        return;
    }
}

}  // namespace farlink::config
