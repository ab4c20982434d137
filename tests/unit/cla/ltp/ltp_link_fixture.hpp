// SPDX-License-Identifier: Apache-2.0
// An LTP outduct and an LTP induct on one loop, and what each reports to its host.
// Owned by the test.
// One thread; the clock is driven.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cla/ltp/ltp_induct.hpp"
#include "cla/ltp/ltp_outduct.hpp"
#include "common/telemetry/ltp_counters.hpp"
#include "tests/support/link_bench.hpp"

namespace farlink::cla::ltp {

using test::octets_of;

inline config::LtpConfig quick_ltp(std::uint64_t engine) {
    config::LtpConfig ltp;
    ltp.engine_id = engine;
    ltp.data_segment_mtu = 1360;
    ltp.report_segment_mtu = 1360;
    ltp.margin = milliseconds(50);
    ltp.max_retries = 3;
    ltp.random_number_bits = 64;
    ltp.receive_elements = 4096;
    ltp.max_receive_sessions = 1000;
    ltp.max_send_sessions = 1000;
    return ltp;
}

template <class Config>
Config limited(Config config) {
    config.max_in_flight_bytes = 4'000'000;
    config.max_in_flight_bundles = 1000;
    config.max_unacknowledged_bytes = 4'000'000;
    config.max_bundle_size_bytes = 4'000'000;
    return config;
}

/// A counter by its name, as the host has counted it.
inline std::uint64_t count(const test::RecordingHost &host, const std::string &node_id,
                           std::string_view name) {
    const auto &names = telemetry::kLtpCounterNames;
    const auto place = std::ranges::find(names, name);
    EXPECT_NE(place, names.end()) << name;
    const auto counts = host.counted.find(node_id);
    return counts == host.counted.end()
               ? 0
               : counts->second.at(static_cast<std::size_t>(place - names.begin()));
}

class LtpLinkTest : public testing::Test {
protected:
    LtpLinkTest() { bench.drive_clock(); }

    /// The send window of the induct's port.
    static constexpr std::uint64_t kWindow = 100'000'000;

    void listen(config::LtpAuthenticationConfig authentication = {}, std::uint16_t port = 0) {
        config::InductConfig config;
        config.id = LinkId{1};
        config.url = {"ltp", "127.0.0.1", port, {}};
        config.max_sessions = max_sessions;
        config.neighbours = neighbours;
        config.ltp = quick_ltp(20);
        config.ltp.authentication = std::move(authentication);
        config.ltp.ping_interval = ping_interval;
        config = limited(config);
        config.max_in_flight_bytes = kWindow;
        config.max_unacknowledged_bytes = max_unacknowledged;
        auto keys = LtpKeys::make(config);
        ASSERT_TRUE(keys);
        induct = std::make_unique<LtpInduct>(
            LinkResources{bench.io, bench.buffer, receiving, bench.next_upstream}, config,
            std::move(*keys));
        ASSERT_TRUE(induct->open());
        receiving.when_bundles = [this](UpstreamId from) {
            if (acknowledge) induct->acknowledge(from, acknowledged++, 1, *acknowledge);
        };
    }
    [[nodiscard]] config::OutductConfig towards(std::uint16_t port) const {
        config::OutductConfig config;
        config.id = LinkId{2};
        config.url = {"ltp", "127.0.0.1", port, {}};
        config.next_hop = NodeNumber{20};
        config.peer_node_id = "ipn:20.0";
        config.reconnect_min = milliseconds(1);
        config.reconnect_max = milliseconds(20);
        config.ltp = quick_ltp(10);
        config.ltp.ping_interval = ping_interval;
        return limited(config);
    }
    void connect(const config::OutductConfig &config) {
        auto keys = LtpKeys::make(config);
        ASSERT_TRUE(keys);
        outduct = std::make_unique<LtpOutduct>(bench.resources(), config, std::move(*keys), 1);
        outduct->open();
        ASSERT_TRUE(bench.run_until([&] { return host.state() == LinkState::kConnected; }));
    }
    void send(std::size_t size) {
        Bytes bundle = octets_of(size, next_token);
        // No bundle begins with 0. Octets that are no bundle are delivered as one.
        bundle[0] = 0;
        sent.push_back(std::make_unique<Bytes>(std::move(bundle)));
        const ByteView octets(*sent.back());
        TxBundle tx;
        tx.head = octets.first(octets.size() / 3);
        tx.body = octets.subspan(octets.size() / 3);
        tx.size = octets.size();
        tx.token = next_token++;
        outduct->transmit({&tx, 1});
        outduct->flush();
    }
    [[nodiscard]] std::size_t arrived() const {
        std::size_t count = 0;
        for (const auto &[from, bundles] : receiving.bundles) count += bundles.size();
        return count;
    }

    /// A port that is free now.
    [[nodiscard]] std::uint16_t free_port() {
        const boost::asio::ip::udp::endpoint any(boost::asio::ip::address_v4::loopback(), 0);
        return boost::asio::ip::udp::socket(bench.io, any).local_endpoint().port();
    }
    /// The induct's outduct to the engine that a bundle has come from: link 9 of its host.
    [[nodiscard]] Outduct *way_back() {
        const std::size_t before = arrived();
        send(100);
        EXPECT_TRUE(bench.run_until([&] { return arrived() == before + 1; }));
        EXPECT_TRUE(bench.run_until([&] { return host.transmitted == next_token; }));
        return induct->attach(receiving.bundles.rbegin()->first, LinkId{9});
    }
    void send_back(Outduct &back, std::uint64_t token) {
        sent.push_back(std::make_unique<Bytes>(octets_of(1000, token)));
        (*sent.back())[0] = 0;
        TxBundle tx;
        tx.body = ByteView(*sent.back());
        tx.size = sent.back()->size();
        tx.token = token;
        back.transmit({&tx, 1});
        back.flush();
    }

    test::LinkBench bench;
    Duration ping_interval{};
    std::uint32_t max_sessions = 8;                    ///< of the induct
    std::vector<config::NeighbourAddress> neighbours;  ///< of the induct
    std::uint64_t max_unacknowledged = 4'000'000;      ///< of the induct
    test::RecordingHost &host = bench.host;
    test::RecordingHost receiving;
    std::optional<TransferDisposition> acknowledge = TransferDisposition::kSafe;
    std::uint64_t acknowledged = 0;
    std::vector<std::unique_ptr<Bytes>> sent;
    std::uint64_t next_token = 7;
    std::unique_ptr<LtpInduct> induct;
    std::unique_ptr<LtpOutduct> outduct;
};

}  // namespace farlink::cla::ltp
