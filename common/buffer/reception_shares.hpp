// SPDX-License-Identifier: Apache-2.0
// Shares of a loop's memory for bundles in reception.
// Owned by the loop's ReadBuffer; each session owns its Hold, which must not outlive the shares.
// One thread.
//
// A peer that stops in the middle of a bundle occupies memory with its beginning. So that an
// unknown peer (a stranger) cannot block the others, incomplete bundles have shares of the pool's
// limit:
//
//   all strangers together 1/2, those of one link 3/8, one stranger (an address) 1/4;
//   each known neighbour an equal part of the other half.
//
// In each share one bundle at a time may be completed beyond it, which avoids deadlock. Of those
// that wait for that, addresses whose bundles have not stood still lately come first, then sessions
// that have not had a turn, then the newest bundle: peers that stop would take each turn that
// becomes free. Now and then the oldest bundle comes before the newest one. What one link has in
// excess thereby must not block another one: strangers of a link that holds less than 1/8 are read
// until all strangers hold 3/4. A session that holds less than 1/128 is read until all strangers
// hold 5/8 beside the bundle that is being completed, and one of a known neighbour until that
// neighbour holds half more than its share: peers that stop in the middle of large bundles do not
// hold up a newcomer with small ones, even if they have its address. If memory is short, the
// largest slow bundle of a stranger is dropped: its session gives up. Slow is a rate that would
// need more than four minutes to fill the whole memory, and a silence of two seconds. Several
// sessions go at once if what asks needs the shares of several.
//
// Its peer would come back and take the memory that a newcomer needs. Therefore the address is then
// confined for a minute: its sessions continue to receive only while all strangers together hold
// less than half of their share, and a wait for that counts as slow. However many addresses are
// confined, they leave the other half to the rest. UDP proves no address, so that blocks of LTP
// confine no address. Neither does a session whose address is a name that others bear, such as an
// application: only its name comes later for a minute.
//
// A convergence layer that keeps many blocks of one peer, and can drop each of them at once, may go
// beyond the shares while there is memory. The excess is dropped first if memory is short; the last
// block of a peer stays, unless it is slow. Small blocks of strangers then leave the slabs they lie
// in. A known neighbour within its share, or while strangers have more than theirs, takes the
// blocks of strangers at once, slow ones first and then the largest. A stranger takes a larger
// block that has stopped for half a second; for a minute after that, blocks from the address of the
// other one yield to blocks from addresses without such a history, and take only what is slow.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/buffer/pace_meter.hpp"

namespace farlink {

/// A peer that sends no octet for this time in the middle of a bundle is disconnected.
inline constexpr seconds kTransferLimit{60};
/// An address is confined for this time after a slow session of it has given up.
inline constexpr seconds kConfinedFor{60};

/// What makes a block slow: no more than `pace` bytes a second, or nothing new for `silence`.
struct Slowness {
    std::uint64_t pace = 0;
    Duration silence = PaceMeter::kSilence;
};

/// Keeps the incomplete blocks of one peer, in a convergence layer that can drop each one.
/// Called from within handle_shortage().
class BlockKeeper {
public:
    virtual ~BlockKeeper() = default;
    /// Size of the largest block that is so slow; 0: none.
    [[nodiscard]] virtual std::uint64_t slow_block(TimePoint now, const Slowness &slowness) = 0;
    /// Drops that block.
    virtual void give_up_slow_block(TimePoint now, const Slowness &slowness) = 0;
    /// Drops blocks of that many octets, large and old ones first, except the last one.
    virtual void give_back(std::uint64_t bytes, TimePoint now) = 0;
    /// Moves small blocks out of a slab that they occupy alone; false: there is no such slab.
    virtual bool leave_slab() = 0;
};

class ReceptionShares {
public:
    class Hold;
    /// So many addresses are remembered as confined; a further one replaces the oldest.
    static constexpr std::size_t kMostConfined = 1024;

    explicit ReceptionShares(std::uint64_t limit_bytes) : limit_(limit_bytes) {
        strangers_.limit = limit_ / 2;
    }
    ReceptionShares(const ReceptionShares &) = delete;
    ReceptionShares &operator=(const ReceptionShares &) = delete;

    /// There was no memory for `asking`, in its share or in total: a session may have to give up.
    /// True: memory was released; ask again if that is not enough.
    bool handle_shortage(const Hold &asking, TimePoint now);
    /// Sessions that were ended to release memory, and LTP ports that released blocks.
    [[nodiscard]] std::uint64_t given_up() const { return given_up_; }

private:
    struct Share {
        std::uint64_t limit = 0;
        std::uint64_t held = 0;
        const Hold *finisher = nullptr;  ///< may go beyond the limit until its bundle is complete
        std::size_t sessions = 0;
        std::uint64_t turns = 0;                  ///< of finishers, so far
        std::optional<TimePoint> confined_until;  ///< of a stranger's address
    };

    using Addresses = std::map<std::string, TimePoint, std::less<>>;

