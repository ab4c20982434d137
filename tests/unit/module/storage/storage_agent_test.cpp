// SPDX-License-Identifier: Apache-2.0
#include "module/storage/storage_agent.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <filesystem>

#include "common/bp/flow.hpp"
#include "common/runtime/clock.hpp"
#include "tests/support/agent_bench.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/test_batch.hpp"

namespace farlink::storage::storage_agent_test {
namespace {

using bus::AgentId;

constexpr LinkId kLink{7};
constexpr NodeNumber kNeighbour{2};

class StorageAgentTest : public testing::Test {
protected:
    ~StorageAgentTest() override { bench_.stop(); }

    /// On the disks of `config_`.
    [[nodiscard]] bool open() {
        agent_.emplace(config_, bench_.context());
        return agent_->open();
    }
    void start() {
        ASSERT_TRUE(open());
        bench_.start(*agent_);
        ASSERT_TRUE(bench_.next<bus::ModuleReady>(AgentId::kSupervisor));
    }
    [[nodiscard]] BatchPtr batch_of(std::size_t count) {
        std::vector<Bytes> bundles;
        for (; count > 0; --count) {
            test::TestBundle bundle;
            bundle.created_ms = read_wall_clock().dtn_ms;
            bundle.sequence = ++sequence_;
            bundles.push_back(bundle.octets());
        }
        BatchPtr batch = maker_.make(BatchOwner::kIngress, kNoLink, bundles);
        for (BatchedBundle &bundle : batch->bundles)
            bundle.flow = bp::flow_key(bp::ipn_eid(2, 1), Priority::kNormal);
        return batch;
    }
    void store(std::size_t count) {
        bench_.send(bus::StoreBatch{batch_of(count)});
        const auto answer = bench_.next<bus::BatchOutcome>(AgentId::kIngress);
        ASSERT_TRUE(answer);
        for (const BatchedBundle &bundle : answer->batch->bundles)
            EXPECT_EQ(answer->batch->outcome_of(bundle), Outcome::kStored);
    }
    void link_comes() { bench_.set_link(kLink, kNeighbour, {kNeighbour}); }
    [[nodiscard]] BatchPtr released() {
        auto release = bench_.next<bus::ReleaseBatch>(AgentId::kEgress);
        return release ? std::move(release->batch) : nullptr;
    }
    [[nodiscard]] std::vector<bus::StoredBundle> held() {
        bus::StoreRequest request;
        request.id = bus::RequestId{++requests_};
        request.limit = 100;
        bench_.send(std::move(request));
        auto reply = bench_.next<bus::StoreReply>(AgentId::kSupervisor);
        EXPECT_TRUE(reply);
        if (!reply) return {};
        EXPECT_EQ(reply->id, bus::RequestId{requests_});
        return std::move(reply->bundles);
    }

