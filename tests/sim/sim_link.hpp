// SPDX-License-Identifier: Apache-2.0
// A simulated connection from a sender to a receiver that carries whole bundles, in order and with
// flow control: like STCP, with acknowledgements of the receiving host, or like TCPCL, with an
// acknowledgement of each bundle by the receiver, and a limit of unacknowledged bundles.
// Owned by a SimWorld; one thread, on its clock.
#pragma once

#include <deque>
#include <map>
#include <span>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/random.hpp"
#include "common/base/types.hpp"
#include "common/buffer/transfer_disposition.hpp"
#include "common/buffer/tx_bundle.hpp"
#include "tests/sim/sim_clock.hpp"

namespace farlink::sim {

class SimLink;

/// The reports of a link to the sending end.
class LinkSender {
public:
    virtual ~LinkSender() = default;
    /// The node at this end; 0: no node, or a node that does not send its number.
    [[nodiscard]] virtual NodeNumber node() const { return {}; }
    virtual void on_connected(SimLink &link) = 0;
    /// The connection has ended, by close() or otherwise.
    virtual void on_disconnected(SimLink &link) = 0;
    virtual void on_transmitted(SimLink &link, std::uint64_t token) = 0;
    virtual void on_writable(SimLink &link) = 0;
    /// The receiver did not take the bundle; on_transmitted() covers its token as well.
    virtual void on_refused(SimLink &, std::uint64_t /*token*/) {}
};

/// The reports of a link to the receiving end.
class LinkReceiver {
public:
    virtual ~LinkReceiver() = default;
    [[nodiscard]] virtual bool accepts_connections() const = 0;
    /// A connection begins; its number is unique at this end.
    [[nodiscard]] virtual UpstreamId new_session(SimLink &link) = 0;
    /// Bundles are in the session's inbox; take() removes all or some.
    virtual void on_readable(SimLink &link, UpstreamId session) = 0;
    virtual void on_session_closed(SimLink &link, UpstreamId session) = 0;
};

struct LinkOptions {
    Duration delay = milliseconds(10);         ///< one way
    BitRate rate{};                            ///< 0: unlimited
    std::uint64_t window_bytes = 1024 * 1024;  ///< of the sending and of the receiving host
    Duration retry = milliseconds(100);        ///< between attempts to connect
    /// The limit of bundles sent and not acknowledged by the receiver; 0: the convergence layer has
    /// no acknowledgements.
    std::uint32_t max_transfers = 0;
    std::uint32_t loss_ppm = 0;  ///< bundles that are lost in flight, per million (as over UDP)
    std::uint64_t max_bundle_bytes = ~std::uint64_t{0};  ///< what the receiver announces
    std::uint32_t repeat_ppm = 0;  ///< bundles that arrive twice, per million; no acknowledgements
};

class SimLink {
public:
    SimLink(SimClock &clock, Random &random, LinkSender &sender, LinkReceiver &receiver,
            const LinkOptions &options);

    // ---- the sending end
    void open();
    /// Finishes the current bundle, then disconnects; bundles that were not started are dropped.
    void close();
    [[nodiscard]] bool connected() const { return state_ == State::kConnected; }
    [[nodiscard]] std::uint64_t transmit_credit() const;
    [[nodiscard]] std::uint64_t max_bundle_bytes() const { return options_.max_bundle_bytes; }
    void transmit(std::span<const TxBundle> bundles);

    // ---- the receiving end
    /// The next bundle that has arrived; empty when there is none.
    [[nodiscard]] const Bytes *peek(UpstreamId session) const;
    Bytes take(UpstreamId session);
    void pause(UpstreamId session, bool paused);
    [[nodiscard]] bool acknowledges() const { return options_.max_transfers > 0; }
    /// Number of the bundle that take() gives next.
    [[nodiscard]] std::uint64_t next_transfer(UpstreamId session) const;
    void acknowledge(UpstreamId session, std::uint64_t first, std::uint32_t count,
                     TransferDisposition disposition);
    [[nodiscard]] bool paused(UpstreamId session) const;
    /// on_readable() is called again for bundles left in the inbox.
    void wake(UpstreamId session) { schedule_read(session); }

    // ---- the world
    /// Cuts the wire, or restores it: a cut ends the connection, and bundles in flight are lost.
    void set_wire(bool intact);
    void break_connection();
    /// The sending host has failed: it gets no more reports.
    void kill_sender();
    /// The receiving host has failed: bundles that it had not read are lost.
    void kill_receiver();
    [[nodiscard]] std::uint64_t carried_bundles() const { return carried_bundles_; }
    [[nodiscard]] const LinkOptions &options() const { return options_; }
    [[nodiscard]] NodeNumber sending_node() const { return sender_.node(); }

private:
    enum class State : std::uint8_t { kClosed, kConnecting, kConnected, kClosing };
    /// A bundle, or a piece of one.
    struct Frame {
        Bytes octets;
        std::uint64_t token = 0;
        bool last = true;
    };
    /// The receiving host's side of one connection; it may outlive the sender's.
    struct Session {
        struct Transfer {
            std::uint64_t token = 0;
            std::uint64_t frames = 1;
            bool acknowledged = false;
            TransferDisposition disposition = TransferDisposition::kSafe;
        };
        std::deque<Bytes> inbox;
        Bytes unfinished;                     ///< pieces of the bundle that is arriving
        std::uint64_t unfinished_frames = 0;  ///< how many they are
        std::uint64_t taken = 0;
        std::deque<Transfer> transfers;  ///< not acknowledged, the first is number first_transfer
        std::uint64_t first_transfer = 0;
        std::uint64_t bytes = 0;
        bool paused = false;
        bool finished = false;  ///< nothing more will arrive
        bool read_due = false;
    };

    void try_connect(std::uint64_t attempt);
    void connect();
    void send_next();
    void frame_sent();
    void frame_arrived(Frame frame, UpstreamId session);
    void acknowledged(std::uint64_t token, TransferDisposition disposition,
                      std::uint64_t frames = 1);
    void disconnect();
    void end_connection();
    void forget_unbegun();
    void schedule_read(UpstreamId session);
    void read(UpstreamId session);
    [[nodiscard]] Duration transmission_time(std::uint64_t bytes) const;
    /// Runs `event` later, unless the connection has ended by then.
    void later(Duration delay, SimClock::Event event);

    SimClock &clock_;
    Random &random_;
    LinkSender &sender_;
    LinkReceiver &receiver_;
    LinkOptions options_;

    State state_ = State::kClosed;
    bool wire_intact_ = true;
    bool reopen_ = false;        ///< open() was called while closing
    std::uint64_t attempt_ = 0;  ///< counts open(), close() and connections
    std::deque<Frame> queue_;    ///< at the sending host; the first may be on the wire
    std::uint64_t queued_bytes_ = 0;
    bool sending_ = false;
    std::uint64_t flying_bytes_ = 0;  ///< sent and not arrived
    std::uint64_t unacknowledged_ = 0;
    UpstreamId session_ = kNoUpstream;
    std::map<UpstreamId, Session> sessions_;
    std::uint64_t carried_bundles_ = 0;
};

}  // namespace farlink::sim
