// SPDX-License-Identifier: Apache-2.0
// A node with every convergence layer and small limits, a correct neighbour whose bundles flow
// through it all the time, and the expected state of both at the end.
// The base of tests; owned by the test program. One thread.
#pragma once

#include <map>

#include "tests/integration/hostile_cases.hpp"
#include "tests/support/caller.hpp"
#include "tests/support/hand_made.hpp"
#include "tests/support/node_program.hpp"
#include "tests/support/tcpcl_words.hpp"

namespace farlink::test {

/// Its place among the inducts.
enum class Layer : std::size_t { kTcpclv4, kTcpclv3, kStcp, kMtcp, kUdp };

inline constexpr std::array kLayersOverTcp{Layer::kTcpclv4, Layer::kTcpclv3, Layer::kStcp,
                                           Layer::kMtcp};
inline constexpr std::array<const char *, 5> kSchemes{"tcpclv4", "tcpclv3", "stcp", "mtcp", "udp"};

inline constexpr std::uint64_t kMiB = 1 << 20;
inline constexpr std::uint64_t kBufferBytes = 16 * kMiB;
/// The limit of octets that wait for a TCPCLv4 peer that does not read, with the node's overhead.
inline constexpr std::uint64_t kAnswersOfOne = 40 * kMiB;
inline constexpr std::size_t kMaxSessions = 8;
inline constexpr std::size_t kMaxHandshakes = 4;
inline constexpr std::size_t kBeyond = 5;

inline std::string words_of(Layer layer, ByteView received) {
    if (layer == Layer::kTcpclv4) return tcpclv4_words(received);
    if (layer == Layer::kTcpclv3) return tcpclv3_words(received);
    return received.empty() ? "" : to_hex(received);
}

/// The messages of a peer until its session is open, and the node's answer to them.
inline Bytes opening(Layer layer) {
    if (layer == Layer::kTcpclv4) return v4::opening();
    return layer == Layer::kTcpclv3 ? v3::contact() : Bytes();
}
inline std::string greeting(Layer layer) {
    if (layer == Layer::kTcpclv4) return "CONTACT SESS_INIT";
    return layer == Layer::kTcpclv3 ? "CONTACT" : "";
}

class HostilePeers : public testing::Test {
protected:
    HostilePeers()
        : sink_(loopback_url("tcpclv4", 0), {"--until-complete"}),
          node_(folder_, config(sink_.port())),
          memory_before_(node_.peak_memory()),
          good_(loopback_url("tcpclv4", port(Layer::kTcpclv4)),
                {"--bundle-rate", "1000", "--bundle-size", "1000"}) {
        EXPECT_TRUE(node_.wait_until([this] { return node_.value("ingress_received") > 0; }));
    }

    [[nodiscard]] static nlohmann::json config(std::uint16_t sink_port) {
        nlohmann::json config{{"myNodeId", 10},
                              {"bufferBytes", kBufferBytes},
                              {"storageConfig", {{"storeFilePath", "store"}}}};
        for (const char *scheme : kSchemes) {
            nlohmann::json induct{{"url", loopback_url(scheme, 0)}, {"maxBundleSizeBytes", kMru}};
            if (scheme != kSchemes.back()) induct["maxSessions"] = kMaxSessions;
            if (std::string_view(scheme).starts_with("tcpcl")) {
                induct["maxHandshakes"] = kMaxHandshakes;
                induct["handshakeTimeoutSeconds"] = 1;
            } else if (scheme != kSchemes.back()) {
                induct["idleTimeoutSeconds"] = 1;
            }
            config["inductsConfig"].push_back(induct);
        }
        config["inductsConfig"][0]["segmentMruBytes"] = kMru;
        config["outductsConfig"] = nlohmann::json::array(
            {{{"url", loopback_url("tcpclv4", sink_port)}, {"nextHopNodeId", 2}}});
        return config;
    }