    test::TempFolder folder_;
    config::NodeConfig config_ = test::node_config(
        {{"myNodeId", 10},
         {"bufferBytes", 16 * 1024 * 1024},
         {"inductsConfig", nlohmann::json::array({{{"url", "stcp://127.0.0.1:0"}}})},
         {"storageConfig", {{"storeFilePath", "store"}}}},
        folder_.path().string());
    test::BatchMaker maker_;
    test::AgentBench bench_{AgentId::kStorage};
    std::optional<StorageAgent> agent_;
    std::uint64_t sequence_ = 0;
    std::uint64_t requests_ = 0;
};

TEST_F(StorageAgentTest, ItReportsThatTheStoreIsOpenAndRequestsSnapshots) {
    ASSERT_TRUE(open());
    bench_.start(*agent_);
    EXPECT_EQ(bench_.next<bus::ModuleReady>(AgentId::kSupervisor)->module, AgentId::kStorage);
    EXPECT_EQ(bench_.next<bus::StorageReady>(AgentId::kEgress)->restored, 0U);
    EXPECT_EQ(bench_.next<bus::StorageReady>(AgentId::kIngress)->restored, 0U);
    for (const AgentId publisher : {AgentId::kScheduler, AgentId::kRouter}) {
        const auto request = bench_.next<bus::SnapshotRequest>(publisher);
        ASSERT_TRUE(request);
        EXPECT_EQ(request->publisher, publisher);
        EXPECT_EQ(request->from, AgentId::kStorage);
    }
}

TEST_F(StorageAgentTest, WhatIsStoredIsReleasedAndForgottenOnceItIsSent) {
    start();
    store(3);
    EXPECT_EQ(held().size(), 3U);
    link_comes();
    BatchPtr batch = released();
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->link, kLink);
    EXPECT_EQ(batch->next_hop, kNeighbour);
    EXPECT_EQ(batch->bundles.size(), 3U);
    bench_.send(test::with_outcome(std::move(batch), Outcome::kSent));
    EXPECT_TRUE(bench_.next<bus::Backlog>(AgentId::kIngress,
                                          [](const auto &flow) { return flow.waiting == 0; }));
    EXPECT_TRUE(held().empty());
}

TEST_F(StorageAgentTest, ALinkThatNobodyHasNamedReleasesNothing) {
    start();
    store(2);
    bench_.set_routes(kLink, kNeighbour, {kNeighbour});
    bench_.send(bus::LinkUp{{2, 1}, LinkId{99}, NodeNumber{98}, {}});
    bench_.send(bus::LinkDown{{2, 2}, LinkId{97}, NodeNumber{96}, {}});
    for (const bus::StoredBundle &bundle : held())
        EXPECT_EQ(bundle.state, bus::StoredState::kWaiting);
    link_comes();
    BatchPtr first = released();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->link, kLink) << "the first release of all";
    bench_.send(test::with_outcome(std::move(first), Outcome::kSent));
}

TEST_F(StorageAgentTest, RequestsOfTheOperatorAreAnsweredByTheirIds) {
    start();
    bench_.send(bus::BundlePieceRequest{.id = bus::RequestId{40}, .bundle = 12345, .limit = 10});
    const auto piece = bench_.next<bus::BundlePiece>(AgentId::kSupervisor);
    ASSERT_TRUE(piece);
    EXPECT_EQ(piece->id, bus::RequestId{40});
    EXPECT_EQ(piece->fault, bus::PieceFault::kGone);
    bench_.send(bus::StoreTaskRequest{
        .id = bus::RequestId{41}, .task = bus::StoreTask::kVerify, .verb = bus::TaskVerb::kShow});
    const auto task = bench_.next<bus::StoreTaskReply>(AgentId::kSupervisor);
    ASSERT_TRUE(task);
    EXPECT_EQ(task->id, bus::RequestId{41});
    EXPECT_EQ(task->state, bus::TaskState::kNever);
}

TEST_F(StorageAgentTest, ARestartedModuleGetsTheStateAnew) {
    start();
    store(2);
    bench_.send(bus::ModuleBack{AgentId::kSupervisor});
    EXPECT_TRUE(bench_.next<bus::ModuleReady>(AgentId::kSupervisor));
    ASSERT_TRUE(bench_.next<bus::StorageReady>(AgentId::kEgress));
    bench_.send(bus::ModuleBack{AgentId::kEgress});
    EXPECT_TRUE(bench_.next<bus::StorageReady>(AgentId::kEgress));
    bench_.send(bus::ModuleBack{AgentId::kIngress});
    const auto backlog = bench_.next<bus::Backlog>(
        AgentId::kIngress, [](const auto &flow) { return flow.waiting == 2; });
    EXPECT_TRUE(backlog);
    EXPECT_TRUE(bench_.next<bus::StorageReady>(AgentId::kIngress));
    bench_.send(bus::ModuleBack{AgentId::kRouter});
    const auto report = bench_.next<bus::BacklogReport>(AgentId::kRouter, [](const auto &waiting) {
        return waiting.waiting.size() == 1 && waiting.waiting[0].node == kNeighbour;
    });
    ASSERT_TRUE(report);
    EXPECT_EQ(report->id, bus::kNoRequest) << "nobody asked for it";
    // An unchanged report is sent again to a telemetry that has started again.
    const auto counted = [](const bus::StorageReport &each) {
        return each.pending.size() == 1 && each.pending[0].bundles == 2;
    };
    ASSERT_TRUE(bench_.next<bus::StorageReport>(AgentId::kTelemetry, counted));
    bench_.send(bus::ModuleBack{AgentId::kTelemetry});
    EXPECT_TRUE(bench_.next<bus::StorageReport>(AgentId::kTelemetry, counted));
}

