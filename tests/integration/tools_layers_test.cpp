// SPDX-License-Identifier: Apache-2.0
// bpgen and bpsink over every convergence layer, connected directly on the loopback address: with
// TLS, over a session that is lost, and with a peer that has another node id.
#include <gtest/gtest.h>

#include "tests/support/temp_folder.hpp"
#include "tests/support/tool_programs.hpp"

namespace farlink::test::tools_layers_test {
namespace {

using Json = nlohmann::json;

constexpr int kBundles = 2'000;

struct Way {
    const char *scheme;
    const char *version;
    /// Datagrams are lost when the receiver's buffer is full, so UDP does not run at full speed.
    const char *rate;
    friend void PrintTo(const Way &way, std::ostream *out) {
        *out << way.scheme << " BPv" << way.version;
    }
};

class ToolsOver : public testing::TestWithParam<Way> {
protected:
    [[nodiscard]] std::string url(std::uint16_t port) const {
        return loopback_url(GetParam().scheme, port);
    }
    [[nodiscard]] static std::vector<std::string> bundles(int number, int size) {
        return {"--bundles",
                std::to_string(number),
                "--bundle-size",
                std::to_string(size),
                "--bp-version",
                GetParam().version,
                "--bundle-rate",
                GetParam().rate,
                "--acknowledge-timeout",
                "20"};
    }
};

INSTANTIATE_TEST_SUITE_P(Layers, ToolsOver,
                         testing::Values(Way{"stcp", "7", "0"}, Way{"stcp", "6", "0"},
                                         Way{"mtcp", "7", "0"}, Way{"mtcp", "6", "0"},
                                         Way{"tcpclv3", "7", "0"}, Way{"tcpclv3", "6", "0"},
                                         Way{"tcpclv4", "7", "0"}, Way{"tcpclv4", "6", "0"},
                                         Way{"ltp", "7", "0"}, Way{"ltp", "6", "0"},
                                         Way{"udp", "7", "10000"}, Way{"udp", "6", "10000"}));

void expect_delivered(SinkProgram &sink, GeneratorProgram &generator, int number) {
    EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
    EXPECT_EQ(sink.wait(), 0) << sink.unread(ChildProcess::kErr);
    const Json sent = generator.report();
    EXPECT_EQ(sent["bundles"], number) << sent;
    EXPECT_GT(sent["bundleBytes"], sent["bundles"]) << sent;
    EXPECT_EQ(sent["acknowledgedBundles"], number) << sent;
    EXPECT_EQ(sent["resent"], 0) << sent;
    const Json received = sink.report();
    EXPECT_EQ(received["received"], number) << received;
    EXPECT_EQ(received["departures"], Json::object()) << received;
}

TEST_P(ToolsOver, DeliverEveryBundleOnce) {
    SinkProgram sink(url(0), {"--until-complete"});
    GeneratorProgram generator(url(sink.port()), bundles(kBundles, 100));
    expect_delivered(sink, generator, kBundles);
}

TEST_P(ToolsOver, DeliverLargeBundles) {
    const bool datagrams = std::string(GetParam().scheme) == "udp";
    SinkProgram sink(url(0), {"--until-complete"});
    GeneratorProgram generator(url(sink.port()), bundles(20, datagrams ? 60'000 : 3'000'000));
    expect_delivered(sink, generator, 20);
}

TEST(ToolsOverUdp, ReportABundleThatIsTooLargeForADatagram) {
    SinkProgram sink(loopback_url("udp", 0), {});
    GeneratorProgram generator(loopback_url("udp", sink.port()),
                               {"--bundles", "1", "--bundle-size", "70000"});
    EXPECT_EQ(generator.wait(), 1);
    EXPECT_NE(generator.unread(ChildProcess::kErr).find("too large"), std::string::npos);
}

// The second sink listens at the port of the first one, so that the generator reconnects to it.
TEST(ToolsOverTcpcl, RepeatUnacknowledgedBundlesAfterALostSession) {
    for (const char *scheme : {"tcpclv3", "tcpclv4"}) {
        SinkProgram first(loopback_url(scheme, 0), {"--progress"});
        GeneratorProgram generator(loopback_url(scheme, first.port()),
                                   {"--bundles", "6000", "--bundle-rate", "3000"});
        // Only a session that has carried bundles counts as lost.
        for (std::string said = first.line(ChildProcess::kErr); !said.empty();
             said = first.line(ChildProcess::kErr)) {
            const Json progress = Json::parse(said, nullptr, false);
            if (progress.is_object() && progress.value("received", 0) > 0) break;
        }
        first.signal(SIGKILL);
        first.wait();
        SinkProgram second(loopback_url(scheme, first.port()), {"--idle-exit", "1"});
        EXPECT_EQ(generator.wait(), 0) << generator.unread(ChildProcess::kErr);
        second.wait();
        const Json sent = generator.report();
        EXPECT_EQ(sent["acknowledgedBundles"], 6000) << sent;
        EXPECT_EQ(sent["sessions"], 2) << sent;
        const Json received = second.report();
        EXPECT_EQ(received["duplicates"], 0) << received;
        EXPECT_EQ(received["corrupt"], 0) << received;
    }
}

TEST(ToolsOverTcpcl, FailWhenNoPeerReconnects) {
    SinkProgram sink(loopback_url("tcpclv4", 0), {"--bundles", "10"});
    GeneratorProgram generator(loopback_url("tcpclv4", sink.port()),
                               {"--bundle-rate", "100", "--acknowledge-timeout", "0.5"});
    EXPECT_EQ(generator.wait(), 1);
    EXPECT_NE(generator.unread(ChildProcess::kErr).find("not acknowledged"), std::string::npos);
    EXPECT_EQ(sink.wait(), 1) << "the run was not complete";
}

TEST(ToolsOverTcpcl, FailWhenNoNodeAcceptsCustody) {
    SinkProgram sink(loopback_url("tcpclv4", 0), {});
    GeneratorProgram generator(loopback_url("tcpclv4", sink.port()),
                               {"--bundles", "10", "--bp-version", "6", "--custody", "signals",
                                "--custody-timeout", "0.1", "--acknowledge-timeout", "1"});
    EXPECT_EQ(generator.wait(), 1);
    EXPECT_NE(generator.unread(ChildProcess::kErr).find("no node accepted custody of 10"),
              std::string::npos);
    sink.signal(SIGTERM);
    (void)sink.wait();
}

TEST(ToolsOverTcpcl, RefuseAPeerWithAnotherNodeId) {
    SinkProgram sink(loopback_url("tcpclv4", 0), {});
    GeneratorProgram generator(loopback_url("tcpclv4", sink.port(), "?peerNodeId=ipn:7.0"),
                               {"--bundles", "1", "--connect-timeout", "0.5"});
    EXPECT_EQ(generator.wait(), 1);
    EXPECT_NE(generator.unread(ChildProcess::kErr).find("cannot connect"), std::string::npos);
}

#if FARLINK_TLS

class ToolsOverTls : public testing::Test {
protected:
    ToolsOverTls() {
        ChildProcess make({program("farlinkctl"), "cert", "make", "--dir", folder(), "--node",
                           "ipn:1.0", "--node", "ipn:2.0", "--ip", "127.0.0.1"});
        EXPECT_EQ(make.wait(), 0) << make.unread(ChildProcess::kErr);
    }
    [[nodiscard]] std::string folder() const { return temporary_.path().string(); }
    [[nodiscard]] std::string options(int node) const {
        const std::string name = folder() + "/ipn-" + std::to_string(node);
        return "?tls=required&ca=" + folder() + "/ca.pem&cert=" + name + ".pem&key=" + name +
               ".key";
    }

    TempFolder temporary_;
};

TEST_F(ToolsOverTls, DeliverEveryBundleOnce) {
    SinkProgram sink(loopback_url("tcpclv4", 0, options(2)), {"--until-complete"});
    GeneratorProgram generator(loopback_url("tcpclv4", sink.port(), options(1)),
                               {"--bundles", std::to_string(kBundles)});
    expect_delivered(sink, generator, kBundles);
}

TEST_F(ToolsOverTls, RefuseSessionsWithoutTls) {
    SinkProgram sink(loopback_url("tcpclv4", 0, options(2)), {});
    GeneratorProgram generator(loopback_url("tcpclv4", sink.port()),
                               {"--bundles", "1", "--connect-timeout", "0.5"});
    EXPECT_EQ(generator.wait(), 1);
}

TEST_F(ToolsOverTls, NameTheFileThatIsMissing) {
    GeneratorProgram generator(
        loopback_url("tcpclv4", 1, "?tls=required&ca=" + folder() + "/nobody.pem"),
        {"--bundles", "1"});
    EXPECT_EQ(generator.wait(), 2);
    EXPECT_NE(generator.unread(ChildProcess::kErr).find("nobody.pem"), std::string::npos);
}

#endif  // FARLINK_TLS

}  // namespace
}  // namespace farlink::test::tools_layers_test
