// SPDX-License-Identifier: Apache-2.0
// What the tests that let tshark read a whole session have in common.
// Included by the tests beside it.
// Plain functions, one thread.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

#include "tests/support/recorded_session.hpp"
#include "tests/support/test_bundle.hpp"
#include "tests/support/tshark.hpp"

namespace farlink::test {

/// RFC 9174 section 3.1 and RFC 7242 section 3.1; tshark expects the layers there.
inline constexpr std::uint16_t kTcpclPort = 4556;

/// Bundles of `sizes` octets of payload from one node to the other.
inline std::vector<Bytes> bundles_of(std::initializer_list<std::size_t> sizes, std::uint64_t from,
                                     std::uint64_t to) {
    std::vector<Bytes> bundles;
    for (const std::size_t size : sizes) {
        TestBundle bundle;
        bundle.from = bp::ipn_eid(from, 1);
        bundle.to = bp::ipn_eid(to, 1);
        bundle.sequence = bundles.size();
        bundle.hop_limit = 20;
        bundle.payload_bytes = size;
        bundles.push_back(bundle.octets());
    }
    return bundles;
}

/// Every value of the field number `field`, in the order of the packets.
inline std::vector<std::string> values_of(const std::vector<Dissection> &packets,
                                          std::size_t field) {
    std::vector<std::string> values;
    for (const Dissection &packet : packets)
        if (field < packet.size())
            values.insert(values.end(), packet[field].begin(), packet[field].end());
    return values;
}

/// How often `value` is among them.
inline std::ptrdiff_t count(const std::vector<std::string> &values, std::string_view value) {
    return std::ranges::count(values, value);
}

/// What tshark reads in a session.
inline std::vector<Dissection> dissect_session(std::string_view name,
                                               std::span<const Spoken> dialogue, Passes passes,
                                               std::span<const std::string_view> fields) {
    auto packets =
        dissect_capture(name, pcap_of_connection(dialogue, kTcpclPort), passes, "tcpcl", fields);
    EXPECT_TRUE(packets.has_value()) << "tshark did not run";
    return std::move(packets).value_or(std::vector<Dissection>{});
}

/// tshark finds so many bundles from ipn:1.1 and ipn:2.1 in the session, and every CRC is right.
inline void expect_bundles(std::string_view name, std::span<const Spoken> dialogue,
                           std::ptrdiff_t from_1, std::ptrdiff_t from_2) {
    constexpr std::array<std::string_view, 2> kFields{"bpv7.primary.src_uri", "bpv7.crc_status"};
    const auto packets = dissect_session(name, dialogue, Passes::kOne, kFields);
    const auto sources = values_of(packets, 0);
    EXPECT_EQ(count(sources, "ipn:1.1"), from_1);
    EXPECT_EQ(count(sources, "ipn:2.1"), from_2);
    const auto crcs = values_of(packets, 1);
    EXPECT_GT(std::ssize(crcs), from_1 + from_2);
    EXPECT_EQ(count(crcs, "1"), std::ssize(crcs));
}

inline void expect_no_fault(const std::vector<std::string> &marks) {
    for (const std::string &mark : marks) EXPECT_TRUE(is_remark(mark)) << mark;
}

}  // namespace farlink::test
