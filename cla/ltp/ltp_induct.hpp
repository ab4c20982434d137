// SPDX-License-Identifier: Apache-2.0
// An LTP induct: one UDP port for many remote engines, in both directions.
// Owned by the agent; lives on the agent's loop and is called there only.
// Each remote engine is a session of the host; its source address identifies it.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cla/ltp/engine_places.hpp"
#include "cla/ltp/io/dropped_senders.hpp"
#include "cla/ltp/io/link_timer.hpp"
#include "cla/ltp/io/ltp_span.hpp"
#include "cla/ltp/ltp_keys.hpp"
#include "cla/ltp/ltp_port.hpp"
#include "cla/ltp/remote_engine.hpp"

namespace farlink::cla::ltp {

class LtpInduct final : public Induct, private PortUser {
public:
    LtpInduct(LinkResources resources, const config::InductConfig &config, LtpKeys keys = {});

    [[nodiscard]] bool open() override;
    void close() override;
    void finish() override;
    void give_up() override { given_up_ = true; }
    [[nodiscard]] Outduct *attach(UpstreamId upstream, LinkId link) override;
    [[nodiscard]] bool set_neighbours(const config::InductConfig &config) override;
    [[nodiscard]] std::uint16_t port() const override { return port_.port(); }
    [[nodiscard]] std::string failure() const override { return failure_; }
    void acknowledge(UpstreamId upstream, std::uint64_t first, std::uint32_t count,
                     TransferDisposition disposition) override;
    void flush_acknowledgements() override { port_.pump(); }
    void pause(UpstreamId upstream, bool paused) override;
    void report_counts() override;

    /// Remote engines with a session; those that were removed cost nothing.
    [[nodiscard]] std::size_t engines() const { return port_.peers(); }
    /// Dropped datagrams: of engines beyond the limits of `maxSessions`, of unknown engines, and
    /// without a valid authentication value.
    [[nodiscard]] std::uint64_t strangers_refused() const { return dropped_.total(); }

private:
    void on_block(const ReceivedBlock &block) override;
    void on_event(const Event &event) override;
    std::optional<PeerId> on_foreign_port(const DatagramAddress &from, ByteView datagram) override;
    std::optional<PeerId> on_stranger(const DatagramAddress &from, ByteView datagram) override;
    void on_turn_end() override;

    void open_span(const config::NeighbourAddress &neighbour);
    [[nodiscard]] PeerConfig settings_of(EngineId engine, Authenticator *key) const;
    void add_span(const LtpSpan &span, const DatagramAddress &address);
    void add_engine(PeerId peer, EngineId engine, PeerIdentity identity,
                    RemoteEngine::Standing standing);
    void introduce(PeerId peer, RemoteEngine &engine);
    [[nodiscard]] RemoteEngine *engine_of(UpstreamId upstream);
    [[nodiscard]] bool is_listed(EngineId engine, const std::string &address) const;
    [[nodiscard]] bool make_room(const std::string &address, bool known);
    void forget_former(EngineId remote, const DatagramAddress &from);
    void forget(PeerId peer, LinkFault fault);
    [[nodiscard]] bool overdue(PeerId peer);
    [[nodiscard]] bool replaced(PeerId peer);
    [[nodiscard]] bool waits_for(PeerId peer, RemoteEngine &engine, TimePoint now);
    void finish_engines();
    void recover_at(TimePoint when);
    void recover();

    LinkResources resources_;
    config::InductConfig config_;
    LtpKeys keys_;
    std::vector<LtpKeys> former_keys_;  ///< engines that exist go on with them
    LtpPort port_;
    EnginePlaces places_;
    RemoteEngines engines_;
    std::unordered_map<UpstreamId, PeerId> by_upstream_;
    std::vector<std::unique_ptr<LtpSpan>> spans_;
    bool v4_ = true;             ///< the port is an IPv4 port
    std::vector<PeerId> near_;   ///< engines that may have sent a datagram from a foreign port
    std::vector<PeerId> ended_;  ///< engines with a block that has ended in this turn
    Owned<LinkTimer> recovery_;
    TimePoint recover_at_ = kNever;
    LinkState state_ = LinkState::kClosed;
    Owned<LinkTimer> finishing_timer_;
    TimePoint finishing_since_{};
    bool given_up_ = false;           ///< since finish(), by the host
    std::vector<PeerId> unanswered_;  ///< engines that are given up after this turn
    Logger log_{"ltp"};
    TimePoint restarts_since_{};
    std::uint32_t restarts_ = 0;  ///< engines that were replaced since then, within a second
    std::string failure_;
    DroppedSenders dropped_{
        "from unknown engines (neither a data segment nor a cancel segment of a sender, not "
        "authentic, or beyond maxSessions or the part of maxSessions that unknown engines may "
        "use, from one address or together)"};
    std::uint64_t strangers_published_ = 0;
};

}  // namespace farlink::cla::ltp