    [[nodiscard]] std::uint16_t port(Layer layer) const {
        return node_.port(static_cast<std::size_t>(layer));
    }
    [[nodiscard]] Caller caller(Layer layer) const { return Caller(port(layer)); }
    /// A peer whose session is open.
    [[nodiscard]] Caller guest(Layer layer) const {
        Caller guest = caller(layer);
        EXPECT_TRUE(guest.say(opening(layer)));
        EXPECT_TRUE(handles(guest, layer, greeting(layer)));
        return guest;
    }
    [[nodiscard]] static bool handles(Caller &caller, Layer layer, const std::string &words) {
        const bool so = caller.handle_until(
            [&](ByteView received) { return words_of(layer, received) == words; });
        EXPECT_EQ(words_of(layer, caller.received()), words);
        return so;
    }
    void expect_count(const std::string &name, std::uint64_t more = 1) {
        counts_["ingress_" + name] += more;
    }
    /// Once or more often.
    void expect_some(const std::string &name) { some_.push_back("ingress_" + name); }
    /// The peer closes its side, then the node closes its own.
    void leave(Caller &caller, const std::string &count = "link_fault_peer_closed") {
        caller.half_close();
        EXPECT_TRUE(caller.handle_end());
        expect_count(count);
    }
    void converse(Layer layer, const std::vector<HostileCase> &cases);

    /// Ends the correct neighbour, then the node, and checks all expectations.
    void finish(std::uint64_t memory_limit = 2 * kBufferBytes);

    TempFolder folder_;
    SinkProgram sink_;
    NodeProgram node_;
    std::uint64_t memory_before_;
    GeneratorProgram good_;
    std::map<std::string, std::uint64_t> counts_;
    std::vector<std::string> some_;
};

inline void HostilePeers::finish(std::uint64_t memory_limit) {
    good_.signal(SIGTERM);
    EXPECT_EQ(good_.wait(), 0) << good_.unread(ChildProcess::kErr);
    EXPECT_EQ(sink_.wait(), 0) << sink_.unread(ChildProcess::kErr);
    const nlohmann::json sent = good_.report();
    const nlohmann::json received = sink_.report();
    EXPECT_EQ(received["received"], sent["bundles"]);
    EXPECT_EQ(received["duplicates"], 0) << received;
    // A sanitizer needs more time, too, so that no limit applies.
    if (!kSanitized) {
        EXPECT_LT(received["latencyMilliseconds"]["max"], 1000) << received;
    }
    EXPECT_EQ(sent["sessions"], 1) << sent;
    EXPECT_EQ(sent["resent"], 0) << sent;
    EXPECT_EQ(sent["refused"], 0) << sent;
    expect_count("link_fault_peer_terminated");

    const std::uint64_t more_memory = node_.peak_memory() - memory_before_;
    RecordProperty("more_memory_bytes", std::to_string(more_memory));
    EXPECT_TRUE(kSanitized || more_memory < memory_limit) << more_memory;
    node_.stop();
    std::map<std::string, std::uint64_t> counted;  // without the links that the node itself ends
    for (const auto &[name, value] : node_.counters().items())
        for (const char *family :
             {"ingress_link_fault_", "ingress_departure_", "ingress_malformed_"})
            if (name.starts_with(family) && name != "ingress_link_fault_none")
                counted[name] = value;
    for (const std::string &name : some_) EXPECT_EQ(counted.erase(name), 1U) << name;
    EXPECT_EQ(counted, counts_);
}

inline void HostilePeers::converse(Layer layer, const std::vector<HostileCase> &cases) {
    for (const HostileCase &one : cases) {
        SCOPED_TRACE(kSchemes[static_cast<std::size_t>(layer)] + (": " + one.name));
        Caller peer = caller(layer);
        const bool said = peer.say(one.says);
        if (one.goes_on) {
            EXPECT_TRUE(said);
            EXPECT_TRUE(handles(peer, layer, one.handles));
            EXPECT_FALSE(peer.ended());
            peer.half_close();
        }
        EXPECT_TRUE(peer.handle_end());
        EXPECT_EQ(words_of(layer, peer.received()), one.handles);
        for (const std::string &count : one.counts) expect_count(count);
    }
}

}  // namespace farlink::test
