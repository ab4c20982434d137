// SPDX-License-Identifier: Apache-2.0
#include "cla/stcp/stcp_induct.hpp"

namespace farlink::cla::stcp {
namespace {

/// A peer that goes on sending gets no more than this.
constexpr Duration kClosingLimit = seconds(3);

}  // namespace

using boost::asio::ip::tcp;

StcpInduct::StcpInduct(LinkResources resources, const config::InductConfig &config)
    : resources_(resources),
      config_(config),
      listener_(std::make_shared<TcpListener>(
          resources.io, [this](tcp::socket socket) { admit(std::move(socket)); })),
      closing_timer_(resources.io) {}

StcpInduct::~StcpInduct() {
    listener_->close();
    for (auto &[id, session] : sessions_) session->close();
}

bool StcpInduct::open() {
    if (!listener_->open(config_.url, config_.socket_buffer_bytes)) return false;
    resources_.host.on_state(config_.id, LinkState::kConnected, LinkFault::kNone);
    return true;
}

// Sessions end when what the kernel has acknowledged for them is read, or after a while.
void StcpInduct::close() {
    listener_->close();
    if (sessions_.empty() || std::exchange(closing_, true)) return;
    resources_.host.on_state(config_.id, LinkState::kClosing, LinkFault::kNone);
    for (auto &[id, session] : sessions_) session->finish();
    closing_timer_.expires_after(kClosingLimit);
    closing_timer_.async_wait([this](const boost::system::error_code &error) {
        if (!error) finish_closing();
    });
}

void StcpInduct::finish_closing() {
    closing_timer_.cancel();
    if (!std::exchange(closing_, false)) return;
    for (auto &[id, session] : std::exchange(sessions_, {})) {
        session->close();
        resources_.host.on_upstream_closed(config_.id, id, LinkFault::kNone);
    }
    resources_.host.on_state(config_.id, LinkState::kClosed, LinkFault::kNone);
}

void StcpInduct::pause(UpstreamId upstream, bool paused) {
    if (const auto found = sessions_.find(upstream); found != sessions_.end())
        found->second->pause(paused);
}

void StcpInduct::admit(tcp::socket socket) {
    const UpstreamId id{resources_.next_upstream++};
    if (sessions_.size() >= config_.max_sessions) {
        resources_.host.on_upstream_opened(config_.id, id, false);
        resources_.host.on_upstream_closed(config_.id, id, LinkFault::kTooManySessions);
        return;
    }
    auto session = std::make_shared<StcpSession>(
        std::move(socket), resources_, config_.id, id, framing_of(config_.url.scheme),
        config_.max_bundle_size_bytes, seconds(config_.idle_timeout_s),
        [this](UpstreamId ended, LinkFault fault) {
            sessions_.erase(ended);
            resources_.host.on_upstream_closed(config_.id, ended, fault);
            if (closing_ && sessions_.empty()) finish_closing();
        });
    sessions_.emplace(id, session);
    resources_.host.on_upstream_opened(config_.id, id, false);
    session->start();
}

}  // namespace farlink::cla::stcp
