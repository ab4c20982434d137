// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/tool_link.hpp"

#include <algorithm>

#include "cla/factory/link_factory.hpp"
#include "common/config/fields/link_url.hpp"
#include "common/config/link/link_from_url.hpp"

namespace farlink::traffic {
namespace {

/// Any bundle whose size fits 32 bits.
constexpr std::uint64_t kLargestBundleBytes = 0xffff'0000;
/// A tool retries soon, since its user waits.
constexpr Duration kReconnectMin = milliseconds(50);
constexpr Duration kReconnectMax = seconds(1);
constexpr std::uint64_t kLeastBufferBytes = 128 * 1024 * 1024;

bool given(const config::LinkUrl &url, const char *option) {
    return url.options.contains(option);
}

void complete(config::LinkOptions &link, std::uint64_t node) {
    link.id = LinkId{0};
    if (link.node_id.empty()) link.node_id = "ipn:" + std::to_string(node) + ".0";
    if (link.ltp.engine_id == 0) link.ltp.engine_id = node;
    if (!given(link.url, "maxBundleSizeBytes")) link.max_bundle_size_bytes = kLargestBundleBytes;
}

/// The specification of the link; an error for wrong TLS files.
template <class Link>
Result<Link, std::string> checked(Link link) {
    if (auto fault = cla::check_link(link)) return fail(std::move(*fault));
    return link;
}

}  // namespace

Result<config::InductConfig, std::string> way_in(std::string_view url, std::uint64_t node) {
    auto link = config::induct_from_url(url);
    if (!link) return link;
    complete(*link, node);
    return checked(std::move(*link));
}

Result<config::OutductConfig, std::string> way_out(std::string_view url, std::uint64_t node) {
    auto link = config::outduct_from_url(url);
    if (!link) return link;
    complete(*link, node);
    if (!given(link->url, "reconnectMinMilliseconds")) link->reconnect_min = kReconnectMin;
    if (!given(link->url, "reconnectMaxMilliseconds")) link->reconnect_max = kReconnectMax;
    link->reconnect_max = std::max(link->reconnect_min, link->reconnect_max);
    return checked(std::move(*link));
}

bool acknowledges(const config::LinkUrl &url) {
    return works_both_ways(url);
}

bool works_both_ways(const config::LinkUrl &url) {
    return url.scheme == "tcpclv3" || url.scheme == "tcpclv4" || url.scheme == "ltp";
}

std::string cannot_connect(const config::LinkUrl &url, const LinkTrouble &trouble) {
    return "cannot connect to " + config::to_string(url) + ": " + trouble.why();
}

std::uint64_t buffer_bytes(const config::LinkOptions &link) {
    return std::max(kLeastBufferBytes, 2 * link.max_bundle_size_bytes);
}

}  // namespace farlink::traffic
