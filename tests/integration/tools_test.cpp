// SPDX-License-Identifier: Apache-2.0
// bpgen, bpsink and relay as programs on the loopback address: a clean way is found clean, and
// every kind of fault in between is found.
#include <gtest/gtest.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <thread>

#include "apps/traffic/socket.hpp"
#include "apps/traffic/stcp_deframer.hpp"
#include "tests/support/child_process.hpp"

namespace farlink::test {
namespace {

using traffic::Socket;

constexpr int kBundles = 10'000;

std::string program(const std::string &name) {
    return std::string(FARLINK_BIN_DIR) + "/" + name;
}

std::string url_of(std::uint16_t port) {
    return "stcp://127.0.0.1:" + std::to_string(port);
}

class SinkProgram : public ChildProcess {
public:
    explicit SinkProgram(std::vector<std::string> more)
        : ChildProcess(
              joined({program("bpsink"), "--eid", "ipn:2.1", "--listen", url_of(0), "--json"},
                     std::move(more))) {
        const std::string greeting = line(kErr);
        const std::size_t colon = greeting.rfind(':');
        if (colon == std::string::npos)
            ADD_FAILURE() << greeting;
        else
            port_ = static_cast<std::uint16_t>(std::stoi(greeting.substr(colon + 1)));
    }
    [[nodiscard]] std::uint16_t port() const { return port_; }
    nlohmann::json report() { return nlohmann::json::parse(line(kOut)); }

private:
    static std::vector<std::string> joined(std::vector<std::string> a,
                                           const std::vector<std::string> &b) {
        a.insert(a.end(), b.begin(), b.end());
        return a;
    }
    std::uint16_t port_ = 0;
};

/// Runs bpgen to its end and returns its exit code.
int generate(std::uint16_t port, const std::string &version,
             const std::vector<std::string> &more = {"--bundles", std::to_string(kBundles)}) {
    std::vector<std::string> arguments{
        program("bpgen"), "--from",        "ipn:1.1", "--to",   "ipn:2.1",      "--via",
        url_of(port),     "--bundle-size", "100",     "--json", "--bp-version", version};
    arguments.insert(arguments.end(), more.begin(), more.end());
    ChildProcess generator(arguments);
    return generator.wait();
}

/// What a bad way does to the bundle with this number: how often it is sent, and how changed.
using Fault = std::function<int(int number, Bytes &bundle)>;

/// Passes the frames of one connection on to the sink, with a fault.
class BadWay {
public:
    BadWay(std::uint16_t sink_port, Fault fault)
        : listener_(traffic::listen_on("127.0.0.1", 0).value()),
          port_(traffic::local_port(listener_)),
          thread_([this, sink_port, fault] { pass(sink_port, fault); }) {}
    ~BadWay() { thread_.join(); }
    [[nodiscard]] std::uint16_t port() const { return port_; }

private:
    void pass(std::uint16_t sink_port, const Fault &fault) {
        const Socket from = traffic::accept_from(listener_).value();
        const Socket to = traffic::connect_to("127.0.0.1", sink_port).value();
        traffic::StcpDeframer frames(65536);
        pollfd polled{from.fd(), POLLIN, 0};
        int number = 0;
        while (::poll(&polled, 1, 60'000) == 1) {
            const traffic::ReadResult result = traffic::read_some(from, frames.space());
            frames.commit(result.bytes);
            Bytes stream;
            while (const auto frame = frames.next()) {
                Bytes bundle(frame->begin(), frame->end());
                for (int copies = fault(number++, bundle); copies > 0; --copies)
                    append_frame(stream, bundle);
            }
            iovec piece{stream.data(), stream.size()};
            if (!stream.empty() && !traffic::write_all(to, {&piece, 1}).empty()) return;
            if (result.ended) return;
        }
    }
    static void append_frame(Bytes &stream, const Bytes &bundle) {
        std::array<std::uint8_t, 4> length;
        store_be(length.data(), static_cast<std::uint32_t>(bundle.size()));
        append(stream, length);
        append(stream, bundle);
    }

    Socket listener_;
    std::uint16_t port_;
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
    EXPECT_EQ(report["payload_bytes"], kBundles * 100) << report;
}

TEST_P(Tools, FindACleanWayClean) {
    SinkProgram sink({"--bundles", std::to_string(kBundles)});
    EXPECT_EQ(generate(sink.port(), GetParam()), 0);
    expect_clean(sink);
}

TEST_P(Tools, FindTheRelayClean) {
    SinkProgram sink({"--until-complete"});
    ChildProcess relay({program("relay"), "0", std::to_string(sink.port())});
    const auto port = static_cast<std::uint16_t>(std::stoi(relay.line(ChildProcess::kOut)));
    EXPECT_EQ(generate(port, GetParam()), 0);
    expect_clean(sink);
}

/// Runs a generator through a bad way and expects a report in which `expected` are as given.
void expect_fault(const std::string &version, Fault fault, const nlohmann::json &expected) {
    SinkProgram sink({"--idle-exit", "0.3"});
    {
        const BadWay way(sink.port(), std::move(fault));
        EXPECT_EQ(generate(way.port(), version), 0);
    }
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

TEST(ToolsAlone, KnowTheTotalOfARunThatEndedByTime) {
    SinkProgram sink({"--until-complete"});
    EXPECT_EQ(generate(sink.port(), "7", {"--bundle-rate", "1000", "--duration", "0.2"}), 0);
    EXPECT_EQ(sink.wait(), 0);
    EXPECT_GT(sink.report()["received"].get<int>(), 1);
}

TEST(ToolsAlone, StopCleanlyOnASignal) {
    SinkProgram sink({"--until-complete", "--progress"});
    ChildProcess generator({program("bpgen"), "--from", "ipn:1.1", "--to", "ipn:2.1", "--via",
                            url_of(sink.port()), "--bundle-rate", "1000", "--json"});
    // The sink's first word on its progress: the run has begun.
    EXPECT_NE(sink.line(ChildProcess::kErr), "");
    generator.signal(SIGTERM);
    EXPECT_EQ(generator.wait(), 0);
    EXPECT_EQ(sink.wait(), 0);
    const auto sent = nlohmann::json::parse(generator.line(ChildProcess::kOut))["bundles"];
    EXPECT_EQ(sink.report()["received"], sent);
}

TEST(ToolsAlone, FailWhenTheConnectionIsLost) {
    SinkProgram sink({"--bundles", "10"});
    EXPECT_EQ(generate(sink.port(), "7", {}), 1);
    EXPECT_EQ(sink.wait(), 1) << "the run was not complete";
}

TEST(ToolsAlone, RefuseASizeWithoutRoomForTheHeader) {
    EXPECT_EQ(generate(1, "7", {"--bundle-size", "47"}), 2);
}

}  // namespace
}  // namespace farlink::test
