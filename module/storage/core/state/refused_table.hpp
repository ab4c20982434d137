// SPDX-License-Identifier: Apache-2.0
// Bundles that a neighbour has refused for their own sake, or that are larger than its link takes:
// the neighbours that each is kept from, until when, and which link it goes by now. A refusal
// deletes nothing: it sends the bundle another way, or makes it wait, longer each time.
// Owned by StorageContext; one thread.
// Nothing of this is on disk: after a restart each bundle is offered to each neighbour once more.
#pragma once

#include <array>
#include <cstdint>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "common/base/time.hpp"
#include "common/base/types.hpp"

namespace farlink::storage {

class RefusedTable {
public:
    /// The pause after the first refusal of a neighbour; each further one doubles it.
    static constexpr Duration kFirstPause = seconds(1);
    static constexpr Duration kLongestPause = std::chrono::minutes(10);

    /// Bundles are named by their handles.
    [[nodiscard]] bool knows(std::uint64_t bundle) const {
        return !bundles_.empty() && bundles_.contains(bundle);
    }
    [[nodiscard]] std::size_t size() const { return bundles_.size(); }
    /// Those of them that were too large the last time.
    [[nodiscard]] std::size_t too_large() const { return too_large_; }
    [[nodiscard]] bool is_too_large(std::uint64_t bundle) const {
        const auto found = bundles_.find(bundle);
        return found != bundles_.end() && found->second.too_large;
    }
    /// The neighbour that was the last to refuse a bundle, or that one was too large for.
    [[nodiscard]] NodeNumber last_refuser(bool too_large) const {
        return last_refuser_[too_large ? 1 : 0];
    }

    /// The neighbour has refused the bundle, or its link takes none of this size.
    void refuse(std::uint64_t bundle, NodeNumber by, bool too_large, TimePoint now);
    /// It came back from the neighbour for another reason: the pause is the least, and does not
    /// grow.
    void rest(std::uint64_t bundle, NodeNumber by, TimePoint now);
    /// Whether the bundle must not go there yet.
    [[nodiscard]] bool keeps_from(std::uint64_t bundle, NodeNumber neighbour, TimePoint now) const;
    /// When the first of its pauses ends that have not ended by now; kNever when all have.
    [[nodiscard]] TimePoint next_try(std::uint64_t bundle, TimePoint now) const;

    /// It waits: its ways are to be looked up then.
    void wait(std::uint64_t bundle, TimePoint until);
    /// It goes to that neighbour by that link, and waits no more.
    void send_by(std::uint64_t bundle, LinkId link, NodeNumber to);
    [[nodiscard]] bool goes_by(std::uint64_t bundle, LinkId link, NodeNumber to) const;
    /// Routes or links have changed: bundles that wait are looked at now.
    void look_at_all();
    /// The neighbour takes larger bundles than before: those that were too large may go there.
    void end_pauses_of_size(NodeNumber neighbour);

    [[nodiscard]] TimePoint next_timeout() const {
        return waiting_.empty() ? kNever : waiting_.begin()->first;
    }
    /// The next whose ways are to be looked up; 0 when there is none.
    [[nodiscard]] std::uint64_t poll_due(TimePoint now);
    /// The bundle is gone.
    void forget(std::uint64_t bundle);

private:
    struct Refuser {
        NodeNumber neighbour;
        TimePoint until{};
        Duration pause{};
        bool by_size = false;  ///< the bundle was too large for its link
    };
    struct Bundle {
        std::vector<Refuser> refusers;
        TimePoint due = kNever;  ///< in waiting_, unless kNever
        LinkId link = kNoLink;
        NodeNumber to;
        bool too_large = false;
    };
    [[nodiscard]] Refuser &refuser(std::uint64_t bundle, NodeNumber by);
    void stop_waiting(std::uint64_t name, Bundle &bundle);
    void set_too_large(Bundle &bundle, bool too_large);

    std::unordered_map<std::uint64_t, Bundle> bundles_;
    std::set<std::pair<TimePoint, std::uint64_t>> waiting_;
    std::size_t too_large_ = 0;
    std::array<NodeNumber, 2> last_refuser_;  ///< of what was refused, and was too large
};

}  // namespace farlink::storage