TEST_F(StorageAgentTest, ALostEgressGetsTheBundlesAgain) {
    start();
    store(1);
    link_comes();
    BatchPtr batch = released();
    ASSERT_TRUE(batch);
    bench_.send(bus::ModuleLost{AgentId::kEgress});
    bench_.send(test::with_outcome(std::move(batch), Outcome::kNotSent));
    EXPECT_EQ(held().front().state, bus::StoredState::kWaiting) << "its links are down";
    bench_.send(bus::ModuleBack{AgentId::kEgress});
    link_comes();
    batch = released();
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->bundles.size(), 1U);
    bench_.send(test::with_outcome(std::move(batch), Outcome::kSent));
}

TEST_F(StorageAgentTest, AStopWaitsForWhatIsLent) {
    start();
    store(2);
    link_comes();
    BatchPtr batch = released();
    ASSERT_TRUE(batch);
    bench_.send(bus::Stop{});
    EXPECT_EQ(held().size(), 2U) << "it still answers";
    EXPECT_FALSE(bench_.ended());
    bench_.send(test::with_outcome(std::move(batch), Outcome::kNotSent));
    EXPECT_TRUE(bench_.last_report());
    bench_.stop();
    agent_.reset();
    test::AgentBench bench{AgentId::kStorage};
    StorageAgent restarted{config_, bench.context()};
    ASSERT_TRUE(restarted.open());
    bench.start(restarted);
    const auto ready = bench.next<bus::StorageReady>(AgentId::kIngress);
    bench.stop();
    ASSERT_TRUE(ready);
    EXPECT_EQ(ready->restored, 2U) << "what was not sent is there at the next start";
}

TEST_F(StorageAgentTest, BundlesBeforeTheStopAreFlushed) {
    start();
    bench_.send(bus::StoreBatch{batch_of(5)});
    bench_.send(bus::Stop{});
    const auto answer = bench_.next<bus::BatchOutcome>(AgentId::kIngress);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->batch->outcome_of(answer->batch->bundles.back()), Outcome::kStored);
    EXPECT_TRUE(bench_.last_report());
}

TEST_F(StorageAgentTest, TheReserveIsGivenBackWhenTheNodeDrains) {
    const std::string reserve = folder_ / "store/reserve";
    start();
    EXPECT_TRUE(std::filesystem::exists(reserve));
    bench_.send(bus::Stop{.drain = true});
    store(1);
    EXPECT_FALSE(std::filesystem::exists(reserve));
    EXPECT_FALSE(bench_.ended());
}

TEST_F(StorageAgentTest, IngressLearnsForHowMuchMemoryThereIsRoom) {
    start();
    EXPECT_EQ(std::filesystem::file_size(folder_ / "store/reserve"), 2 * config_.buffer_bytes);
    const auto reserve = bench_.next<bus::StorageReserve>(AgentId::kIngress);
    ASSERT_TRUE(reserve);
    EXPECT_EQ(reserve->memory_bytes, config_.buffer_bytes);
    bench_.send(bus::ModuleBack{AgentId::kIngress2});
    EXPECT_TRUE(bench_.next<bus::StorageReserve>(AgentId::kIngress)) << "it may have restarted";
}

// Whatever the capacity: a file system may be full of other files.
TEST_F(StorageAgentTest, TheReserveIsThatOfTheMemory) {
    config_.storage.capacity_bytes = config_.storage.disks.front().capacity_bytes = 1024 * 1024;
    config_.threads.instances = 2;
    start();
    EXPECT_EQ(std::filesystem::file_size(folder_ / "store/reserve"), 4 * config_.buffer_bytes);
    store(1);
}

