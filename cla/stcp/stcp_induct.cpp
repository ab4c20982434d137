// SPDX-License-Identifier: Apache-2.0
#include "cla/stcp/stcp_induct.hpp"

namespace farlink::cla::stcp {
using boost::asio::ip::tcp;

StcpInduct::StcpInduct(LinkResources resources, const config::InductConfig &config)
    : resources_(resources),
      config_(config),
      listener_(std::make_shared<TcpListener>(
          resources.io, [this](tcp::socket socket) { admit(std::move(socket)); })) {}

StcpInduct::~StcpInduct() {
    close();
}

bool StcpInduct::open() {
    if (!listener_->open(config_.url, config_.socket_buffer_bytes)) return false;
    resources_.host.on_state(config_.id, LinkState::kConnected, LinkFault::kNone);
    return true;
}

void StcpInduct::close() {
    listener_->close();
    for (auto &[id, session] : sessions_) session->close();
    sessions_.clear();
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
        });
    sessions_.emplace(id, session);
    resources_.host.on_upstream_opened(config_.id, id, false);
    session->start();
}

}  // namespace farlink::cla::stcp
