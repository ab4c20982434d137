// SPDX-License-Identifier: Apache-2.0
// A node is killed at random moments under load, and during start and release, and is started again
// on the same two folders: every bundle that was acknowledged to its sender is delivered in the
// end. On an ordinary file system, and on one that discards at each kill what was not flushed.
// FARLINK_SEED repeats a run as far as timing allows, FARLINK_KILLS sets the number of kills.
#include <gtest/gtest.h>

#include <cstdlib>

#include "common/runtime/entropy.hpp"
#include "tests/support/crash_world.hpp"
#include "tests/support/forgetful_mount.hpp"

namespace farlink::test::crash_test {
namespace {

std::uint64_t number_of(const char *variable, std::uint64_t otherwise) {
    const char *text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

enum class End : std::uint8_t { kKilled, kKilledInStart, kKilledInRelease, kStopped };

class CrashRun {
public:
    /// `joins`: the node joins fragments.
    CrashRun(CrashWorld &world, std::function<void()> forget, bool joins)
        : world_(world), forget_(std::move(forget)), joins_(joins) {}

    /// One run of the node.
    void live() {
        const End end = choose();
        ++ends_[static_cast<std::size_t>(end)];
        choose_sinks(end);
        world_.start();
        if (end == End::kKilledInStart) {
            world_.run_for(milliseconds(random().below(40)));
        } else {
            ASSERT_TRUE(world_.wait_ready()) << world_.errors();
            spend(end);
        }
        if (end == End::kStopped) {
            nlohmann::json counters;
            world_.stop(counters);
            note(counters);
        } else {
            world_.kill();
            forget_();
        }
    }
    /// The last run: every bundle is delivered.
    void finish() {
        world_.set_making(false);
        world_.near().set_delay(milliseconds(0));
        world_.near().come();
        world_.far().come();
        world_.start();
        ASSERT_TRUE(world_.wait_ready()) << world_.errors();
        const bool quiet = world_.run_until(
            [this] { return world_.all_acknowledged() && world_.book().waiting() == 0; },
            seconds(60));
        EXPECT_TRUE(quiet) << world_.book().waiting()
                           << " acknowledged bundles are lost:" << world_.book().missing();
        nlohmann::json counters;
        world_.stop(counters);
        note(counters);
        // Fragments that come again when their bundle has left begin a set that stays incomplete.
        if (!joins_) send_repeats(counters);
        const std::uint64_t incomplete =
            counters.value("storage_fragment_sets_incomplete", std::uint64_t{0});
        EXPECT_EQ(counters.value("storage_stored_now", 1) == 0, incomplete == 0) << counters;
        EXPECT_EQ(counters.value("storage_deleted_unreadable", 0), 0) << counters;
        EXPECT_EQ(world_.book().faults(), "");
        EXPECT_EQ(world_.book().acknowledged(), world_.book().made());
    }
    /// Bundles that an earlier run had delivered may still be stored: each arrives once more.
    void send_repeats(nlohmann::json &counters) {
        const std::uint64_t stored = counters.value("storage_stored_now", std::uint64_t{0});
        if (stored == 0) return;
        const std::uint64_t due = world_.book().repeats() + stored;
        world_.start();
        ASSERT_TRUE(world_.wait_ready()) << world_.errors();
        EXPECT_TRUE(world_.run_until([&] { return world_.book().repeats() >= due; }, seconds(60)));
        world_.stop(counters);
        note(counters);
    }
    [[nodiscard]] std::string summary() const {
        const auto count = [this](End end) {
            return std::to_string(ends_[static_cast<std::size_t>(end)]);
        };
        const CrashBook &book = world_.book();
        return std::to_string(book.made()) + " bundles, " + std::to_string(book.acknowledged()) +
               " acknowledged, " + std::to_string(book.delivered()) + " delivered, " +
               std::to_string(book.repeats()) + " repeats, " + std::to_string(world_.refusals()) +
               " refusals; killed " + count(End::kKilled) + ", in start " +
               count(End::kKilledInStart) + ", in release " + count(End::kKilledInRelease) +
               ", stopped " + count(End::kStopped) + "; in the runs that were not killed " +
               std::to_string(stored_) + " stored, " + std::to_string(restored_) + " restored, " +
               std::to_string(moved_) + " moved";
    }

private:
    [[nodiscard]] Random &random() { return world_.random(); }
    End choose() {
        const std::uint64_t kind = random().below(20);
        if (kind < 10) return End::kKilled;
        if (kind < 14) return End::kKilledInStart;
        return kind < 18 ? End::kKilledInRelease : End::kStopped;
    }
    void choose_sinks(End end) {
        HandSink &near = world_.near();
        near.set_delay(milliseconds(random().chance(1, 3) ? random().below(100) : 0));
        if (end == End::kKilledInRelease || random().chance(1, 2))
            near.go();
        else
            near.come();
        if (random().chance(1, 4))
            world_.far().come();
        else
            world_.far().go();
    }
    /// The node under load, while its near next hop disconnects and reconnects.
    void spend(End end) {
        for (std::uint64_t phase = 1 + random().below(4); phase > 0; --phase) {
            world_.run_for(milliseconds(5 + random().below(120)));
            if (world_.near().present())
                world_.near().go();
            else
                world_.near().come();
        }
        if (end != End::kKilledInRelease) return world_.run_for(milliseconds(random().below(60)));
        world_.near().go();
        world_.run_for(milliseconds(20 + random().below(60)));
        world_.near().come();
        const std::uint64_t wanted = world_.book().delivered() + 1 + random().below(500);
        (void)world_.run_until([&] { return world_.book().delivered() >= wanted; },
                               milliseconds(500));
    }
    void note(const nlohmann::json &counters) {
        stored_ += counters.value("storage_stored_total", std::uint64_t{0});
        restored_ += counters.value("storage_restored", std::uint64_t{0});
        moved_ += counters.value("storage_moved", std::uint64_t{0});
    }

    CrashWorld &world_;
    std::function<void()> forget_;
    bool joins_;
    std::array<std::uint64_t, 4> ends_{};
    std::uint64_t stored_ = 0;
    std::uint64_t restored_ = 0;
    std::uint64_t moved_ = 0;
};

class Crash : public testing::TestWithParam<const char *> {
protected:
    /// `forget` is called after the node is killed.
    static void run(const std::filesystem::path &store, const std::function<void()> &forget,
                    std::uint64_t fragments = 1) {
        const std::uint64_t seed = number_of("FARLINK_SEED", entropy_seed());
        const std::uint64_t kills = number_of("FARLINK_KILLS", 10);
        SCOPED_TRACE("FARLINK_SEED=" + std::to_string(seed));
        std::cout << "crash: FARLINK_SEED=" << seed << '\n' << std::flush;
        CrashWorld world(store, seed, std::string(GetParam()) == "tcpclv4", false, 1, fragments);
        CrashRun run(world, forget, fragments > 1);
        for (std::uint64_t life = 0; life < kills && !HasFatalFailure(); ++life) {
            run.live();
            ASSERT_EQ(world.book().faults(), "") << "in life " << life;
        }
        if (!HasFatalFailure()) run.finish();
        const auto *test = testing::UnitTest::GetInstance()->current_test_info();
        std::cout << "crash: " << test->name() << ": " << run.summary() << '\n' << std::flush;
    }
};

INSTANTIATE_TEST_SUITE_P(NextHops, Crash, testing::Values("tcpclv4", "stcp"),
                         [](const auto &hop) { return std::string(hop.param); });

TEST_P(Crash, LosesNoAcknowledgedBundle) {
    const TempFolder folder;
    run(folder.path(), [] {});
}

TEST_P(Crash, LosesNoAcknowledgedBundleInAPowerCut) {
    if (!std::filesystem::exists("/dev/fuse")) GTEST_SKIP() << "there is no /dev/fuse";
    const ForgetfulMount mount;
    ASSERT_TRUE(mount.mounted());
    run(mount.path(), [&mount] { mount.forget(); });
}

TEST_P(Crash, LosesNoAcknowledgedFragment) {
    const TempFolder folder;
    run(folder.path(), [] {}, 3);
}

TEST_P(Crash, LosesNoAcknowledgedFragmentInAPowerCut) {
    if (!std::filesystem::exists("/dev/fuse")) GTEST_SKIP() << "there is no /dev/fuse";
    const ForgetfulMount mount;
    ASSERT_TRUE(mount.mounted());
    run(mount.path(), [&mount] { mount.forget(); }, 3);
}

}  // namespace
}  // namespace farlink::test::crash_test
