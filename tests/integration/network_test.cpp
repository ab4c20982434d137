// SPDX-License-Identifier: Apache-2.0
// The network of config/examples/four_nodes as processes: from node 1 to node 4 by node 2, and by
// node 3 when that fails. A node is killed, a line is cut or the plan is changed under load:
// bundles flow by the other route within a second, and every one is delivered.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <fstream>
#include <memory>

#include "common/runtime/clock.hpp"
#include "tests/support/build_folders.hpp"
#include "tests/support/cutting_proxy.hpp"
#include "tests/support/link_traffic.hpp"
#include "tests/support/node_program.hpp"
#include "tests/support/reserved_port.hpp"

namespace farlink::test::network_test {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kNodes = 4;
constexpr std::uint64_t kSinkNode = 40;
constexpr std::size_t kPayload = 1000;
/// Bundles that the source has in flight at a time.
constexpr std::size_t kUnderWay = 50;

Json example(const std::string &name) {
    std::ifstream file(FARLINK_SOURCE_DIR "/config/examples/four_nodes/" + name);
    return Json::parse(file);
}

/// In the example node N listens on port 4560 + N.
std::size_t node_at(const std::string &url) {
    return std::stoul(url.substr(url.rfind(':') + 1)) - 4560;
}

/// Cuts all connections while switched on.
class CutWhile final : public CutRule {
public:
    explicit CutWhile(const std::atomic<bool> &cut) : cut_(cut) {}
    std::size_t pass(Way, ByteView octets) override { return octets.size(); }
    [[nodiscard]] bool cuts() const override { return cut_; }

private:
    const std::atomic<bool> &cut_;
};

class FourNodes : public testing::Test {
protected:
    FourNodes() {
        // All routes exist all the time; the one by node 3 is longer.
        Json plan = example("plan.json");
        std::map<std::pair<int, int>, Json> always;
        for (Json contact : plan["contacts"]) {
            contact["startTime"] = 0;
            contact["endTime"] = 3600;
            always[{contact["source"], contact["dest"]}] = contact;
        }
        Json contacts = Json::array();
        Json others = Json::array();  // without the contact from node 1 to node 2
        for (const auto &[pair, contact] : always) {
            contacts.push_back(contact);
            if (pair != std::pair(1, 2)) others.push_back(contact);
        }
        folder_.write("plan.json", Json{{"contacts", contacts}}.dump());
        folder_.write("other_plan.json", Json{{"contacts", others}}.dump());
        for (std::size_t number = 1; number <= kNodes; ++number) start(number);
        source_.go_to(url(1));
    }

    [[nodiscard]] std::string url(std::size_t node) const {
        const std::uint16_t port = node == kSinkNode ? sink_.port() : ports_[node - 1].number();
        return loopback_url("tcpclv4", port);
    }
    /// The example's configuration, at ports that are free here.
    [[nodiscard]] Json configuration(std::size_t number) const {
        Json config = example("node-" + std::to_string(number) + ".json");
        if (number == 1) config["controlSocket"] = "control";
        for (const char *links : {"inductsConfig", "outductsConfig"})
            for (Json &link : config[links]) {
                const std::size_t end = node_at(link["url"]);
                link["url"] =
                    number == 1 && end == 2 ? loopback_url("tcpclv4", line_.port()) : url(end);
                link["keepAliveIntervalSeconds"] = 1;
                if (!link.contains("nextHopNodeId")) continue;
                link["reconnectMinMilliseconds"] = 10;
                link["reconnectMaxMilliseconds"] = 100;
            }
        return config;
    }
    void start(std::size_t number) {
        nodes_[number - 1] = std::make_unique<NodeProgram>(
            folder_, configuration(number), "node-" + std::to_string(number) + ".json");
    }
    [[nodiscard]] NodeProgram &node(std::size_t number) { return *nodes_[number - 1]; }

