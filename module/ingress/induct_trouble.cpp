// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/induct_trouble.hpp"

namespace farlink::ingress {
namespace {

constexpr seconds kTroubleChangesEvery{10};
constexpr seconds kTroubleLasts{60};

/// One of the two sides is configured for another kind of peer.
bool shows_mistake(cla::LinkFault fault) {
    using cla::LinkFault;
    switch (fault) {
        case LinkFault::kProtocolError:
        case LinkFault::kVersionMismatch:
        case LinkFault::kContactFailure:
        case LinkFault::kTlsFailed:
        case LinkFault::kTlsRequired:
        case LinkFault::kIdentityRefused:
        case LinkFault::kFrameTooLarge:
        case LinkFault::kNotTcpcl:
        case LinkFault::kStcpNotTcpcl:
        case LinkFault::kTcpclNotStcp:
        case LinkFault::kTcpclNotMtcp:
        case LinkFault::kTcpclVersion3:
        case LinkFault::kTcpclVersion4:
        case LinkFault::kPeerRequiresTls:
        case LinkFault::kStcpNotMtcp:
        case LinkFault::kMtcpNotStcp:
        case LinkFault::kPeerRefusedSession:
            return true;
        default:
            return false;
    }
}

}  // namespace

bool InductTrouble::note(const SessionEnd &end, cla::LinkFault fault, TimePoint now) {
    if (!shows_mistake(fault)) return false;
    std::string text = end.peer + (end.peer.empty() ? "" : ": ");
    text += cla::in_words(fault, end.detail);
    if (text == text_) {
        last_ = now;
        return false;
    }
    if (!text_.empty() && now < changed_ + kTroubleChangesEvery) return false;
    text_ = std::move(text);
    refused_id_ = fault == cla::LinkFault::kIdentityRefused ? end.node_id : std::string();
    last_ = changed_ = now;
    return true;
}

bool InductTrouble::forget(TimePoint now) {
    if (text_.empty() || now < last_ + kTroubleLasts) return false;
    text_.clear();
    refused_id_.clear();
    return true;
}

}  // namespace farlink::ingress
