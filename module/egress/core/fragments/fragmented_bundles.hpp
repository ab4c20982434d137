// SPDX-License-Identifier: Apache-2.0
// The bundles of one batch that leave in fragments: which tokens their fragments have, what becomes
// of them, and the octets around their payload.
// Owned by the ServedBatch of its link, of which it is a part only when a bundle is cut.
// One thread. Payloads are not copied; what is here lives until the batch is returned.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <span>
#include <vector>

#include "common/buffer/batch.hpp"

namespace farlink::egress {

class FragmentedBundles {
public:
    /// Cut::room_bytes of a bundle that need not fit the rest of a contact.
    static constexpr std::uint64_t kAnyRoom = ~std::uint64_t{0};

    struct Cut {
        std::uint32_t place = 0;          ///< of the bundle in its batch
        std::uint64_t first_token = 0;    ///< its fragments have this one and those behind it
        std::uint64_t fragments = 0;      ///< given to the link
        std::uint64_t payload_bytes = 0;  ///< in those fragments, and in those of earlier contacts
        std::uint64_t max_bytes = 0;      ///< of a fragment
        std::uint64_t room_bytes = kAnyRoom;  ///< what further fragments have of the contact
        /// The end of a contact may leave a rest of the bundle.
        bool may_end_early = false;
        /// Then payload_bytes behind each fragment.
        std::vector<std::uint64_t> payload_ends{};
        bool part = false;  ///< the rest of it leaves by a later contact
        /// When not kPending: what becomes of the bundle as soon as the link has done with all of
        /// its fragments, whose octets it may still refer to.
        Outcome failure = Outcome::kPending;
    };

    /// A bundle is being cut, the last one of the list: its further fragments go next.
    [[nodiscard]] bool open() const { return open_; }
    [[nodiscard]] Cut &last() { return cuts_.back(); }
    void begin(std::uint32_t place, std::uint64_t first_token, std::uint64_t max_bytes) {
        cuts_.push_back({.place = place, .first_token = first_token, .max_bytes = max_bytes});
        open_ = true;
    }
    /// All of it is cut.
    void finish() { open_ = false; }
    /// It leaves whole: none of it was cut.
    void withdraw() {
        cuts_.pop_back();
        open_ = false;
    }
    /// No more fragments of it leave. True when the link has done with those that it has: the
    /// bundle has its outcome now.
    [[nodiscard]] bool abandon(Outcome failure) {
        open_ = false;
        Cut &cut = cuts_.back();
        if (cut.failure == Outcome::kPending) cut.failure = failure;
        return covered_ >= cut.first_token + cut.fragments;
    }

    /// The rest of it leaves by a later contact. True as for abandon().
    [[nodiscard]] bool end_early() {
        open_ = false;
        cuts_.back().part = true;
        return covered_ >= cuts_.back().first_token + cuts_.back().fragments;
    }
    /// Some bundle of the batch has left in part. There is one at most, for which
    /// Batch::sent_payload has room.
    [[nodiscard]] bool has_part() const { return std::ranges::any_of(cuts_, &Cut::part); }
    /// How much of the payload of the bundle the next hop has; 0: none, or no rest of it may stay.
    [[nodiscard]] std::uint64_t payload_handed_over(const Cut &cut) const {
        const std::uint64_t known = std::min<std::uint64_t>(
            covered_ - std::min(covered_, cut.first_token), cut.payload_ends.size());
        return known == 0 || (has_part() && !cut.part) ? 0 : cut.payload_ends[known - 1];
    }

    /// The link has done with all tokens below this one.
    void cover(std::uint64_t token) { covered_ = std::max(covered_, token); }
    /// The number of bundles from the front of the batch, whose tokens begin at `first_token`, that
    /// have all of their tokens below `token`.
    [[nodiscard]] std::uint64_t whole_below(std::uint64_t first_token, std::uint64_t token) const {
        std::uint64_t further = 0;  // tokens beside one for each bundle
        for (const Cut &cut : cuts_) {
            if (token <= cut.first_token) break;
            const bool unfinished = open_ && &cut == &cuts_.back();
            if (unfinished || token < cut.first_token + cut.fragments) return cut.place;
            further += cut.fragments - 1;
        }
        return token - first_token - further;
    }
    /// The place of the bundle with this token.
    [[nodiscard]] std::uint64_t place_of(std::uint64_t first_token, std::uint64_t token) const {
        std::uint64_t further = 0;
        for (const Cut &cut : cuts_) {
            if (token < cut.first_token) break;
            if (token < cut.first_token + cut.fragments) return cut.place;
            further += cut.fragments - 1;
        }
        return token - first_token - further;
    }
    /// Null for a bundle that leaves whole.
    [[nodiscard]] Cut *find(std::uint64_t place) {
        const auto found = std::ranges::find(cuts_, place, &Cut::place);
        return found == cuts_.end() ? nullptr : &*found;
    }
    /// What a bundle comes to whose tokens are all done with.
    [[nodiscard]] Outcome outcome_of(std::uint64_t place) {
        const Cut *cut = find(place);
        if (cut == nullptr) return Outcome::kSent;
        if (cut->failure != Outcome::kPending) return cut->failure;
        return cut->part ? Outcome::kPartSent : Outcome::kSent;
    }

    [[nodiscard]] MutableBytes octets(std::size_t size) {
        return {static_cast<std::uint8_t *>(memory_.allocate(size, 1)), size};
    }
    [[nodiscard]] std::span<ByteView> views(std::size_t count) {
        auto *const at =
            static_cast<ByteView *>(memory_.allocate(count * sizeof(ByteView), alignof(ByteView)));
        std::uninitialized_value_construct_n(at, count);
        return {at, count};
    }

private:
    static constexpr std::size_t kFirstBytes = 4096;

    std::pmr::monotonic_buffer_resource memory_{kFirstBytes};
    std::vector<Cut> cuts_;  ///< by place
    std::uint64_t covered_ = 0;
    bool open_ = false;
};

}  // namespace farlink::egress
