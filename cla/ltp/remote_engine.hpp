// SPDX-License-Identifier: Apache-2.0
// One remote engine of an LTP induct: its bundles, and the outduct to it once the host attaches
// one. Owned by the induct; lives on its loop and is called there only. Bundles from the engine are
// accepted in every state of the outduct.
#pragma once

#include <optional>
#include <string>

#include "cla/io/reconnection.hpp"
#include "cla/ltp/core/trial.hpp"
#include "cla/ltp/ltp_counts.hpp"
#include "cla/ltp/ltp_port.hpp"
#include "cla/ltp/ltp_receiver.hpp"
#include "cla/ltp/ltp_sender.hpp"

namespace farlink::cla::ltp {

class RemoteEngine final : public Outduct {
public:
    /// kUp ──no answer──► kEnding ──all blocks have ended──► kDown ──answer, back-off over──► kUp
    enum class State : std::uint8_t { kUp, kEnding, kDown };

    /// kConfigured: the induct sends to it first; otherwise it has sent to the induct. kKnown: it
    /// is a listed neighbour, or has proved that it has a key.
    enum class Standing : std::uint8_t { kStranger, kKnown, kConfigured };

    RemoteEngine(LinkResources resources, LtpPort &port, const config::InductConfig &config,
                 PeerId peer, EngineId engine, PeerIdentity identity, Standing standing);

    // ---- the outduct; it is connected as long as the host's session lasts
    void attach(LinkId link);
    [[nodiscard]] LtpSender *sender() { return sender_ ? &*sender_ : nullptr; }
    void open() override { port_.set_contact(peer_, true); }
    void suspend() override;
    void close() override {}
    [[nodiscard]] bool takes_pieces() const override { return true; }
    void break_off() override { sender_->break_off(); }
    [[nodiscard]] std::uint64_t transmit_credit() const override {
        return is_up() ? trial_.credit(sender_->credit(), sender_->unfinished()) : 0;
    }
    void transmit(std::span<const TxBundle> bundles) override { sender_->transmit(bundles); }
    void flush() override { port_.pump(); }
    void set_rate(BitRate rate) override;
    void set_owlt(Duration owlt) override;

    // ---- an engine that does not answer
    /// Cancels all blocks in flight to the engine.
    void give_up();
    /// No block is left after give_up().
    [[nodiscard]] bool ended() const {
        return state_ == State::kEnding && sender_->unfinished() == 0;
    }
    void go_down(TimePoint now);
    /// Down, and not silent: come_up() may be called from retry_at() on.
    [[nodiscard]] bool may_come_up() const { return state_ == State::kDown && !silent_; }
    void come_up(TimePoint now);
    [[nodiscard]] bool is_up() const { return state_ == State::kUp; }
    [[nodiscard]] bool is_down() const { return state_ == State::kDown; }
    [[nodiscard]] TimePoint retry_at() const { return retry_at_; }
    /// Contact time in which an answer is due.
    [[nodiscard]] Duration answer_within() const {
        return LinkTiming{owlt_, config_.ltp.margin}.answer_within();
    }

    // ---- events of the port
    void handle_block(const ReceivedBlock &block, TimePoint now);
    void note_delivered() {
        moved_ = true;
        trial_.handle_answer();
    }
    /// A block has ended otherwise, or a part of one; `answered`: the engine has refused it.
    void note_ended(bool answered) { answered ? trial_.handle_answer() : trial_.handle_end(); }
    /// Blocks have ended: reports it to the host, at the end of a turn.
    void report();
    /// The engine does not answer pings, or answers again.
    void note_silent(bool silent) { silent_ = silent; }
    /// The engine answers that it has no client service for bundles.
    void note_no_client(bool refused) { no_client_ = refused; }

    [[nodiscard]] EngineId id() const { return id_; }
    [[nodiscard]] const PeerIdentity &identity() const { return identity_; }
    [[nodiscard]] bool configured() const { return standing_ == Standing::kConfigured; }
    [[nodiscard]] bool known() const { return standing_ != Standing::kStranger; }
    [[nodiscard]] TimePoint last_received() const { return last_received_; }
    /// A block has arrived from it, or a part of a large one.
    [[nodiscard]] bool has_sent_block() const { return has_sent_block_; }
    [[nodiscard]] LtpReceiver &receiver() { return receiver_; }
    /// Publishes the receiver's session to the host. Before that, what the engine does counts for
    /// the link: a name that any datagram can bring gets no counters.
    void introduce();
    [[nodiscard]] bool introduced() const { return introduced_; }
    void publish_counts();
    void publish_last_counts(const Counters &counters);

private:
    void transition(State to);

    LinkResources resources_;
    LtpPort &port_;
    const config::InductConfig &config_;
    PeerId peer_;
    EngineId id_;
    PeerIdentity identity_;
    Standing standing_;
    LtpReceiver receiver_;
    std::optional<LtpSender> sender_;
    LtpTally tally_;
    Logger log_{"ltp"};
    Duration owlt_;
    Reconnection back_off_;
    Trial trial_;
    LinkId link_ = kNoLink;
    State state_ = State::kUp;
    bool silent_ = false;      ///< pings have no answer
    bool no_client_ = false;   ///< the engine has no client service for bundles
    bool moved_ = false;       ///< the engine has taken a block since come_up()
    PeerIdentity counted_as_;  ///< empty, the link, before introduce()
    bool introduced_ = false;
    bool has_sent_block_ = false;
    TimePoint last_received_ = monotonic_now();
    TimePoint up_since_{};
    TimePoint retry_at_{};
};

}  // namespace farlink::cla::ltp