TEST_F(StorageAgentTest, WithRoomForASmallReserveOnlyIngressHoldsLess) {
    ::signal(SIGXFSZ, SIG_IGN);
    constexpr std::uint64_t kLargestFile = 100 * 1024 * 1024;
    config_.buffer_bytes = kLargestFile;
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    const rlimit tight{kLargestFile, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
    start();
    const auto reserve = bench_.next<bus::StorageReserve>(AgentId::kIngress);
    store(1);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    ASSERT_TRUE(reserve);
    EXPECT_EQ(reserve->memory_bytes, kLargestFile / 2);
}

TEST_F(StorageAgentTest, AStoreThatCannotBeUsedIsNotOpened) {
    folder_.write("file", "no folder");
    config_.storage.disks.front().directory = folder_ / "file/store";
    EXPECT_FALSE(open());
}

TEST_F(StorageAgentTest, OneOfTwoDisksMayBeMissing) {
    folder_.write("file", "no folder");
    config_.storage.disks.push_back(config_.storage.disks.front());
    config_.storage.disks.back().directory = folder_ / "file/store";
    start();
    store(1);
    const auto report = bench_.next<bus::StorageReport>(AgentId::kTelemetry);
    ASSERT_TRUE(report);
    ASSERT_EQ(report->disks.size(), 2U);
    EXPECT_EQ(report->disks[0].state, bus::DiskState::kOk);
    EXPECT_EQ(report->disks[1].state, bus::DiskState::kSetAside);
}

TEST_F(StorageAgentTest, StripesAreKeptWhenADiskIsAnOlderCopy) {
    namespace fs = std::filesystem;
    config_.storage.stripe_above_bytes = 64;
    config::StorageDiskConfig second = config_.storage.disks.front();
    second.name = "second";
    second.directory = folder_ / "second";
    config_.storage.disks.push_back(second);
    const auto run = [this](bool stores) {
        test::AgentBench bench{AgentId::kStorage};
        StorageAgent agent(config_, bench.context());
        ASSERT_TRUE(agent.open());
        if (!stores) return;
        bench.start(agent);
        bench.send(bus::StoreBatch{batch_of(1)});
        EXPECT_TRUE(bench.next<bus::BatchOutcome>(AgentId::kIngress));
        bench.stop();
    };
    run(false);
    fs::copy(second.directory, folder_ / "backup");
    run(true);
    fs::remove_all(second.directory);
    fs::rename(folder_ / "backup", second.directory);
    for (const bool old : {true, false}) {
        const auto time = fs::last_write_time(folder_ / "store/lock");
        for (const auto &entry : fs::directory_iterator(second.directory))
            fs::last_write_time(entry.path(), time - std::chrono::minutes(old ? 10 : 0));
        testing::internal::CaptureStderr();
        run(false);
        const std::string log = testing::internal::GetCapturedStderr();
        EXPECT_EQ(
            log.find("another disk is missing, damaged or an older copy") != std::string::npos, old)
            << log;
        EXPECT_EQ(log.find("disk second: last used 600 s before another disk") != std::string::npos,
                  old)
            << log;
        EXPECT_EQ(
            log.find("erased 1 bundle of which a working disk lacks a stripe") != std::string::npos,
            !old)
            << log;
        EXPECT_EQ(log.find(" for ipn:2.1 (") != std::string::npos, !old) << log;
    }
}

TEST_F(StorageAgentTest, AFullStoreRefusesUntilThereIsRoom) {
    config_.storage.capacity_bytes = config_.storage.disks.front().capacity_bytes = 1024;
    start();
    bench_.send(bus::StoreBatch{batch_of(50)});
    auto answer = bench_.next<bus::BatchOutcome>(AgentId::kIngress);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->batch->outcome_of(answer->batch->bundles.front()), Outcome::kStored);
    EXPECT_EQ(answer->batch->outcome_of(answer->batch->bundles.back()), Outcome::kNoSpace);
    bench_.send(bus::StoreBatch{batch_of(1)});
    answer = bench_.next<bus::BatchOutcome>(AgentId::kIngress);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->batch->outcome_of(answer->batch->bundles.front()), Outcome::kNoSpace)
        << "nothing overtakes what was refused";
}

}  // namespace
}  // namespace farlink::storage::storage_agent_test