    /// Sends a steady stream until `done`; true when `done`.
    template <class Done>
    [[nodiscard]] bool stream_until(Done done) {
        return bench_.run_until([&] {
            note_arrivals();
            if (source_.made() - arrivals_.different < kUnderWay + stuck_) source_.send(1);
            return done();
        });
    }
    void note_arrivals() {
        const TimePoint now = monotonic_now();
        if (arrivals_.different != arrived_before_) {
            longest_gap_ = std::max(longest_gap_, now - last_arrival_);
            last_arrival_ = now;
        }
        arrived_before_ = arrivals_.different;
    }
    /// `break_it` interrupts the route by node 2; bundles flow again within a second.
    template <class Break>
    void expect_flow_after(Break break_it) {
        ASSERT_TRUE(stream_until([&] { return arrivals_.different >= 500; }));
        node(3).look();
        longest_gap_ = Duration::zero();
        last_arrival_ = monotonic_now();
        break_it();
        const std::size_t then = arrivals_.different;
        stuck_ = kUnderWay;  // bundles that node 2 has stored
        ASSERT_TRUE(stream_until([&] { return arrivals_.different >= then + 2000; }));
        std::cout << "network: " << std::chrono::duration_cast<milliseconds>(longest_gap_).count()
                  << " ms without a bundle\n"
                  << std::flush;
        if (!kSanitized) {
            EXPECT_LT(longest_gap_, seconds(1));
        }
    }
    void expect_all() {
        EXPECT_TRUE(bench_.run_until([&] { return arrivals_.different == source_.made(); }))
            << arrivals_.different << " of " << source_.made();
        EXPECT_EQ(arrivals_.foreign, 0U);
        std::size_t copies = 0;
        for (const std::size_t count : arrivals_.copies) copies += count;
        std::cout << "network: " << source_.made() << " bundles, " << copies - arrivals_.different
                  << " repeats\n"
                  << std::flush;
    }

    const TempFolder folder_;
    std::array<ReservedPort, kNodes> ports_;
    std::atomic<bool> cut_ = false;
    /// From node 1 to node 2.
    CuttingProxy line_{ports_[1].number(), [this] { return std::make_unique<CutWhile>(cut_); }};
    LinkBench bench_;
    Arrivals arrivals_;
    LinkSink sink_{bench_, "tcpclv4", kSinkNode, arrivals_};
    LinkSource source_{bench_, kSinkNode, kPayload};
    std::array<std::unique_ptr<NodeProgram>, kNodes> nodes_;
    std::size_t stuck_ = 0;
    std::size_t arrived_before_ = 0;
    TimePoint last_arrival_{};
    Duration longest_gap_{};
};

TEST_F(FourNodes, ANodeIsKilledAndComesBack) {
    expect_flow_after([this] {
        node(2).signal(SIGKILL);
        (void)node(2).wait();
    });
    start(2);
    ASSERT_TRUE(node(2).wait_until([&] {
        (void)stream_until([&, until = source_.made() + 500] { return source_.made() >= until; });
        return node(2).value("egress_forwarded") > 100;
    })) << "it is the best way again";
    expect_all();
}

TEST_F(FourNodes, ANodeStopsAndItsBundlesTakeTheOtherRoute) {
    expect_flow_after([this] { node(2).signal(SIGTERM); });
    EXPECT_EQ(node(2).wait(), 0) << node(2).unread(ChildProcess::kErr);
    start(2);
    expect_all();
}

TEST_F(FourNodes, ALineIsCutAndRestored) {
    expect_flow_after([this] { cut_ = true; });
    EXPECT_GT(line_.cuts(), 0);
    cut_ = false;
    stuck_ = 0;
    node(2).look();
    const std::uint64_t then = node(2).value("egress_forwarded");
    ASSERT_TRUE(node(2).wait_until([&] {
        (void)stream_until([&, until = source_.made() + 500] { return source_.made() >= until; });
        return node(2).value("egress_forwarded") > then + 100;
    })) << "it is the best way again";
    expect_all();
}

TEST_F(FourNodes, ThePlanLosesTheBestRoute) {
    expect_flow_after([this] {
        ChildProcess replace({program("farlinkctl"), "plan", "replace", folder_ / "other_plan.json",
                              "--socket", folder_ / "control"});
        EXPECT_EQ(replace.wait(), 0) << replace.unread(ChildProcess::kErr);
    });
    ASSERT_TRUE(
        stream_until([&, until = source_.made() + 500] { return source_.made() >= until; }));
    expect_all();
    std::size_t copies = 0;
    for (const std::size_t count : arrivals_.copies) copies += count;
    EXPECT_EQ(copies, arrivals_.different) << "no bundle was sent twice";
}

// The connections are not closed, as after a power failure of the machine.
TEST_F(FourNodes, AFrozenNodeIsDisconnectedWithoutKeepalives) {
    ASSERT_TRUE(stream_until([&] { return arrivals_.different >= 500; }));
    node(2).signal(SIGSTOP);
    const std::size_t then = arrivals_.different;
    stuck_ = 1'000'000;
    EXPECT_TRUE(stream_until([&] { return arrivals_.different >= then + 1000; }));
    node(2).signal(SIGCONT);
    stuck_ = 0;
    expect_all();
}

}  // namespace
}  // namespace farlink::test::network_test
