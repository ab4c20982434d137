// SPDX-License-Identifier: Apache-2.0
#include "cla/stcp/stcp_induct.hpp"

#include "cla/host/tcp_address.hpp"

namespace farlink::cla::stcp {
namespace asio = boost::asio;
using asio::ip::tcp;

namespace {
/// After an accept that failed (no file descriptors, say): try again, never spin.
constexpr std::chrono::milliseconds kAcceptRetry{100};
}  // namespace

StcpInduct::StcpInduct(LinkResources resources, const config::InductConfig &config)
    : resources_(resources), config_(config), acceptor_(resources.io), retry_(resources.io) {}

StcpInduct::~StcpInduct() {
    close();
}

bool StcpInduct::open() {
    const auto endpoint = resolve_now(resources_.io, config_.url);
    if (!endpoint) return false;
    boost::system::error_code error;
    acceptor_.open(endpoint->protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(*endpoint, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (error) {
        boost::system::error_code ignored;
        acceptor_.close(ignored);
        return false;
    }
    port_ = acceptor_.local_endpoint(error).port();
    resources_.host.on_state(config_.id, LinkState::kConnected, LinkFault::kNone);
    accept_next();
    return true;
}

void StcpInduct::close() {
    boost::system::error_code ignored;
    retry_.cancel();
    acceptor_.close(ignored);
    for (auto &[id, session] : sessions_) session->close();
    sessions_.clear();
}

void StcpInduct::pause(UpstreamId upstream, bool paused) {
    if (const auto found = sessions_.find(upstream); found != sessions_.end())
        found->second->pause(paused);
}

void StcpInduct::accept_next() {
    acceptor_.async_accept([this](const boost::system::error_code &error, tcp::socket socket) {
        if (error == asio::error::operation_aborted || !acceptor_.is_open()) return;
        if (!error) {
            admit(std::move(socket));
            return accept_next();
        }
        retry_.expires_after(kAcceptRetry);
        retry_.async_wait([this](const boost::system::error_code &cancelled) {
            if (!cancelled) accept_next();
        });
    });
}

void StcpInduct::admit(tcp::socket socket) {
    const UpstreamId id{resources_.next_upstream++};
    boost::system::error_code error;
    if (sessions_.size() >= config_.max_sessions) {
        resources_.host.on_upstream_opened(config_.id, id, false);
        resources_.host.on_upstream_closed(config_.id, id, LinkFault::kTooManySessions);
        return;
    }
    socket.non_blocking(true, error);
    if (error) return;
    auto session = std::make_shared<StcpSession>(
        std::move(socket), resources_, config_.id, id, config_.max_bundle_size_bytes,
        [this](UpstreamId ended, LinkFault fault) {
            sessions_.erase(ended);
            resources_.host.on_upstream_closed(config_.id, ended, fault);
        });
    sessions_.emplace(id, session);
    resources_.host.on_upstream_opened(config_.id, id, false);
    session->start();
}

}  // namespace farlink::cla::stcp
