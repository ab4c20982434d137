// SPDX-License-Identifier: Apache-2.0
// bpgen, bpsink and relay as programs on the loopback address: they report no fault where there is
// none, and every kind of fault in between.
#include <gtest/gtest.h>

#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/reserved_port.hpp"
#include "tests/support/stcp_stream.hpp"
#include "tests/support/tcp_peer.hpp"
#include "tests/support/tool_programs.hpp"

namespace farlink::test::tools_test {
namespace {

constexpr int kBundles = 10'000;

std::string url_of(std::uint16_t port) {
    return loopback_url("stcp", port);
}

/// Runs bpgen to its end and returns its exit code.
int generate(std::uint16_t port, const std::string &version,
             const std::vector<std::string> &more = {"--bundles", std::to_string(kBundles)}) {
    GeneratorProgram generator(url_of(port), joined({"--bp-version", version}, more));
    return generator.wait();
}

/// The fault for the bundle with this number: how often it is sent, and how it is changed.
using Fault = std::function<int(int number, Bytes &bundle)>;

/// Relays the frames of one connection to the sink, with a fault.
class BadWay {
public:
    BadWay(std::uint16_t sink_port, Fault fault)
        : thread_([this, sink_port, fault] { pass(sink_port, fault); }) {}
    ~BadWay() { thread_.join(); }
    [[nodiscard]] std::uint16_t port() const { return listener_.port(); }

private:
    static bool wait_for(int fd, short event) {
        constexpr int kLimitMs = 60'000;
        pollfd polled{fd, event, 0};
        return ::poll(&polled, 1, kLimitMs) == 1;
    }
    void pass(std::uint16_t sink_port, const Fault &fault) {
        if (!wait_for(listener_.fd(), POLLIN)) return;
        TcpPeer from = listener_.accept().value();
        const TcpPeer to = TcpPeer::connect(sink_port);
        Bytes unread;
        int number = 0;
        while (!from.ended() && wait_for(from.fd(), POLLIN)) {
            append(unread, from.receive());
            Bytes stream;
            for (Bytes &bundle : take_frames(unread))
                for (int copies = fault(number++, bundle); copies > 0; --copies)
                    append_frame(stream, bundle);
            for (ByteView rest(stream); !rest.empty() && wait_for(to.fd(), POLLOUT);)
                rest = rest.subspan(to.send(rest));
        }
    }

