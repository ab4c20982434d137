// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/ltp_span.hpp"

#include <optional>
#include <utility>

namespace farlink::cla::ltp {
namespace {

using boost::asio::ip::udp;
namespace ip = boost::asio::ip;

/// Between two looks for an address.
constexpr Duration kPause = seconds(10);

/// A port of IPv6 reaches IPv4 by addresses that stand for them.
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
      timer_(io) {}

void LtpSpan::find(std::function<void(const DatagramAddress &)> found) {
    found_ = std::move(found);
    look_up();
}

void LtpSpan::look_up() {
    resolver_.resolve(url_, [this](const NameResolver::Found &entries) {
        for (const auto &entry : entries)
            if (const auto endpoint = reached_by(v4_, entry.endpoint()))
                return found_(DatagramAddress(*endpoint));
        timer_.expires_after(kPause);
        timer_.async_wait([this](const boost::system::error_code &error) {
            if (!error) look_up();
        });
    });
}

}  // namespace farlink::cla::ltp
