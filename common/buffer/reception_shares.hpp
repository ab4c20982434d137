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
    /// Sessions that were told to give up.
    [[nodiscard]] std::uint64_t given_up() const { return given_up_; }

private:
    struct Share {
        std::uint64_t limit = 0;
        std::uint64_t held = 0;
        const Hold *finisher = nullptr;  ///< may go beyond the limit until its bundle is complete
        std::size_t sessions = 0;
    };

    [[nodiscard]] static bool admit(Share &share, const Hold &hold);
    [[nodiscard]] Share &peer_share(const Hold &hold);
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
    ~Hold();
    Hold(const Hold &) = delete;
    Hold &operator=(const Hold &) = delete;

    /// It has proved to be a neighbour.
    void make_known();
    /// `bytes` of a bundle that is not complete are here.
    void update(std::uint64_t bytes, TimePoint now);
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
    std::uint64_t bytes_ = 0;
    std::uint64_t pace_ = ~std::uint64_t{0};  ///< bytes a second, when it was measured last
    TimePoint measured_{};
    std::uint64_t measured_bytes_ = 0;
    Hold *next_ = nullptr;
    Hold *previous_ = nullptr;
};

}  // namespace farlink
