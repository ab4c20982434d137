// SPDX-License-Identifier: Apache-2.0
// Runs one session: moves octets between its connection and its protocol, and tells the host what
// came of it. Owned by a link through a shared pointer, as its handlers in the loop hold it too.
// The loop's thread only. Commands never call the host back; what they lead to is told from the
// loop, so a host may give commands inside of any report.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "cla/io/quick_ack.hpp"
#include "cla/io/reconnection.hpp"
#include "cla/io/resources.hpp"
#include "cla/io/token_bucket.hpp"
#include "cla/session/refusal_streak.hpp"
#include "cla/session/session_setup.hpp"
#include "cla/tls/byte_stream.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla {

class SessionDriver;

/// The link that a session belongs to.
class SessionOwner {
public:
    /// Bundles may go both ways; the host is told of the upstream afterwards.
    virtual void handle_established(SessionDriver &session) = 0;
    /// Nothing comes or goes any more, and no memory of the host is referenced.
    virtual void handle_ended(SessionDriver &session, const SessionOutcome &outcome) = 0;
    /// The connection is closed; after handle_ended().
    virtual void handle_gone(SessionDriver &session) = 0;

protected:
    ~SessionOwner() = default;
};

///   kOpen ──protocol ended──► kEnding ──all written──► kLingering ──the peer's end──► kGone
///     │                          │ late, lost                │ late                     ▲
///     └─────── lost, fail() ─────┴───────────────────────────┴──────────────────────────┘
class SessionDriver : public std::enable_shared_from_this<SessionDriver> {
public:
    /// `link` is the one that bundles come by. `setup` and `owner` outlive the session unless
    /// abandon() is called.
    SessionDriver(boost::asio::ip::tcp::socket socket, LinkResources resources, SessionSetup &setup,
                  SessionOwner &owner, LinkId link, UpstreamId id);

    void start();
    /// Ends the session as its layer provides.
    void terminate();
    /// Ends it at once, because of `fault`, which the owner is told during the call.
    void fail(LinkFault fault);
    /// Closes the connection; nobody is told.
    void abandon();
    /// From handle_ended() on: the owner need not hear when the connection is closed.
    void disown() { owner_ = nullptr; }

    // ---- what the host commands
    void pause(bool paused);
    void acknowledge(std::uint64_t first, std::uint32_t count, TransferDisposition disposition);
    void transmit(std::span<const TxBundle> bundles);
    /// Writes what transmit() and settle() led to.
    void flush();
    [[nodiscard]] std::uint64_t transmit_credit() const;
    [[nodiscard]] std::uint64_t max_bundle_bytes() const;
    void set_rate(BitRate rate);

    /// The link under which the host hears of the bundles that are sent.
    void send_as(LinkId link) { sending_as_ = link; }

    [[nodiscard]] UpstreamId id() const { return id_; }
    /// Its peer is a neighbour that the host knows.
    [[nodiscard]] bool known() const { return hold_ && hold_->known(); }
    /// It has brought a bundle, or taken one.
    [[nodiscard]] bool moved() const { return moved_; }
    [[nodiscard]] bool established() const { return established_at_.has_value(); }

private:
    enum class Phase : std::uint8_t { kOpen, kEnding, kLingering, kGone };
    enum class Tls : std::uint8_t { kNone, kDue, kHandshake, kDone };

    void transition(Phase to);

    // ---- turns: what happens when the loop calls (session_turns.cpp)
    enum class Cause : std::uint8_t { kCommand, kReadable, kWritable, kTimer, kPosted };
    void run_turn(Cause cause);
    void post_turn();
    void work_off();
    void handle_due(TimePoint now);
    void check_idle(TimePoint now);
    [[nodiscard]] TimePoint idle_deadline() const;
    void check_stalled(TimePoint now);
    void watch();
    void watch_readable();
    void watch_writable();
    void arm_timer();
    [[nodiscard]] TimePoint next_due() const;

    // ---- octets (session_io.cpp)
    [[nodiscard]] bool may_read() const;
    void read_available();
    [[nodiscard]] StreamResult fill(MutableBytes space);
    void take(std::size_t size);
    bool write_available();
    [[nodiscard]] bool all_written() const;
    void begin_tls();
    void shake_hands();
    void discard_input();

    // ---- events and the end (session_driver.cpp)
    [[nodiscard]] bool has_event();
    void hand_over_events();
    void handle(const SessionEvent &event);
    void check_peer();
    void publish_established();
    void publish_transmitted(std::uint64_t token);
    void publish_refused(const SessionEvent &event);
    void end_because_of(LinkFault fault);
    void finish();
    void close();

    // ---- given
    ByteStream stream_;
    LinkResources resources_;
    SessionSetup *setup_;
    SessionOwner *owner_;  ///< null once abandoned
    LinkId link_;
    UpstreamId id_;
    LinkId sending_as_ = kNoLink;
    std::unique_ptr<SessionCore> core_;          ///< null from the end on
    std::optional<ReceptionShares::Hold> hold_;  ///< as long as core_, from start() on
    MonotonicTimer timer_;

    // ---- where the session stands
    Phase phase_ = Phase::kOpen;
    Tls tls_ = Tls::kNone;
    std::optional<TimePoint> established_at_;
    std::optional<SessionEvent> next_event_;
    SessionEvent end_;        ///< from kEnding on
    LinkFault own_reason_{};  ///< why this side ended a session that had no fault
    std::string detail_;      ///< of why it ends, as text, where there is more to say
    PeerIdentity peer_;
    ReceivedBundles received_;
    RefusalStreak refusals_;
    TokenBucket bucket_;
    QuickAck quick_ack_;
    std::uint64_t next_token_ = 0;    ///< behind the last bundle sent
    std::uint64_t acknowledged_ = 0;  ///< every bundle sent below this token is settled
    bool sent_before_ = false;
    bool moved_ = false;  ///< a bundle came, or one of ours was taken

    // ---- what is under way
    TimePoint armed_ = kNever;
    TimePoint compact_due_ = kNever;
    TimePoint rate_due_ = kNever;
    TimePoint idle_due_ = kNever;
    TimePoint stall_due_ = kNever;
    TimePoint phase_due_ = kNever;
    TimePoint last_bundle_{};
    TimePoint last_octet_{};
    bool in_turn_ = false;
    bool turn_posted_ = false;
    bool waiting_readable_ = false;
    bool waiting_writable_ = false;
    bool write_needs_read_ = false;  ///< TLS: writing goes on when there is something to read
    bool stream_holds_ = false;      ///< TLS records that the kernel had no room for
    bool reading_ended_ = false;
    bool lost_ = false;
};

}  // namespace farlink::cla