    [[nodiscard]] bool admit(Share &share, Hold &hold, TimePoint now) const;
    [[nodiscard]] const Hold *next_finisher(const Share &share, TimePoint now) const;
    [[nodiscard]] bool goes_first(const Hold &one, const Hold &other, const Share &share,
                                  TimePoint now) const;
    [[nodiscard]] bool has_spare(const Share &link) const {
        return link.held < limit_ / 8 && strangers_.held < limit_ / 4 * 3;
    }
    [[nodiscard]] std::uint64_t excess_of(const Hold &hold) const;
    [[nodiscard]] Hold *most_beyond_share(const Hold &asking, TimePoint now) const;
    [[nodiscard]] bool take_back(const Hold &asking, TimePoint now);
    [[nodiscard]] bool has_share(const Hold &hold) const;
    [[nodiscard]] bool leave_slabs(const Hold &asking);
    /// Strangers' blocks go for it at once.
    [[nodiscard]] bool has_claim(const Hold &asking) const;
    [[nodiscard]] bool take_from_strangers(const Hold &asking, bool any, TimePoint now);
    [[nodiscard]] bool give_up_slow(const Hold &asking, TimePoint now);
    void end_slow(Hold &hold, TimePoint now);
    [[nodiscard]] bool needs_more(const Hold &asking) const;
    bool give_up_block(Hold &hold, const Slowness &slowness, TimePoint now);
    [[nodiscard]] Hold *find_slow(const Hold &asking, TimePoint now) const;
    [[nodiscard]] std::uint64_t slow_bytes(Hold &hold, const Hold &asking, TimePoint now) const;
    [[nodiscard]] Slowness slowness_of(const Hold &hold, const Hold &asking, TimePoint now) const;
    /// Blocks from the address of this stranger were slow lately.
    [[nodiscard]] bool was_slow(const Hold &hold, TimePoint now) const;
    void count(Hold &hold, std::uint64_t bytes);
    static void remember(Addresses &addresses, const std::string &address, TimePoint now);
    void confine(const Hold &hold, TimePoint now);
    void enter(Hold &hold);
    void leave(Hold &hold);

    std::uint64_t limit_;
    Share strangers_;
    std::map<LinkId, Share> links_;  ///< strangers by link
    std::map<std::string, Share, std::less<>> strangers_by_address_;
    std::map<std::string, Share, std::less<>> known_;
    Addresses confined_;     ///< with or without sessions
    Addresses slow_;         ///< was_slow()
    Hold *first_ = nullptr;  ///< of those with octets
    /// The last search that has released nothing: for others, and for those that were slow.
    std::array<std::optional<TimePoint>, 2> looked_;
    std::uint64_t given_up_ = 0;
};

/// The memory of one session.
class ReceptionShares::Hold {
public:
    /// `peer` is the address; `give_up` is called from within handle_shortage(), at most once, and
    /// must not end the session before it has returned.
    Hold(ReceptionShares &shares, LinkId link, std::string peer, bool known,
         std::function<void()> give_up);
    /// For a keeper of many blocks, which may go beyond the share.
    Hold(ReceptionShares &shares, LinkId link, std::string peer, bool known, BlockKeeper &keeper);
    ~Hold();
    Hold(const Hold &) = delete;
    Hold &operator=(const Hold &) = delete;

    /// The peer is authenticated as a neighbour.
    void make_known();
    /// Others bear the name `peer`, too: they are not confined for what this one does.
    void share_name() { name_is_shared_ = true; }
    /// `bytes` of an incomplete bundle have arrived.
    void update(std::uint64_t bytes, TimePoint now);
    /// The same for a keeper's blocks, whose pace the keeper measures.
    void update(std::uint64_t bytes);
    /// There was no memory for further octets. True: some was released.
    bool ask_for_memory(TimePoint now) { return shares_.handle_shortage(*this, now); }
    /// Whether the session may continue to read; false if its share is full.
    [[nodiscard]] bool admitted(TimePoint now);
    /// This node did not read the session until now, which does not count as the peer's delay.
    void excuse(TimePoint now);
    /// This node stops reading the session.
    void set_excused(bool excused, TimePoint now);

    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    [[nodiscard]] bool known() const { return known_; }

private:
    friend class ReceptionShares;
    [[nodiscard]] bool has_little() const;
    [[nodiscard]] bool confined(TimePoint now) const {
        return !known_ && peer_share_->confined_until && now < *peer_share_->confined_until;
    }

    void watch(std::uint64_t slow, TimePoint now);

    ReceptionShares &shares_;
    LinkId link_;
    std::string peer_;
    bool known_;
    bool name_is_shared_ = false;
    bool asked_ = false;  ///< to give up
    bool excused_ = false;
    bool gives_nothing_ = false;  ///< the keeper has only its last block
    bool stalls_ = false;         ///< the keeper's blocks, as far as watch() has seen
    std::function<void()> give_up_;
    BlockKeeper *keeper_ = nullptr;
    Share *peer_share_ = nullptr;
    Share *link_share_ = nullptr;  ///< of a stranger
    std::uint64_t bytes_ = 0;
    const Share *waits_for_ = nullptr;  ///< its turn, at the time `waited_`
    TimePoint waited_{};
    TimePoint turn_{};  ///< its last one; the epoch: none
    TimePoint began_{};
    PaceMeter meter_;
    std::uint64_t watched_bytes_ = 0;  ///< watch() had seen; 0: nothing yet
    TimePoint watched_{};
    Hold *next_ = nullptr;
    Hold *previous_ = nullptr;
};

}  // namespace farlink