    TcpListener listener_;
    std::thread thread_;
};

class Tools : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Bpv, Tools, testing::Values("7", "6"));

void expect_clean(SinkProgram &sink) {
    EXPECT_EQ(sink.wait(), 0) << sink.unread(ChildProcess::kErr);
    const nlohmann::json report = sink.report();
    EXPECT_TRUE(report["ok"]) << report;
    EXPECT_TRUE(report["complete"]) << report;
    EXPECT_EQ(report["received"], kBundles) << report;
    EXPECT_EQ(report["payloadBytes"], kBundles * 100) << report;
}

TEST_P(Tools, ReportNoFaultOnADirectPath) {
    SinkProgram sink(url_of(0), {"--bundles", std::to_string(kBundles)});
    EXPECT_EQ(generate(sink.port(), GetParam()), 0);
    expect_clean(sink);
}

TEST_P(Tools, ReportNoFaultThroughTheRelay) {
    SinkProgram sink(url_of(0), {"--until-complete"});
    ChildProcess relay({program("relay"), "0", std::to_string(sink.port())});
    const auto port = static_cast<std::uint16_t>(std::stoi(relay.line(ChildProcess::kOut)));
    EXPECT_EQ(generate(port, GetParam()), 0);
    expect_clean(sink);
}

/// Runs a generator through a faulty relay and expects the values `expected` in the report.
void expect_fault(const std::string &version, Fault fault, const nlohmann::json &expected) {
    SinkProgram sink(url_of(0), {"--progress"});
    {
        const BadWay way(sink.port(), std::move(fault));
        EXPECT_EQ(generate(way.port(), version), 0);
    }
    // The sink has accepted the connection, and reads what its kernel has.
    EXPECT_NE(sink.line(ChildProcess::kErr), "");
    sink.signal(SIGTERM);
    EXPECT_EQ(sink.wait(), 1);
    const nlohmann::json report = sink.report();
    for (const auto &[key, value] : expected.items()) EXPECT_EQ(report[key], value) << report;
}

TEST_P(Tools, FindALostBundle) {
    for (const int lost : {0, 5000, kBundles - 1})
        expect_fault(GetParam(), [lost](int number, Bytes &) { return number == lost ? 0 : 1; },
                     {{"lost", 1}, {"complete", false}, {"received", kBundles - 1}});
}

TEST_P(Tools, FindARepeatedBundle) {
    expect_fault(GetParam(), [](int number, Bytes &) { return number == 777 ? 2 : 1; },
                 {{"duplicates", 1}, {"lost", 0}, {"complete", true}});
}

TEST_P(Tools, FindAChangedOctet) {
    const bool has_crc = std::string(GetParam()) == "7";
    const Fault change = [](int number, Bytes &bundle) {
        if (number == 4321) bundle[bundle.size() - 20] ^= 1;
        return 1;
    };
    expect_fault(GetParam(), change,
                 {{"malformed", has_crc ? 1 : 0}, {"corrupt", has_crc ? 0 : 1}, {"lost", 1}});
}

TEST(ToolsAlone, ReportTheTotalOfARunThatEndedByTime) {
    SinkProgram sink(url_of(0), {"--until-complete"});
    EXPECT_EQ(generate(sink.port(), "7", {"--bundle-rate", "1000", "--duration", "0.2"}), 0);
    EXPECT_EQ(sink.wait(), 0);
    EXPECT_GT(sink.report()["received"].get<int>(), 1);
}

TEST(ToolsAlone, StopCleanlyOnASignal) {
    SinkProgram sink(url_of(0), {"--until-complete", "--progress"});
    GeneratorProgram generator(url_of(sink.port()), {"--bundle-rate", "1000"});
    // The sink's first progress line: the run has begun.
    EXPECT_NE(sink.line(ChildProcess::kErr), "");
    generator.signal(SIGTERM);
    EXPECT_EQ(generator.wait(), 0);
    EXPECT_EQ(sink.wait(), 0);
    EXPECT_EQ(sink.report()["received"], generator.report()["bundles"]);
}

// Bundles of which nothing is known do not count in the rate.
TEST(ToolsAlone, ReportAtTheSecondSignal) {
    SinkProgram sink(loopback_url("tcpclv4", 0), {"--progress"});
    GeneratorProgram generator(loopback_url("tcpclv4", sink.port()),
                               {"--bundle-rate", "1000", "--progress"});
    EXPECT_NE(generator.line(ChildProcess::kErr), "") << "of a second with acknowledgements";
    sink.signal(SIGSTOP);
    EXPECT_NE(generator.line(ChildProcess::kErr), "");
    generator.signal(SIGTERM);
    EXPECT_NE(generator.line(ChildProcess::kErr), "") << "it waits";
    generator.signal(SIGTERM);
    EXPECT_EQ(generator.wait(), 1);
    const nlohmann::json report = generator.report();
    const auto acknowledged = report.value("acknowledgedBundles", 0.0);
    EXPECT_GT(report.value("bundles", 0.0), acknowledged) << report;
    EXPECT_NEAR(report.value("bundlesPerSecond", 0.0) * report.value("seconds", 0.0), acknowledged,
                0.01)
        << report;
    EXPECT_NE(report.value("error", "").find("not acknowledged before the second signal"),
              std::string::npos)
        << report;
    sink.signal(SIGKILL);
}

TEST(ToolsAlone, SayWhyTheLinkWasNotConnectedWhenStopped) {
    TcpListener listener;
    GeneratorProgram generator(loopback_url("tcpclv4", listener.port()), {});
    // The second attempt follows the report of the first.
    std::vector<TcpPeer> accepted;
    while (accepted.size() < 2) {
        auto peer = listener.accept();
        if (!peer) continue;
        peer->half_close();
        accepted.push_back(std::move(*peer));
    }
    generator.signal(SIGINT);
    EXPECT_EQ(generator.wait(), 1);
    EXPECT_EQ(generator.report().value("error", ""),
              "stopped before the link was connected: the neighbour closed the connection");
}

TEST(ToolsAlone, SayWhyTheyWaitForAConnection) {
    const ReservedPort nobody;
    GeneratorProgram generator(url_of(nobody.number()),
                               {"--bundles", "1", "--connect-timeout", "60"});
    const std::string said = generator.line(ChildProcess::kErr);
    EXPECT_TRUE(said.starts_with("bpgen: cannot connect to " + url_of(nobody.number()))) << said;
    EXPECT_TRUE(said.ends_with("Connection refused; trying again")) << said;
    generator.signal(SIGINT);
    EXPECT_EQ(generator.wait(), 1);
    EXPECT_EQ(generator.unread(ChildProcess::kErr).find("trying again"), std::string::npos)
        << "the reason is the same";
}

TEST(ToolsAlone, FailWhenTheConnectionIsLost) {
    SinkProgram sink(url_of(0), {"--bundles", "10"});
    EXPECT_EQ(generate(sink.port(), "7", {}), 1);
    EXPECT_EQ(sink.wait(), 1) << "the run was not complete";
}

TEST(ToolsAlone, RefuseASizeWithoutRoomForTheHeader) {
    EXPECT_EQ(generate(1, "7", {"--bundle-size", "47"}), 2);
}

}  // namespace
}  // namespace farlink::test::tools_test
