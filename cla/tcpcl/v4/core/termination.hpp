// SPDX-License-Identifier: Apache-2.0
// The orderly end of a session: SESS_TERM in either role (RFC 9174 section 6.1).
// Owned by one session; one thread.
// It decides which message is due; the session has the transfers in progress and the time limits.
#pragma once

#include <cstdint>

#include "cla/api/link_fault.hpp"
#include "cla/tcpcl/v4/core/deviations.hpp"
#include "cla/tcpcl/v4/core/message.hpp"

namespace farlink::cla::tcpclv4 {

///               handle_terminate()            the peer's SESS_TERM
///     ┌───────┐ ─────────────────► ┌───────┐ ────────────────────► ┌────────┐
///     │ kNone │                    │ kSent │                       │ kAgreed│
///     └───┬───┘                    └───────┘                       └────────┘
///         └──────── the peer's SESS_TERM: answered with a reply ───────►
class Termination {
public:
    enum class State : std::uint8_t { kNone, kSent, kAgreed };
    enum class Answer : std::uint8_t { kNothing, kReply, kReject };

    /// This side sends SESS_TERM, before it has sent or received one.
    void handle_terminate();
    /// The peer's SESS_TERM has come.
    [[nodiscard]] Answer handle_term(const Term &term, ProtocolDeviations &deviations);

    [[nodiscard]] State state() const { return state_; }
    /// SESS_TERM has been sent: nothing new may begin.
    [[nodiscard]] bool ending() const { return state_ != State::kNone; }
    /// kNone where this side began the end, else the meaning of the peer's reason.
    [[nodiscard]] LinkFault fault() const { return fault_; }

    /// The answer has the same contents but for its flag.
    [[nodiscard]] static Term reply_to(const Term &term) {
        return {static_cast<std::uint8_t>(term.flags | kTermReply), term.reason};
    }
    [[nodiscard]] static LinkFault fault_of(std::uint8_t reason);

private:
    void transition(State to);

    State state_ = State::kNone;
    LinkFault fault_ = LinkFault::kNone;
};

}  // namespace farlink::cla::tcpclv4
