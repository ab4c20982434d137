// SPDX-License-Identifier: Apache-2.0
// One connection of an application without the connection: octets in, octets out (AAP 2.0).
// Owned by ApplicationsCore; one thread.
// A client sends or receives, as its first message chooses. What it sends becomes bundles, each
// answered when it is safe; what it receives are leases, which its answers decide.
//
//   kGreeting ──config──► kSending ────────┐
//      │  └─────config──► kReceiving ──────┤
//      └──────────────────────────────── end() ──► kEnded: the answers that are queued are written
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/time.hpp"
#include "common/buffer/read_buffer.hpp"
#include "common/buffer/received_bundles.hpp"
#include "common/buffer/stream_reader.hpp"
#include "common/buffer/transfer_disposition.hpp"
#include "common/buffer/tx_queue.hpp"
#include "module/applications/core/access/access_table.hpp"
#include "module/applications/core/access/pace.hpp"
#include "module/applications/core/protocol/aap2.hpp"
#include "module/applications/core/sending/adu_bundle.hpp"
#include "module/applications/core/session/outgoing_adus.hpp"
#include "module/applications/core/session/replies.hpp"
#include "module/applications/core/session/waiting_octets.hpp"

namespace farlink::applications {

class AppSession;

/// What a session asks of the module.
class SessionHost {
public:
    /// kSuccess: the endpoint is registered for this session.
    virtual Verdict configure(AppSession &session, const ConnectionConfig &config,
                              TimePoint now) = 0;
    /// Whether the ADU may be sent; kSuccess: as a bundle of `fields`, which borrow until the next
    /// call.
    virtual Verdict admit(const AppSession &session, const BundleAdu &adu, AduFields &fields,
                          TimePoint now) = 0;
    /// The receiver has taken it.
    virtual void handle_accepted(AppSession &session, const LeasedAdu &adu, TimePoint now) = 0;

protected:
    ~SessionHost() = default;
};

struct SessionLimits {
    Duration handshake{};      ///< from the connection to its first message
    Duration accept_within{};  ///< an answer of a receiver; 0: no limit
    Duration stall{};          ///< in the middle of a message, without an octet
};

/// What a client has sent.
struct MadeBundles {
    ReceivedBundles received;
    std::vector<std::uint64_t> asked;  ///< asked_flow() of each of those entries

    /// `make` may append entries to `received`; `transfer`: the number of the next bundle.
    template <class Make>
    [[nodiscard]] bool append(std::uint64_t transfer, std::uint64_t asked_for, Make make) {
        if (received.empty()) received.first_transfer = transfer;
        const bool done = make(received);
        asked.resize(received.bundles.size(), asked_for);
        return done;
    }
};

class AppSession {
public:
    enum class State : std::uint8_t { kGreeting, kSending, kReceiving, kEnded };

    /// `grant`: null: it may do nothing. All but the identity are borrowed.
    AppSession(UpstreamId id, Identity identity, const Grant *grant, SessionHost &host,
               HeadMemory &memory, const SessionLimits &limits, std::string_view node_id,
               TimePoint now);

    // ---- octets in
    /// Where to read next; empty: there is no memory now.
    [[nodiscard]] MutableBytes prepare(ReadBuffer &buffer);
    /// `size` octets were read into prepare()'s space, or 0 octets, when may_resume(). Whole
    /// bundles, and pieces of large ones, are in made().
    void handle_bytes(std::size_t size, ReadBuffer &buffer, TimePoint now);
    /// Octets wait for room for the answers to them, and there is room.
    [[nodiscard]] bool may_resume() const { return !waiting_.empty() && !ended() && has_room(2); }
    /// The bundles of the last call of handle_bytes().
    [[nodiscard]] MadeBundles &made() { return made_; }
    [[nodiscard]] bool wants_read(TimePoint now) const;
    /// When wants_read() may be true for its rate; kNever: it does not wait for that.
    [[nodiscard]] TimePoint read_due() const {
        return std::max(bytes_pace_.due(), adus_pace_.due());
    }
    /// It was not read until now, which is not the silence of its peer.
    void excuse_silence(TimePoint now) { heard_ = std::max(heard_, now); }
    /// What is arriving.
    [[nodiscard]] AduBundle &adu() { return adu_; }
    /// Memory of what has come and is no whole bundle.
    [[nodiscard]] std::uint64_t held_bytes() const {
        return waiting_.size() + (adu_.under_way() ? adu_.held_bytes() : 0);
    }

