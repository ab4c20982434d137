// SPDX-License-Identifier: Apache-2.0
// The induct of STCP and MTCP: a listening socket and the sessions it has accepted.
// Owned by the agent, through Owned<>.
// Lives on the agent's loop and is called there only.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <string>
#include <unordered_map>

#include "cla/io/link_body.hpp"
#include "cla/io/resources.hpp"
#include "cla/io/tcp_listener.hpp"
#include "cla/session/session_slots.hpp"
#include "cla/stcp/stcp_session.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla::stcp {

class StcpInduct final : public Induct, public LinkBody {
public:
    StcpInduct(LinkResources resources, const config::InductConfig &config);
    void abandon();

    /// Of sessions to come; kTransferLimit otherwise.
    void set_transfer_limit(Duration limit) { transfer_limit_ = limit; }

    [[nodiscard]] bool open() override;
    void close() override;
    void give_up() override { finish_closing(); }
    void set_receiving(bool receiving) override;
    [[nodiscard]] bool listens() const override { return receiving_; }
    void pause(UpstreamId upstream, bool paused) override;
    [[nodiscard]] std::uint16_t port() const override { return listener_->port(); }
    [[nodiscard]] std::string failure() const override { return listener_->failure(); }

private:
    [[nodiscard]] bool listen();
    void arm_closing_timer();
    void finish_closing();
    void log_unread();
    void admit(boost::asio::ip::tcp::socket socket);
    [[nodiscard]] bool make_room(const PeerIdentity &peer, bool known);
    void end(UpstreamId session, LinkFault fault);

    LinkResources resources_;
    config::InductConfig config_;
    Duration transfer_limit_ = kTransferLimit;
    Owned<TcpListener> listener_;
    SessionSlots slots_;
    std::unordered_map<UpstreamId, std::shared_ptr<StcpSession>> sessions_;
    MonotonicTimer closing_timer_;
    TimePoint close_by_{};  ///< whatever is unread then
    bool closing_ = false;
    bool opened_ = false;
    bool receiving_ = true;  ///< it listens, or will at open()
};

}  // namespace farlink::cla::stcp
