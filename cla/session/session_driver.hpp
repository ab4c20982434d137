// SPDX-License-Identifier: Apache-2.0
// Runs one session from its connection to its end: takes turns when the loop calls, and reports
// what they lead to.
// Owned by a link through a shared pointer, and by its handlers in the loop; the loop's thread.
// Commands never call the host back: reports are made from the loop, so a host may give commands
// inside of any report.
#pragma once

#include <memory>
#include <optional>
#include <span>

#include "cla/io/link_body.hpp"
#include "cla/io/reconnection.hpp"
#include "cla/io/resources.hpp"
#include "cla/session/session_connection.hpp"
#include "cla/session/session_handshake.hpp"
#include "cla/session/session_limits.hpp"
#include "cla/session/session_peer.hpp"
#include "cla/session/session_reader.hpp"
#include "cla/session/session_setup.hpp"
#include "cla/session/session_writer.hpp"
#include "common/runtime/monotonic_timer.hpp"

namespace farlink::cla {

class SessionDriver;

/// The link that a session belongs to.
class SessionOwner {
public:
    /// Bundles may go both ways; the upstream is reported to the host afterwards.
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
class SessionDriver : public LinkBody {
public:
    /// Bundles come under the id `link`. `setup` and `owner` outlive the session unless abandon()
    /// is called.
    SessionDriver(boost::asio::ip::tcp::socket socket, LinkResources resources, SessionSetup &setup,
                  SessionOwner &owner, LinkId link, UpstreamId id);

    void start();
    /// Ends the session as its layer provides, without further pieces of the bundle that is being
    /// sent; `unfinished`: only if there is such a bundle.
    void terminate(bool unfinished = false);
    /// Ends it at once, because of `fault`, which is reported to the owner during the call.
    void fail(LinkFault fault);
    /// Closes the connection without a report.
    void abandon();
    /// From handle_ended() on: handle_gone() is not called.
    void disown() { owner_ = nullptr; }

    // ---- commands of the host
    void pause(bool paused);
    void acknowledge(std::uint64_t first, std::uint32_t count, TransferDisposition disposition);
    void transmit(std::span<const TxBundle> bundles);
    /// Writes what transmit() and acknowledge() led to.
    void flush();
    [[nodiscard]] std::uint64_t transmit_credit() const;
    [[nodiscard]] std::uint64_t max_bundle_bytes() const;
    void set_rate(BitRate rate);

    /// The link under which sent bundles are reported to the host.
    void send_as(LinkId link);

    [[nodiscard]] UpstreamId id() const { return id_; }
    [[nodiscard]] const SessionPeer &peer() const { return peer_; }
    /// It has brought a bundle, or taken one.
    [[nodiscard]] bool moved() const { return moved_; }
    [[nodiscard]] bool established() const { return established_at_.has_value(); }

private:
    enum class Phase : std::uint8_t { kOpen, kEnding, kLingering, kGone };
    enum class Cause : std::uint8_t { kCommand, kReadable, kWritable, kTimer, kPosted };

    void transition(Phase to);

    // ---- turns
    void run_turn(Cause cause);
    void post_turn();
    void work_off();
    void handle_due(TimePoint now);
    void check_silence(TimePoint now);
    [[nodiscard]] bool may_read() const { return phase_ == Phase::kOpen && reader_.wanted(); }
    void read_available();
    [[nodiscard]] bool write_available();
    void shake_hands();
    void watch();
    void watch_readable();
    void watch_writable();
    void arm_timer();

    // ---- events and the end
    void publish_events();
    void handle(const SessionEvent &event);
    void publish_bundles();
    void publish_established();
    void publish_transmitted(std::uint64_t token);
    void publish_refused(const SessionEvent &event);
    void finish();
    void close();

    // ---- given
    LinkResources resources_;
    SessionOwner *owner_;  ///< null once abandoned
    LinkId link_;
    UpstreamId id_;
    LinkId sending_as_ = kNoLink;

    // ---- parts
    SessionConnection connection_;
    SessionReader reader_;
    SessionWriter writer_;
    SessionHandshake handshake_;
    SessionLimits limits_;
    SessionPeer peer_;
    MonotonicTimer timer_;

    // ---- the state of the session
    Phase phase_ = Phase::kOpen;
    TimePoint phase_due_ = kNever;  ///< the end of kEnding, of kLingering
    std::optional<TimePoint> established_at_;
    SessionEvent end_;                    ///< from kEnding on
    LinkFault own_reason_{};              ///< why this side ended a session that had no fault
    std::string detail_;                  ///< of the reason of the end, as text; may be empty
    bool moved_ = false;                  ///< a bundle came, or one of ours was taken
    std::uint64_t refused_arrivals_ = 0;  ///< bundles of the peer, not reported

    // ---- what is under way in the loop
    TimePoint armed_ = kNever;
    bool in_turn_ = false;
    bool turn_posted_ = false;
    bool waiting_readable_ = false;
    bool waiting_writable_ = false;
};

}  // namespace farlink::cla
