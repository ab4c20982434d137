// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/core/sessions.hpp"

#include <limits>

namespace farlink::bptunnel {

Verdict Sessions::judge(const Head &head) {
    Verdict verdict;
    verdict.stale = head.from < peer_ || head.from == 0;
    if (verdict.stale) return verdict;
    if (head.from > peer_) {
        verdict.peer_changed = peer_ != 0;
        peer_ = head.from;
        seen_.clear();
    }
    if (head.kind != Kind::kHello) verdict.repeat = !seen_.add(head.number);
    verdict.for_earlier = head.to != 0 && head.to != own_;
    if (verdict.for_earlier) verdict.renewed = renew(head.to);
    return verdict;
}

// The clock was set back between two runs: the peer takes this session for an earlier one.
bool Sessions::renew(std::uint64_t seen_by_peer) {
    if (seen_by_peer < own_ || seen_by_peer == std::numeric_limits<std::uint64_t>::max())
        return false;
    own_ = seen_by_peer + 1;
    next_number_ = 0;
    return true;
}

Head Sessions::next_head(Kind kind) {
    return {kind, own_, peer_, kind == Kind::kHello ? 0 : next_number_++};
}

}  // namespace farlink::bptunnel
