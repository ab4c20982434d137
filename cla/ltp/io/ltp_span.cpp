// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/io/ltp_span.hpp"

#include <optional>
#include <utility>

namespace farlink::cla::ltp {
namespace {

using boost::asio::ip::udp;
namespace ip = boost::asio::ip;

/// Time between two look-ups.
constexpr Duration kPause = seconds(10);

/// An IPv6 port reaches IPv4 endpoints by mapped addresses.
std::optional<udp::endpoint> reached_by(bool v4, const udp::endpoint &endpoint) {
    if (endpoint.address().is_v4() == v4) return endpoint;
    if (v4) return std::nullopt;
    return udp::endpoint(ip::make_address_v6(ip::v4_mapped, endpoint.address().to_v4()),
                         endpoint.port());
}

}  // namespace

LtpSpan::LtpSpan(boost::asio::io_context &io, config::LinkUrl url, EngineId engine,
                 std::string node_id, bool v4)
    : url_(std::move(url)),
      engine_(engine),
      node_id_(std::move(node_id)),
      v4_(v4),
      resolver_(io),
      timer_(make_owned<LinkTimer>(io, [this] { look_up(); })) {}

void LtpSpan::find(std::function<void(const DatagramAddress &)> found) {
    found_ = std::move(found);
    look_up();
}

void LtpSpan::look_up() {
    resolver_.resolve(url_,
                      [this](const auto &entries, const auto &) { handle_resolved(entries); });
}

void LtpSpan::handle_resolved(const NameResolver::Found &entries) {
    for (const auto &entry : entries)
        if (const auto endpoint = reached_by(v4_, entry.endpoint()))
            return found_(DatagramAddress(*endpoint));
    timer_->wait_for(kPause);
}

}  // namespace farlink::cla::ltp
