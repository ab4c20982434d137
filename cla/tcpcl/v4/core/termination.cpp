// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/core/termination.hpp"

#include "common/base/invariant.hpp"

namespace farlink::cla::tcpclv4 {

void Termination::transition(State to) {
    FARLINK_INVARIANT(to > state_);
    state_ = to;
}

void Termination::handle_terminate() {
    transition(State::kSent);
}

Termination::Answer Termination::handle_term(const Term &term, ProtocolDeviations &deviations) {
    if (state_ == State::kAgreed) return Answer::kReject;
    if (term.reason > static_cast<std::uint8_t>(TermReason::kResourceExhaustion))
        deviations.note(ProtocolDeviation::kUnknownTerminationReason);
    if ((term.flags & ~kTermReply) != 0) deviations.note(ProtocolDeviation::kReservedFlags);
    const bool asked = state_ == State::kSent;
    if (!asked) fault_ = fault_of(term.reason);
    transition(State::kAgreed);
    return asked ? Answer::kNothing : Answer::kReply;
}

LinkFault Termination::fault_of(std::uint8_t reason) {
    switch (static_cast<TermReason>(reason)) {
        case TermReason::kVersionMismatch:
            return LinkFault::kVersionMismatch;
        case TermReason::kContactFailure:
            return LinkFault::kPeerRefusedSession;
        default:
            return LinkFault::kPeerTerminated;
    }
}

}  // namespace farlink::cla::tcpclv4