    // ---- octets out
    [[nodiscard]] TxQueue &queue() { return queue_; }

    // ---- of a sender
    void handle_disposition(std::uint64_t first, std::uint32_t count,
                            TransferDisposition disposition);
    void pause(bool paused) { paused_ = paused; }
    /// Ingress is lost: what has no answer is refused.
    void refuse_unanswered();
    /// The number of the next bundle.
    [[nodiscard]] std::uint64_t next_transfer() const { return replies_.next_transfer(); }

    // ---- of a receiver
    [[nodiscard]] bool can_take() const;
    void give(const LeasedAdu &lease, const BundleAdu &adu, const Reception &reception,
              std::span<const ByteView> payload, TimePoint now);
    /// What it has not accepted; to be called once, when it has ended.
    [[nodiscard]] Ring<LeasedAdu> take_leases() { return outgoing_.take_leases(); }

    // ---- time, and the end
    [[nodiscard]] TimePoint next_timeout() const;
    void handle_timeout(TimePoint now);
    void end(std::string_view why);
    [[nodiscard]] bool ended() const { return state_ == State::kEnded; }
    /// The reason, for the log; empty: none that matters.
    [[nodiscard]] const std::string &why() const { return why_; }

    [[nodiscard]] UpstreamId id() const { return id_; }
    [[nodiscard]] State state() const { return state_; }
    [[nodiscard]] const Identity &identity() const { return identity_; }
    [[nodiscard]] const Grant *grant() const { return grant_; }
    [[nodiscard]] LinkId endpoint() const { return endpoint_; }
    void set_endpoint(LinkId endpoint) { endpoint_ = endpoint; }

private:
    void take(ByteView fresh, const SlabRef &slab, ReadBuffer &buffer, TimePoint now);
    /// Answers are fewer than one in `parts` of what may be due or unread.
    [[nodiscard]] bool has_room(std::size_t parts = 1) const;
    [[nodiscard]] ByteView take_message(ByteView rest, TimePoint now);
    [[nodiscard]] ByteView take_payload(ByteView rest, const SlabRef &slab, TimePoint now);
    void handle_message(ByteView octets, TimePoint now);
    void handle(const ConnectionConfig &config, TimePoint now);
    void handle(const BundleAdu &adu, TimePoint now);
    void handle_answer(const Response &response, TimePoint now);
    void begin_skipping(std::uint64_t octets, Verdict verdict);
    void finish_adu();
    void write_replies();

    const UpstreamId id_;
    const Identity identity_;
    const Grant *const grant_;
    SessionHost &host_;
    HeadMemory &memory_;
    const SessionLimits limits_;
    State state_ = State::kGreeting;
    LinkId endpoint_ = kNoLink;
    std::string why_;

    static constexpr std::uint64_t kNeverSpooled = ~std::uint64_t{0};
    std::uint64_t spool_above_ = kNeverSpooled;  ///< see ReadBuffer
    StreamReader reader_;
    WaitingOctets waiting_;
    MadeBundles made_;
    AduBundle adu_;
    std::uint64_t asks_ = 0;     ///< of the ADU that is arriving
    std::uint64_t skipped_ = 0;  ///< octets of a refused payload that are to come
    Verdict refusal_;            ///< of that
    Replies replies_;
    bool paused_ = false;
    Pace bytes_pace_;
    Pace adus_pace_;

    OutgoingAdus outgoing_;
    bool wants_metadata_ = false;

    TxQueue queue_;
    Aap2Writer writer_;
    Bytes scratch_;
    Duration keep_alive_{};
    TimePoint heard_;  ///< the last octet
    TimePoint opened_;
};

}  // namespace farlink::applications
