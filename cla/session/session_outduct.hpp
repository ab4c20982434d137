// SPDX-License-Identifier: Apache-2.0
// The outduct of every convergence layer with sessions: keeps one session with the neighbour while
// it is open.
// Owned by the agent; lives on the agent's loop and is called there only.
// Each session works both ways: for the bundles that it receives it is an upstream of this link.
#pragma once

#include <memory>

#include "cla/io/connector.hpp"
#include "cla/session/session_driver.hpp"
#include "cla/session/session_setup.hpp"

namespace farlink::cla {

///   kClosed ──open()──► kConnecting ──session──► kConnected ──close()──► kClosing ──► kClosed
///                           ▲  │ no session: later   │ ended                   (the session has
///                           └──┴──────────◄──────────┘                          ended, or late)
class SessionOutduct final : public Outduct, private SessionOwner {
public:
    SessionOutduct(LinkResources resources, const config::OutductConfig &config, SessionSetup setup,
                   std::uint64_t seed);
    ~SessionOutduct() override;

    /// While it closes: opens again as soon as the session before has ended, so that no bundle is
    /// on the way by two sessions.
    void open() override;
    void close() override;
    [[nodiscard]] std::uint64_t transmit_credit() const override;
    void transmit(std::span<const TxBundle> bundles) override;
    void flush() override;
    [[nodiscard]] std::uint64_t max_bundle_bytes() const override;
    [[nodiscard]] bool takes_pieces() const override { return true; }
    void break_off() override;
    void set_rate(BitRate rate) override;

    void pause(UpstreamId upstream, bool paused) override;
    void acknowledge(UpstreamId upstream, std::uint64_t first, std::uint32_t count,
                     TransferDisposition disposition) override;
    void flush_acknowledgements() override { flush(); }

private:
    void handle_established(SessionDriver &session) override;
    void handle_ended(SessionDriver &session, const SessionOutcome &outcome) override;
    void handle_gone(SessionDriver &) override {}
    void handle_connected(boost::asio::ip::tcp::socket socket);
    void transition(LinkState to, LinkFault fault);
    void drop_session();
    [[nodiscard]] bool is_current(UpstreamId upstream) const {
        return session_ && session_->id() == upstream;
    }

    LinkResources resources_;
    config::OutductConfig config_;
    SessionSetup setup_;
    Connector connector_;
    std::shared_ptr<SessionDriver> session_;
    BitRate rate_;
    LinkState state_ = LinkState::kClosed;
    bool open_again_ = false;
};

}  // namespace farlink::cla
