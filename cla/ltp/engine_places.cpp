// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/engine_places.hpp"

#include <utility>

#include "common/base/counted.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::cla::ltp {
namespace {

/// A stranger with a block may end for another one if none has arrived from it for this time, and
/// a known engine for another known one.
constexpr Duration kSilence = seconds(60);

/// Strangers first, then known engines without a block: any port at a neighbour's address may bring
/// one of those.
std::pair<int, TimePoint> order_of_ends(const RemoteEngine &engine) {
    const int rank = !engine.known() ? 0 : (engine.has_sent_block() ? 2 : 1);
    return {rank, engine.last_received()};
}

}  // namespace

bool EnginePlaces::make_room(const std::string &address, bool known, const RemoteEngines &engines,
                             const std::function<void(PeerId)> &end) {
    for (;;) {
        const SessionSlots::Answer answer = slots_.ask(address, known);
        if (answer.admitted && !answer.leaves) return true;
        const TimePoint now = monotonic_now();
        if (!known && !may_end(now)) return false;
        const std::optional<PeerId> leaves = answer.leaves
                                                 ? std::optional(PeerId{answer.leaves->value()})
                                                 : idlest(address, known, engines, now);
        if (!leaves) return false;
        ends_ += known ? 0 : 1;
        end(*leaves);
        log_end(now);
    }
}

// A known engine gets the place of any stranger; another stranger that of a silent one, at its own
// address if its share is used up.
std::optional<PeerId> EnginePlaces::idlest(const std::string &address, bool known,
                                           const RemoteEngines &engines, TimePoint now) const {
    const bool same_address = !known && slots_.share_is_used(address);
    auto first = engines.end();
    for (auto at = engines.begin(); at != engines.end(); ++at) {
        const RemoteEngine &engine = *at->second;
        if (engine.configured() || (engine.known() && !known)) continue;
        if (same_address && engine.identity().address != address) continue;
        if (first == engines.end() || order_of_ends(engine) < order_of_ends(*first->second))
            first = at;
    }
    if (first == engines.end()) return std::nullopt;
    const RemoteEngine &engine = *first->second;
    const bool at_once = known && !(engine.known() && engine.has_sent_block());
    if (!at_once && now - engine.last_received() < kSilence) return std::nullopt;
    return first->first;
}

bool EnginePlaces::may_end(TimePoint now) {
    if (now - ends_since_ >= seconds(1)) {
        ends_since_ = now;
        ends_ = 0;
    }
    return ends_ < kMostEnds;
}

void EnginePlaces::log_end(TimePoint now) {
    ++unlogged_;
    if (!log_limit_.admit(now)) return;
    log_.warn(
        "link {}: {} ended for new ones, since the limit of engines or of one address is reached "
        "(`maxSessions` {}): raise it, or list neighbours in `neighbours`, which strangers do not "
        "replace",
        link_.value(), counted(std::exchange(unlogged_, 0), "LTP engine"), most_);
}

}  // namespace farlink::cla::ltp
