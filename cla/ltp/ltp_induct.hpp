// SPDX-License-Identifier: Apache-2.0
// The LTP way in: one UDP port that serves many engines, in both directions.
// Owned by the agent; lives on the agent's loop and is called there only.
// Each remote engine, known by the address it sends from, is a session of the host's.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "cla/io/reconnection.hpp"
#include "cla/ltp/dropped_senders.hpp"
#include "cla/ltp/ltp_counts.hpp"
#include "cla/ltp/ltp_keys.hpp"
#include "cla/ltp/ltp_port.hpp"
#include "cla/ltp/ltp_receiver.hpp"
#include "cla/ltp/ltp_sender.hpp"
#include "cla/ltp/ltp_span.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla::ltp {

class LtpInduct final : public Induct, private PortUser {
public:
    LtpInduct(LinkResources resources, const config::InductConfig &config, LtpKeys keys = {});
    ~LtpInduct() override;

    [[nodiscard]] bool open() override;
    void close() override;
    [[nodiscard]] Outduct *attach(UpstreamId upstream, LinkId link) override;
    [[nodiscard]] bool set_neighbours(const config::InductConfig &config) override;
    [[nodiscard]] std::uint16_t port() const override { return port_.port(); }
    void acknowledge(UpstreamId upstream, std::uint64_t first, std::uint32_t count,
                     TransferDisposition disposition) override;
    void flush_acknowledgements() override { port_.pump(); }
    void report_counts() override;

    /// Remote engines that it knows; those that are gone cost nothing.
    [[nodiscard]] std::size_t engines() const { return port_.peers(); }
    /// Datagrams of engines beyond `maxSessions`, of nobody that could be named, and of those who
    /// do not prove that they are whom they name.
    [[nodiscard]] std::uint64_t strangers_refused() const { return dropped_.total(); }

private:
    /// A remote engine, and the way back to it once the host has attached it.
    class RemoteEngine;

    void on_block(const ReceivedBlock &block) override;
    void on_event(const Event &event) override;
    std::optional<PeerId> on_foreign_port(const DatagramAddress &from, ByteView datagram) override;
    std::optional<PeerId> on_stranger(const DatagramAddress &from, ByteView datagram) override;
    void on_turn_end() override;

    void open_span(const config::NeighbourAddress &neighbour);
    [[nodiscard]] PeerConfig settings_of(EngineId engine, Authenticator *key) const;
    void add_span(const LtpSpan &span, const DatagramAddress &address);
    void add_engine(PeerId peer, std::unique_ptr<RemoteEngine> engine);
    [[nodiscard]] RemoteEngine *engine_of(UpstreamId upstream);
    [[nodiscard]] bool is_listed(EngineId engine, const std::string &address) const;
    [[nodiscard]] bool make_room();
    void forget_former(EngineId remote, const DatagramAddress &from);
    void forget(PeerId peer, LinkFault fault);
    [[nodiscard]] bool overdue(PeerId peer);
    [[nodiscard]] bool replaced(PeerId peer);
    void recover_at(TimePoint when);
    void recover();

    LinkResources resources_;
    config::InductConfig config_;
    LtpKeys keys_;
    std::vector<LtpKeys> former_keys_;  ///< engines that are known go on with theirs
    LtpPort port_;
    std::unordered_map<PeerId, std::unique_ptr<RemoteEngine>> engines_;
    std::unordered_map<UpstreamId, PeerId> by_upstream_;
    std::vector<std::unique_ptr<LtpSpan>> spans_;
    bool v4_ = true;             ///< the port is one of IPv4
    std::vector<PeerId> near_;   ///< engines that a datagram from a foreign port may be of
    std::vector<PeerId> ended_;  ///< engines of which a block has ended in this turn
    MonotonicTimer recovery_;
    TimePoint recover_at_ = kNever;
    std::vector<PeerId> unanswered_;  ///< engines that are given up when the turn is over
    Logger log_{"ltp"};
    TimePoint restarts_since_{};
    std::uint32_t restarts_ = 0;  ///< engines that have started anew since then, within a second
    DroppedSenders dropped_;
    std::uint64_t strangers_published_ = 0;
};

}  // namespace farlink::cla::ltp
