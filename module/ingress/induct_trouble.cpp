// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/induct_trouble.hpp"

#include <algorithm>

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
    const std::string text =
        end.peer + (end.peer.empty() ? "" : ": ") + cla::in_words(fault, end.detail);
    const bool of_id = fault == cla::LinkFault::kIdentityRefused && !end.node_id.empty();
    const bool id_changed = of_id && note_refused(end.node_id, text, now);
    return note_text(text, now) || id_changed;
}

bool InductTrouble::note_text(const std::string &text, TimePoint now) {
    if (text == text_) {
        last_ = now;
        return false;
    }
    if (!text_.empty() && now < changed_ + kTroubleChangesEvery) return false;
    text_ = text;
    last_ = changed_ = now;
    return true;
}

bool InductTrouble::note_refused(const std::string &node_id, const std::string &text,
                                 TimePoint now) {
    auto found = std::ranges::find(refused_, node_id, &RefusedId::node_id);
    if (found != refused_.end()) {
        found->last = now;
        if (found->text == text || now < found->changed + kTroubleChangesEvery) return false;
        found->text = text;
        found->changed = now;
        return true;
    }
    if (refused_.size() >= kMostRefused) {
        if (now < added_ + kTroubleChangesEvery) return false;
        refused_.erase(std::ranges::min_element(refused_, {}, &RefusedId::last));
    }
    refused_.push_back({node_id, text, now, now});
    added_ = now;
    return true;
}

bool InductTrouble::forget(TimePoint now) {
    const auto over = [now](const RefusedId &each) { return now >= each.last + kTroubleLasts; };
    const bool some = std::erase_if(refused_, over) > 0;
    if (text_.empty() || now < last_ + kTroubleLasts) return some;
    text_.clear();
    return true;
}

}  // namespace farlink::ingress
