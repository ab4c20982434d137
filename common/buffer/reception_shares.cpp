// SPDX-License-Identifier: Apache-2.0
#include "common/buffer/reception_shares.hpp"

#include <algorithm>
#include <utility>

#include "common/base/invariant.hpp"

namespace farlink {
namespace {

/// All memory in so many seconds: what comes more slowly is slow.
constexpr std::uint64_t kSlowSeconds = 256;
/// The time between two searches for a session that must release memory.
constexpr milliseconds kLookEvery{50};
/// A session with less than this part of all memory is read beyond the shares.
constexpr std::uint64_t kLittle = 128;
/// Of its share, what a keeper gives back beside what it has beyond it: one in so many.
constexpr std::uint64_t kSpareShare = 8;
/// A stranger's block without progress for this time yields to a smaller one.
constexpr milliseconds kStalledFor{500};
/// What was seen longer ago says nothing about the pace of now.
constexpr seconds kSeenLately{2};
/// What waits for its turn asks again within this time.
constexpr milliseconds kAsksAgain{200};
/// One turn in so many is that of the oldest bundle; and of those that have stood still lately.
constexpr std::uint64_t kOldestTurn = 8;
constexpr std::uint64_t kOldestTurnOfSlow = 2;
constexpr Slowness kAnyBlock{~std::uint64_t{0}, Duration::zero()};

}  // namespace

// ---- shares

bool ReceptionShares::admit(Share &share, Hold &hold, TimePoint now) const {
    if (share.held < share.limit || share.finisher == &hold) return true;
    if (hold.bytes_ == 0) return false;
    hold.waits_for_ = &share;
    hold.waited_ = now;
    if (share.finisher != nullptr || next_finisher(share, now) != &hold) return false;
    share.finisher = &hold;
    ++share.turns;
    hold.turn_ = now;
    return true;
}

// Of those that have asked lately: the others may be blocked elsewhere.
const ReceptionShares::Hold *ReceptionShares::next_finisher(const Share &share,
                                                            TimePoint now) const {
    const Hold *next = nullptr;
    for (const Hold *hold = first_; hold != nullptr; hold = hold->next_) {
        if (hold->waits_for_ != &share || now - hold->waited_ > kAsksAgain) continue;
        if (hold->asked_ || hold->excused_) continue;
        if (next == nullptr || goes_first(*hold, *next, share, now)) next = hold;
    }
    return next;
}

bool ReceptionShares::goes_first(const Hold &one, const Hold &other, const Share &share,
                                 TimePoint now) const {
    const auto slow = [&](const Hold &hold) { return hold.confined(now) || was_slow(hold, now); };
    const bool both_slow = slow(one);
    if (both_slow != slow(other)) return !both_slow;
    if (one.turn_ != other.turn_) return one.turn_ < other.turn_;
    const std::uint64_t every = both_slow ? kOldestTurnOfSlow : kOldestTurn;
    const bool oldest = share.turns % every == every - 1;
    return oldest ? one.began_ < other.began_ : one.began_ > other.began_;
}

void ReceptionShares::enter(Hold &hold) {
    Share &peer = (hold.known_ ? known_ : strangers_by_address_)[hold.peer_];
    ++peer.sessions;
    hold.peer_share_ = &peer;
    if (hold.known_) {
        const std::uint64_t part = limit_ / 2 / known_.size();
        for (auto &[address, share] : known_) share.limit = part;
    } else {
        peer.limit = limit_ / 4;
        if (const auto found = confined_.find(hold.peer_); found != confined_.end())
            peer.confined_until = found->second;
        Share &link = links_[hold.link_];
        link.limit = limit_ / 8 * 3;
        ++link.sessions;
        hold.link_share_ = &link;
    }
}

void ReceptionShares::remember(Addresses &addresses, const std::string &address, TimePoint now) {
    if (addresses.size() >= kMostConfined && !addresses.contains(address))
        addresses.erase(
            std::ranges::min_element(addresses, {}, [](const auto &one) { return one.second; }));
    addresses[address] = now + kConfinedFor;
}

void ReceptionShares::confine(const Hold &hold, TimePoint now) {
    if (hold.known_) return;
    if (hold.name_is_shared_) return remember(slow_, hold.peer_, now);
    remember(confined_, hold.peer_, now);
    hold.peer_share_->confined_until = now + kConfinedFor;
}

void ReceptionShares::leave(Hold &hold) {
    count(hold, 0);
    auto &shares = hold.known_ ? known_ : strangers_by_address_;
    const auto peer = shares.find(hold.peer_);
    FARLINK_INVARIANT(peer != shares.end());
    if (--peer->second.sessions == 0) shares.erase(peer);
    hold.peer_share_ = hold.link_share_ = nullptr;
    hold.waits_for_ = nullptr;
    if (hold.known_) {
        for (auto &[address, share] : known_) share.limit = limit_ / 2 / known_.size();
        return;
    }
    const auto link = links_.find(hold.link_);
    if (--link->second.sessions == 0) links_.erase(link);
}

// A bundle that is complete, or another one that has begun, is no longer being finished.
void ReceptionShares::count(Hold &hold, std::uint64_t bytes) {
    const bool finished = bytes < hold.bytes_;
    const auto change = [&](Share &share) {
        share.held += bytes;
        share.held -= hold.bytes_;
        if (finished && share.finisher == &hold) share.finisher = nullptr;
    };
    change(*hold.peer_share_);
    if (!hold.known_) {
        change(strangers_);
        change(*hold.link_share_);
    }
    if (hold.bytes_ == 0 && bytes > 0) {
        hold.next_ = first_;
        hold.previous_ = nullptr;
        if (first_ != nullptr) first_->previous_ = &hold;
        first_ = &hold;
    } else if (hold.bytes_ > 0 && bytes == 0) {
        if (hold.next_ != nullptr) hold.next_->previous_ = hold.previous_;
        (hold.previous_ != nullptr ? hold.previous_->next_ : first_) = hold.next_;
        hold.next_ = hold.previous_ = nullptr;
    }
    if (bytes != hold.bytes_) hold.gives_nothing_ = false;
    if (finished) {
        hold.watched_bytes_ = 0;
        hold.waits_for_ = nullptr;
    }
    hold.bytes_ = bytes;
}

// What would have to go of it for all its shares to hold.
std::uint64_t ReceptionShares::excess_of(const Hold &hold) const {
    const auto beyond = [](const Share &share) {
        return share.held > share.limit ? share.held - share.limit : 0;
    };
    std::uint64_t excess = beyond(*hold.peer_share_);
    if (!hold.known_) excess = std::max({excess, beyond(*hold.link_share_), beyond(strangers_)});
    return std::min(excess, hold.bytes_);
}

// The keeper with the largest excess that can give something back. Strangers that were slow do not
// take from others the excess that they cause.
ReceptionShares::Hold *ReceptionShares::most_beyond_share(const Hold &asking, TimePoint now) const {
    Hold *most = nullptr;
    std::uint64_t most_excess = 0;
    const bool slow = was_slow(asking, now);
    for (Hold *hold = first_; hold != nullptr; hold = hold->next_) {
        if (hold->keeper_ == nullptr || hold == &asking || hold->gives_nothing_) continue;
        if (slow && !hold->known_ && !was_slow(*hold, now)) continue;
        const std::uint64_t excess = excess_of(*hold);
        if (excess <= most_excess) continue;
        most = hold;
        most_excess = excess;
    }
    return most;
}

// For a session within its own share. It reclaims slightly more than the excess, or each datagram
// would cause another search.
bool ReceptionShares::take_back(const Hold &asking, TimePoint now) {
    if (asking.peer_share_->held >= asking.peer_share_->limit) return false;
    while (Hold *const most = most_beyond_share(asking, now)) {
        const std::uint64_t before = most->bytes_;
        const std::uint64_t spare = most->peer_share_->limit / kSpareShare;
        most->keeper_->give_back(excess_of(*most) + spare, now);
        most->gives_nothing_ = most->bytes_ == before;
        if (most->gives_nothing_) continue;
        ++given_up_;
        return true;
    }
    return false;
}

// The octets of a block are counted, and not the slab around them: many strangers with a small
// block each would occupy all slabs.
bool ReceptionShares::leave_slabs(const Hold &asking) {
    bool left = false;
    for (Hold *hold = first_; hold != nullptr; hold = hold->next_)
        if (hold->keeper_ != nullptr && !hold->known_ && hold != &asking)
            left = hold->keeper_->leave_slab() || left;
    return left;
}

bool ReceptionShares::was_slow(const Hold &hold, TimePoint now) const {
    if (hold.known_) return false;
    const auto found = slow_.find(hold.peer_);
    return found != slow_.end() && now < found->second;
}

// Whoever was slow and comes back has no more patience, and must not take the memory of those that
// were not. Without a history a block is compared with what asks, which must be smaller.
Slowness ReceptionShares::slowness_of(const Hold &hold, const Hold &asking, TimePoint now) const {
    const Slowness slow{limit_ / kSlowSeconds};
    if (hold.known_ || was_slow(asking, now)) return slow;
    if (was_slow(hold, now)) return kAnyBlock;
    if (!asking.known_ && hold.bytes_ <= asking.bytes_) return slow;
    return hold.stalls_ ? kAnyBlock : Slowness{slow.pace, kStalledFor};
}

// Of what could go: the session's bundle, or a block.
std::uint64_t ReceptionShares::slow_bytes(Hold &hold, const Hold &asking, TimePoint now) const {
    if (hold.keeper_ != nullptr)
        return hold.keeper_->slow_block(now, slowness_of(hold, asking, now));
    return hold.meter_.pace(hold.bytes_, now) < limit_ / kSlowSeconds ? hold.bytes_ : 0;
}

bool ReceptionShares::has_share(const Hold &hold) const {
    const auto open = [](const Share &share) { return share.held < share.limit; };
    if (!open(*hold.peer_share_)) return false;
    const Share *const link = hold.link_share_;
    return hold.known_ || (open(*link) && (open(strangers_) || has_spare(*link)));
}

// What a neighbour needs of the excess of all strangers is what is slow, first. A search that finds
// nothing is repeated later. Those that were slow ask often, and their searches do not count for
// others.
bool ReceptionShares::handle_shortage(const Hold &asking, TimePoint now) {
    const bool claim = has_claim(asking);
    const bool excess = strangers_.held > strangers_.limit;
    if (claim && excess && take_from_strangers(asking, false, now)) return true;
    if (take_back(asking, now)) return true;
    if (claim && (leave_slabs(asking) || take_from_strangers(asking, false, now) ||
                  take_from_strangers(asking, true, now)))
        return true;
    std::optional<TimePoint> &looked = looked_[was_slow(asking, now) ? 1 : 0];
    if (looked && now - *looked < kLookEvery) return false;
    if (leave_slabs(asking) || give_up_slow(asking, now)) return true;
    looked = now;
    return false;
}

// Neighbours beyond their own shares do not take what strangers have within theirs, or each would
// drop the blocks of the other.
bool ReceptionShares::has_claim(const Hold &asking) const {
    if (!asking.known_) return false;
    return asking.peer_share_->held < asking.peer_share_->limit ||
           strangers_.held > strangers_.limit;
}

// The largest block of a stranger that is slow, or of `any`, goes.
bool ReceptionShares::take_from_strangers(const Hold &asking, bool any, TimePoint now) {
    Hold *largest = nullptr;
    Slowness its;
    std::uint64_t largest_bytes = 0;
    for (Hold *hold = first_; hold != nullptr; hold = hold->next_) {
        if (hold->keeper_ == nullptr || hold->known_) continue;
        hold->watch(limit_ / kSlowSeconds, now);
        const Slowness slowness = any ? kAnyBlock : slowness_of(*hold, asking, now);
        const std::uint64_t bytes = hold->keeper_->slow_block(now, slowness);
        if (bytes <= largest_bytes) continue;
        largest = hold;
        its = slowness;
        largest_bytes = bytes;
    }
    return largest != nullptr && give_up_block(*largest, its, now);
}

// The memory of a block is free at once: further blocks are dropped until the asking session has a
// share. The memory of a session is free later: further ones are asked only if that is not enough.
bool ReceptionShares::give_up_slow(const Hold &asking, TimePoint now) {
    bool released = false;
    for (bool more = true; more;) {
        Hold *const largest = find_slow(asking, now);
        if (largest == nullptr) return released;
        if (largest->keeper_ == nullptr) {
            end_slow(*largest, now);
            more = needs_more(asking);
            continue;
        }
        more = give_up_block(*largest, slowness_of(*largest, asking, now), now);
        released = released || more;
        more = more && !has_share(asking);
    }
    return released;
}

void ReceptionShares::end_slow(Hold &hold, TimePoint now) {
    ++given_up_;
    hold.asked_ = true;
    confine(hold, now);
    hold.give_up_();
}

// Strangers have no share even when the sessions that were asked have ended. If it is its own
// address that has too much, one session is asked at a time.
bool ReceptionShares::needs_more(const Hold &asking) const {
    if (asking.known_ || asking.peer_share_->held >= asking.peer_share_->limit) return false;
    std::uint64_t all = strangers_.held;
    std::uint64_t link = asking.link_share_->held;
    for (const Hold *hold = first_; hold != nullptr; hold = hold->next_) {
        if (!hold->asked_ || hold->known_) continue;
        all -= hold->bytes_;
        if (hold->link_share_ == asking.link_share_) link -= hold->bytes_;
    }
    if (link < limit_ / 8) return all >= limit_ / 4 * 3;
    return link >= asking.link_share_->limit || all >= strangers_.limit;
}

// Only what was slow itself is remembered, and not what goes for that history or for its size.
bool ReceptionShares::give_up_block(Hold &hold, const Slowness &slowness, TimePoint now) {
    const std::uint64_t before = hold.bytes_;
    const Slowness stalled{limit_ / kSlowSeconds, kStalledFor};
    const bool slow = hold.stalls_ || hold.keeper_->slow_block(now, stalled) > 0;
    ++given_up_;
    hold.keeper_->give_up_slow_block(now, slowness);
    if (slow && !hold.known_) remember(slow_, hold.peer_, now);
    return hold.bytes_ < before;
}

// The one with the largest slow bundle or block, strangers first. A known neighbour that has used
// up its own share only asks itself for more.
ReceptionShares::Hold *ReceptionShares::find_slow(const Hold &asking, TimePoint now) const {
    Hold *largest = nullptr;
    std::uint64_t largest_bytes = 0;
    for (Hold *hold = first_; hold != nullptr; hold = hold->next_) {
        if (hold->keeper_ != nullptr) hold->watch(limit_ / kSlowSeconds, now);
        const bool may_go = !hold->known_ || hold->peer_ == asking.peer_;
        if (!may_go || hold->asked_ || hold->excused_ || hold == &asking) continue;
        const bool better = largest != nullptr && !largest->known_ && hold->known_;
        const bool worse = largest == nullptr || (largest->known_ && !hold->known_);
        if (better || (!worse && hold->bytes_ <= largest_bytes)) continue;
        const std::uint64_t bytes = slow_bytes(*hold, asking, now);
        if (bytes == 0 || (!worse && bytes <= largest_bytes)) continue;
        largest = hold;
        largest_bytes = bytes;
    }
    return largest;
}

// ---- one session

ReceptionShares::Hold::Hold(ReceptionShares &shares, LinkId link, std::string peer, bool known,
                            std::function<void()> give_up)
    : shares_(shares),
      link_(link),
      peer_(std::move(peer)),
      known_(known),
      give_up_(std::move(give_up)) {
    shares_.enter(*this);
}

ReceptionShares::Hold::Hold(ReceptionShares &shares, LinkId link, std::string peer, bool known,
                            BlockKeeper &keeper)
    : shares_(shares), link_(link), peer_(std::move(peer)), known_(known), keeper_(&keeper) {
    shares_.enter(*this);
}

ReceptionShares::Hold::~Hold() {
    shares_.leave(*this);
}

void ReceptionShares::Hold::make_known() {
    if (known_) return;
    const std::uint64_t bytes = bytes_;
    shares_.leave(*this);
    known_ = true;
    shares_.enter(*this);
    shares_.count(*this, bytes);
}

void ReceptionShares::Hold::update(std::uint64_t bytes, TimePoint now) {
    if (bytes == 0 && bytes_ == 0) return;
    const bool begins = bytes_ == 0 || bytes < bytes_;
    shares_.count(*this, bytes);
    if (!begins) return meter_.update(bytes, now);
    began_ = now;
    meter_.start(bytes, now);
}

void ReceptionShares::Hold::update(std::uint64_t bytes) {
    if (bytes != bytes_) shares_.count(*this, bytes);
}

// Sessions in the middle of larger bundles have used up a share, but not what lies beyond it.
bool ReceptionShares::Hold::has_little() const {
    if (keeper_ != nullptr || bytes_ >= shares_.limit_ / kLittle) return false;
    if (known_) return peer_share_->held < peer_share_->limit / 2 * 3;
    const Share &all = shares_.strangers_;
    const std::uint64_t completed = all.finisher != nullptr ? all.finisher->bytes_ : 0;
    return all.held - completed < shares_.limit_ / 8 * 5;
}

bool ReceptionShares::Hold::admitted(TimePoint now) {
    if (has_little()) return true;
    if (confined(now) && shares_.strangers_.held >= shares_.strangers_.limit / 2) return false;
    if (!shares_.admit(*peer_share_, *this, now)) return false;
    if (known_) return true;
    if (!shares_.admit(*link_share_, *this, now)) return false;
    return shares_.has_spare(*link_share_) || shares_.admit(shares_.strangers_, *this, now);
}

// A block that takes an octet now and then is never silent: what has come since the last look
// counts, not when. `slow`: bytes a second.
void ReceptionShares::Hold::watch(std::uint64_t slow, TimePoint now) {
    constexpr std::uint64_t kWindowsPerSecond = seconds(1) / kStalledFor;
    const bool new_here = watched_bytes_ == 0 || now - watched_ > kSeenLately;
    const bool grows = bytes_ > watched_bytes_ + slow / kWindowsPerSecond;
    if (!new_here && !grows && now - watched_ < kStalledFor) return;
    stalls_ = !new_here && !grows;
    watched_bytes_ = bytes_;
    watched_ = now;
}

void ReceptionShares::Hold::excuse(TimePoint now) {
    if (confined(now) && !excused_) return;
    meter_.excuse(bytes_, now);
}

void ReceptionShares::Hold::set_excused(bool excused, TimePoint now) {
    if (excused_ && !excused) excuse(now);
    excused_ = excused;
}

}  // namespace farlink
