// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_outduct.hpp"

#include <utility>

namespace farlink::cla {

using boost::asio::ip::tcp;

SessionOutduct::SessionOutduct(LinkResources resources, const config::OutductConfig &config,
                               SessionSetup setup, std::uint64_t seed)
    : resources_(resources),
      config_(config),
      setup_(std::move(setup)),
      connector_(
          resources.io, config, seed,
          [this](tcp::socket socket) { handle_connected(std::move(socket)); },
          [this](const std::string &why) { resources_.host.on_unreachable(config_.id, why); }) {
    std::uint64_t &largest = setup_.config.transfer_mru;
    largest = largest_bundle(config, resources.buffer, largest);
}

SessionOutduct::~SessionOutduct() {
    connector_.stop();
    drop_session();
}

void SessionOutduct::drop_session() {
    if (const auto session = std::exchange(session_, nullptr)) session->abandon();
}

void SessionOutduct::transition(LinkState to, LinkFault fault) {
    const bool allowed = (to == LinkState::kConnecting && state_ != LinkState::kClosing) ||
                         (to == LinkState::kConnected && state_ == LinkState::kConnecting) ||
                         (to == LinkState::kClosing && state_ == LinkState::kConnected) ||
                         (to == LinkState::kClosed && state_ != LinkState::kClosed);
    FARLINK_INVARIANT(allowed);
    state_ = to;
    resources_.host.on_state(config_.id, to, fault);
}

void SessionOutduct::open() {
    if (state_ == LinkState::kClosing) open_again_ = true;
    if (state_ != LinkState::kClosed) return;
    transition(LinkState::kConnecting, LinkFault::kNone);
    if (state_ == LinkState::kConnecting) connector_.start();
}

void SessionOutduct::close() {
    open_again_ = false;
    if (state_ == LinkState::kConnecting) {
        connector_.stop();
        drop_session();
        return transition(LinkState::kClosed, LinkFault::kNone);
    }
    if (state_ != LinkState::kConnected) return;
    transition(LinkState::kClosing, LinkFault::kNone);
    if (session_) session_->terminate();
}

void SessionOutduct::handle_connected(tcp::socket socket) {
    const UpstreamId id{resources_.next_upstream++};
    SessionOwner &owner = *this;
    const auto session = std::make_shared<SessionDriver>(std::move(socket), resources_, setup_,
                                                         owner, config_.id, id);
    session_ = session;
    session->send_as(config_.id);
    session->set_rate(rate_);
    session->start();
}

void SessionOutduct::handle_established(SessionDriver &) {
    transition(LinkState::kConnected, LinkFault::kNone);
}

// The end of a session that was never established is reported too, for its reason.
void SessionOutduct::handle_ended(SessionDriver &session, const SessionOutcome &outcome) {
    session_.reset();
    session.disown();
    if (outcome.established)
        resources_.host.on_upstream_closed(config_.id, session.id(), outcome.fault);
    if (state_ == LinkState::kClosing) {
        connector_.note(outcome);
        const bool again = std::exchange(open_again_, false);
        transition(LinkState::kClosed, outcome.fault);
        if (again) open();
        return;
    }
    connector_.start_again(outcome);
    // The report comes last, since the host may close the link inside of it.
    transition(LinkState::kConnecting, outcome.fault);
}

std::uint64_t SessionOutduct::transmit_credit() const {
    return state_ == LinkState::kConnected && session_ ? session_->transmit_credit() : 0;
}

void SessionOutduct::transmit(std::span<const TxBundle> bundles) {
    if (session_) session_->transmit(bundles);
}

void SessionOutduct::flush() {
    if (session_) session_->flush();
}

void SessionOutduct::break_off() {
    if (session_) session_->terminate(true);
}

std::uint64_t SessionOutduct::max_bundle_bytes() const {
    return session_ ? session_->max_bundle_bytes() : ~std::uint64_t{0};
}

void SessionOutduct::set_rate(BitRate rate) {
    rate_ = rate;
    if (session_) session_->set_rate(rate);
}

void SessionOutduct::pause(UpstreamId upstream, bool paused) {
    if (is_current(upstream)) session_->pause(paused);
}

void SessionOutduct::acknowledge(UpstreamId upstream, std::uint64_t first, std::uint32_t count,
                                 TransferDisposition disposition) {
    if (is_current(upstream)) session_->acknowledge(first, count, disposition);
}

}  // namespace farlink::cla
