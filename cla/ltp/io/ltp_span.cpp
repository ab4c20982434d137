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
      resolver_(std::make_shared<LinkResolver>(
          io, [this](const LinkResolver::Found &entries) { handle_resolved(entries); })),
      timer_(std::make_shared<LinkTimer>(io, [this] { resolver_->resolve(url_); })) {}

LtpSpan::~LtpSpan() {
    resolver_->close();
    timer_->close();
}

void LtpSpan::find(std::function<void(const DatagramAddress &)> found) {
    found_ = std::move(found);
    resolver_->resolve(url_);
}

void LtpSpan::handle_resolved(const LinkResolver::Found &entries) {
    for (const auto &entry : entries)
        if (const auto endpoint = reached_by(v4_, entry.endpoint()))
            return found_(DatagramAddress(*endpoint));
    timer_->wait_for(kPause);
}

}  // namespace farlink::cla::ltp
