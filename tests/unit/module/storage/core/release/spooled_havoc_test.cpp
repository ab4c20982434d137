// SPDX-License-Identifier: Apache-2.0
// Bundles in pieces, against all that may happen to them: none is lost, and none is made up.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "tests/unit/module/storage/core/spool_rig.hpp"

namespace farlink::test::spooled_havoc_test {
namespace {

using storage::StorageCounter;

/// Bundles of random sizes and cuts arrive together, some are dropped, the link goes up and down,
/// pieces come back with random outcomes, and the node is killed now and then.
class Havoc {
public:
    explicit Havoc(std::uint64_t seed) : random_(seed) {
        options_.limits.link_bytes = 1000 + random_() % 8000;
        start();
    }

    void step() {
        rig_->send_at_once = false;
        switch (random_() % 8) {
            case 0:
                return begin();
            case 1:
                return change_link();
            case 2:
            case 3:
                return answer();
            case 4:
                return drop();
            case 5:
                return kill();
            default:
                return store();
        }
    }
    /// All that is whole leaves.
    void finish() {
        for (const Coming &bundle : coming_) rig_->drop_pieces(bundle.spool);
        if (!up_) change_link();
        rig_->run_for(kRigMoment);
        for (int tries = 0; tries < 10'000 && !rig_->lent.empty(); ++tries) {
            rig_->set_outcome(0, Outcome::kSent);
            rig_->run_for(kRigMoment);
        }
        rig_->run_for(seconds(2));
        collect();
        EXPECT_EQ(used_bytes(*rig_), 0U);
        EXPECT_EQ(rig_->core().figures().held(), 0U);
        EXPECT_EQ(rig_->count(StorageCounter::kStoredNow), 0U);
        EXPECT_EQ(rig_->count(StorageCounter::kStoredBytes), 0U);
        EXPECT_EQ(rig_->count(StorageCounter::kDuplicates), 0U);
        for (const Bytes &whole : wholes_) EXPECT_NE(std::ranges::find(left_, whole), left_.end());
        for (const Bytes &each : left_) EXPECT_NE(std::ranges::find(wholes_, each), wholes_.end());
    }

private:
    struct Coming {
        Bytes octets;
        std::uint64_t spool = 0;
        std::uint64_t at = 0;
    };

    void start() {
        rig_ = std::make_unique<Rig>(directory_, options_);
        coming_.clear();
        up_ = false;
    }
    void begin() {
        BundleSpec spec = spooled_spec(++spool_);
        spec.payload_bytes = 500 + random_() % 9000;
        coming_.push_back({encode(spec), spool_, 0});
    }
    void store() {
        if (coming_.empty()) return;
        const std::size_t which = random_() % coming_.size();
        Coming &bundle = coming_[which];
        const std::uint64_t least = bundle.at == 0 ? 200 : 1;
        const std::uint64_t to =
            std::min<std::uint64_t>(bundle.at + least + random_() % 3000, bundle.octets.size());
        rig_->store_piece(bundle.octets, bundle.spool, bundle.at, to);
        rig_->run_for(kRigMoment);
        EXPECT_EQ(rig_->piece_outcomes.back(), Outcome::kStored);
        bundle.at = to;
        if (to < bundle.octets.size()) return;
        wholes_.push_back(bundle.octets);
        coming_.erase(coming_.begin() + static_cast<std::ptrdiff_t>(which));
    }
    void drop() {
        if (coming_.empty() || random_() % 4 != 0) return;
        rig_->drop_pieces(coming_.back().spool);
        coming_.pop_back();
    }
    void change_link() {
        if (up_) rig_->link_down(kLink20, kNode20);
        if (!up_) rig_->routes_to_both();
        if (!up_) rig_->link_up(kLink20, kNode20);
        up_ = !up_;
    }
    void answer() {
        if (rig_->lent.empty()) return;
        rig_->set_outcome(0, random_() % 8 == 0 ? Outcome::kNotSent : Outcome::kSent);
        rig_->run_for(milliseconds(1));
    }
    void kill() {
        if (random_() % 20 != 0) return;
        collect();
        rig_.reset();
        directory_.kill();
        start();
    }
    void collect() {
        for (Bytes &octets : left_in_pieces(*rig_)) left_.push_back(std::move(octets));
    }

    std::mt19937_64 random_;
    SimDirectory directory_;
    RigOptions options_;
    std::unique_ptr<Rig> rig_;
    std::vector<Coming> coming_;
    std::vector<Bytes> wholes_;  ///< all of it was stored
    std::vector<Bytes> left_;
    std::uint64_t spool_ = 0;
    bool up_ = false;
};

TEST(SpooledHavoc, WhateverHappensWholeBundlesLeaveExactly) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        SCOPED_TRACE(seed);
        Havoc havoc(seed);
        for (int step = 0; step < 300; ++step) havoc.step();
        havoc.finish();
    }
}

}  // namespace
}  // namespace farlink::test::spooled_havoc_test
