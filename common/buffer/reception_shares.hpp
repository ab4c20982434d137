// SPDX-License-Identifier: Apache-2.0
// Who may hold how much of a loop's memory with bundles that are still arriving.
// Owned by the loop's ReadBuffer; each session owns its Hold, which must not outlive the shares.
// One thread.
//
// A peer that stops in the middle of a bundle holds what has come of it. So that one stranger
// cannot stop what everybody else sends, unfinished bundles have shares of the pool's limit:
//
//   all strangers together 1/2, those of one link 3/8, one stranger (an address) 1/4;
//   each known neighbour an equal part of the other half.
//
// In each share one bundle at a time may be finished beyond it, so nobody waits for himself. When
// somebody finds no memory, the largest of the strangers' slow bundles goes: its session is told to
// give up. Slow is what would need more than four minutes to fill the whole memory.
//
// A layer that keeps many blocks of one peer, and can give up each of them at once, may go beyond
// the shares while there is memory. What it has beyond them goes first when somebody else has none.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "common/base/time.hpp"
#include "common/base/types.hpp"

namespace farlink {

/// A peer of which no octet comes for so long in the middle of a bundle is disconnected.
inline constexpr seconds kTransferLimit{60};

/// Keeps the unfinished blocks of one peer, of a layer that can give up each by itself.
/// Called from within handle_shortage().
class BlockKeeper {
public:
    virtual ~BlockKeeper() = default;
    /// Octets of the largest block that has come more slowly than `pace`, bytes a second; 0: none.
    [[nodiscard]] virtual std::uint64_t slow_block(TimePoint now, std::uint64_t pace) = 0;
    /// That block goes.
    virtual void give_up_slow_block(TimePoint now, std::uint64_t pace) = 0;
    /// Blocks of so many octets go, the large and old ones first, but not the last one.
    virtual void give_back(std::uint64_t bytes, TimePoint now) = 0;
};

class ReceptionShares {
public:
    class Hold;

    explicit ReceptionShares(std::uint64_t limit_bytes) : limit_(limit_bytes) {
        strangers_.limit = limit_ / 2;
    }
    ReceptionShares(const ReceptionShares &) = delete;
    ReceptionShares &operator=(const ReceptionShares &) = delete;

    /// There was no memory for `asking`, at its share or altogether: somebody may have to give up.
    void handle_shortage(const Hold &asking, TimePoint now);
    /// Sessions that were told to give up, and keepers of blocks.
    [[nodiscard]] std::uint64_t given_up() const { return given_up_; }

private:
    struct Share {
        std::uint64_t limit = 0;
        std::uint64_t held = 0;
        const Hold *finisher = nullptr;  ///< may go beyond the limit until its bundle is complete
        std::size_t sessions = 0;
    };

    [[nodiscard]] static bool admit(Share &share, const Hold &hold);
    [[nodiscard]] std::uint64_t excess_of(const Hold &hold) const;
    [[nodiscard]] bool take_back(const Hold &asking, TimePoint now);
    [[nodiscard]] std::uint64_t slow_bytes(Hold &hold, TimePoint now) const;
    void count(Hold &hold, std::uint64_t bytes);
    void enter(Hold &hold);
    void leave(Hold &hold);

    std::uint64_t limit_;
    Share strangers_;
    std::map<LinkId, Share> links_;  ///< strangers by link
    std::map<std::string, Share, std::less<>> strangers_by_address_;
    std::map<std::string, Share, std::less<>> known_;
    Hold *first_ = nullptr;  ///< of those that hold something
    std::optional<TimePoint> looked_;
    std::uint64_t given_up_ = 0;
};

/// What one session holds.
class ReceptionShares::Hold {
public:
    /// `peer` is the address; `give_up` is called from within handle_shortage(), at most once, and
    /// must not end the session before it has returned.
    Hold(ReceptionShares &shares, LinkId link, std::string peer, bool known,
         std::function<void()> give_up);
    /// Of many blocks, which may go beyond the share.
    Hold(ReceptionShares &shares, LinkId link, std::string peer, bool known, BlockKeeper &keeper);
    ~Hold();
    Hold(const Hold &) = delete;
    Hold &operator=(const Hold &) = delete;

    /// It has proved to be a neighbour.
    void make_known();
    /// `bytes` of a bundle that is not complete are here.
    void update(std::uint64_t bytes, TimePoint now);
    /// The same of a keeper's blocks, whose pace it knows by itself.
    void update(std::uint64_t bytes);
    /// There was no memory for more.
    void ask_for_memory(TimePoint now) { shares_.handle_shortage(*this, now); }
    /// The session may read on. False: it has used up its share.
    [[nodiscard]] bool admitted();
    /// This node has not read the session up to now, which is no fault of the peer.
    void excuse(TimePoint now);
    /// It does not read the session until further notice.
    void set_excused(bool excused, TimePoint now);

    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
    [[nodiscard]] bool known() const { return known_; }

private:
    friend class ReceptionShares;
    [[nodiscard]] std::uint64_t pace_at(TimePoint now) const;

    ReceptionShares &shares_;
    LinkId link_;
    std::string peer_;
    bool known_;
    bool asked_ = false;  ///< to give up
    bool excused_ = false;
    std::function<void()> give_up_;
    BlockKeeper *keeper_ = nullptr;
    Share *peer_share_ = nullptr;
    Share *link_share_ = nullptr;  ///< of a stranger
    std::uint64_t bytes_ = 0;
    std::uint64_t pace_ = ~std::uint64_t{0};  ///< bytes a second, when it was measured last
    TimePoint measured_{};
    std::uint64_t measured_bytes_ = 0;
    Hold *next_ = nullptr;
    Hold *previous_ = nullptr;
};

}  // namespace farlink
