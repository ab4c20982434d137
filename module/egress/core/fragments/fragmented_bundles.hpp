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
    struct Cut {
        std::uint32_t place = 0;          ///< of the bundle in its batch
        std::uint64_t first_token = 0;    ///< its fragments have this one and those behind it
        std::uint64_t fragments = 0;      ///< given to the link
        std::uint64_t payload_bytes = 0;  ///< in those fragments
        std::uint64_t max_bytes = 0;      ///< of a fragment
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
        return cut == nullptr || cut->failure == Outcome::kPending ? Outcome::kSent : cut->failure;
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
