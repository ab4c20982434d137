// SPDX-License-Identifier: Apache-2.0
// The induct of every convergence layer with sessions: a listening socket and the sessions that it
// has accepted.
// Owned by the agent; lives on the agent's loop and is called there only.
// A session is reported to the host once it is established; the host may then attach() to its
// sending half.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "cla/io/tcp_listener.hpp"
#include "cla/session/session_driver.hpp"
#include "cla/session/session_setup.hpp"
#include "cla/session/session_slots.hpp"

namespace farlink::cla {

class SessionInduct final : public Induct, private SessionOwner {
public:
    SessionInduct(LinkResources resources, const config::InductConfig &config, SessionSetup setup);
    ~SessionInduct() override;

    [[nodiscard]] bool open() override;
    /// Ends every session as its layer provides; kClosed is reported when the last one is gone.
    void close() override;
    void pause(UpstreamId upstream, bool paused) override;
    void acknowledge(UpstreamId upstream, std::uint64_t first, std::uint32_t count,
                     TransferDisposition disposition) override;
    void flush_acknowledgements() override;
    [[nodiscard]] Outduct *attach(UpstreamId upstream, LinkId link) override;
    [[nodiscard]] std::uint16_t port() const override { return listener_->port(); }
    [[nodiscard]] std::string failure() const override { return listener_->failure(); }

private:
    /// The sending half of a session.
    class Sender;
    struct Session {
        std::shared_ptr<SessionDriver> driver;
        std::unique_ptr<Sender> sender;
        bool unflushed = false;  ///< named in unflushed_
    };

    void handle_established(SessionDriver &session) override;
    void handle_ended(SessionDriver &session, const SessionOutcome &outcome) override;
    void handle_gone(SessionDriver &session) override;
    void admit(boost::asio::ip::tcp::socket socket);
    void refuse(UpstreamId id, LinkFault fault);
    [[nodiscard]] bool make_room(const PeerIdentity &peer, bool known);
    void close_oldest_half_open();
    void publish_when_closed();

    LinkResources resources_;
    config::InductConfig config_;
    SessionSetup setup_;
    Owned<TcpListener> listener_;
    SessionSlots slots_;
    std::unordered_map<UpstreamId, Session> sessions_;
    std::set<UpstreamId> half_open_;  ///< the oldest first
    std::vector<UpstreamId>
        unflushed_;  ///< sessions with acknowledge() and without flush_acknowledgements()
    LinkState state_ = LinkState::kClosed;
};

}  // namespace farlink::cla
