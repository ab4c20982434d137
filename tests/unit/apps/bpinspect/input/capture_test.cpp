// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/input/capture.hpp"

#include <gtest/gtest.h>

#include "apps/bpinspect/input/packets.hpp"
#include "cla/tcpcl/v4/core/message.hpp"
#include "tests/support/hex.hpp"
#include "tests/support/pcap.hpp"

namespace farlink::inspect::capture_test {
namespace {

const Bytes kBundle =
    test::from_hex("9f88070000820282010282028202018202820201820a001864850101000043616263ff");

struct Read {
    std::vector<Found> found;
    Notes notes;
    bool whole = false;
};

Read read(const Bytes &file, const std::set<std::uint16_t> &ports = {kBundlePort}) {
    Read result;
    result.whole = read_capture(
        file, ports, [&](const Found &each) { result.found.push_back(each); }, result.notes);
    return result;
}

Bytes stream_capture(const Bytes &octets, std::uint16_t port = 4556) {
    Bytes file;
    test::pcap::append_file_header(file);
    test::pcap::TcpConnection connection(file, port);
    connection.append(true, octets);
    return file;
}

Bytes stcp_frame(ByteView bundle) {
    Bytes frame(4);
    store_be(frame.data(), static_cast<std::uint32_t>(bundle.size()));
    append(frame, bundle);
    return frame;
}

TEST(Capture, Datagrams) {
    const std::vector<Bytes> datagrams{kBundle, {0, 0, 0, 0}, {1, 2, 3}, kBundle};
    const Read expected = read(test::pcap_of_datagrams(datagrams, 4556));
    EXPECT_TRUE(expected.whole);
    ASSERT_EQ(expected.found.size(), 3);  // without the keepalive
    EXPECT_EQ(expected.found[0].octets, kBundle);
    EXPECT_EQ(expected.found[1].octets, (Bytes{1, 2, 3}));
    EXPECT_EQ(expected.found[2].where, "packet 4, UDP from 127.0.0.1:4556 to 127.0.0.1:4556");
    // At another port only what is a bundle counts.
    EXPECT_EQ(read(test::pcap_of_datagrams(datagrams, 5000)).found.size(), 2);
    EXPECT_EQ(read(test::pcap_of_datagrams(datagrams, 5000), {5000}).found.size(), 3);
}

TEST(Capture, StcpAndMtcp) {
    Bytes stream = stcp_frame(kBundle);
    append(stream, Bytes(4));  // a keepalive
    append(stream, stcp_frame(kBundle));
    const Read stcp = read(stream_capture(stream));
    ASSERT_EQ(stcp.found.size(), 2);
    EXPECT_EQ(stcp.found[1].octets, kBundle);
    EXPECT_EQ(stcp.found[0].where, "packet 4, stcp from 127.0.0.1:40000 to 127.0.0.1:4556");
    EXPECT_TRUE(stcp.notes.empty());

    Bytes mtcp{0x58, static_cast<std::uint8_t>(kBundle.size())};
    append(mtcp, kBundle);
    const Read second = read(stream_capture(mtcp));
    ASSERT_EQ(second.found.size(), 1);
    EXPECT_NE(second.found[0].where.find("mtcp"), std::string::npos);
}

Bytes tcpclv4_stream(ByteView bundle) {
    namespace tcpcl = cla::tcpclv4;
    Bytes stream(1000);
    std::uint8_t *to = tcpcl::encode(stream.data(), tcpcl::ContactHeader{});
    tcpcl::SessionInit init;
    init.node_id = "ipn:1.0";
    to = tcpcl::encode(to, init);
    const ByteView halves[] = {bundle.first(10), bundle.subspan(10)};
    for (std::size_t i = 0; i < 2; ++i) {
        tcpcl::Segment segment;
        segment.flags = i == 0 ? tcpcl::kSegmentStart : tcpcl::kSegmentEnd;
        segment.data_bytes = halves[i].size();
        to = tcpcl::encode(to, segment);
        to = std::ranges::copy(halves[i], to).out;
        *to++ = static_cast<std::uint8_t>(tcpcl::MessageType::kKeepAlive);
    }
    stream.resize(static_cast<std::size_t>(to - stream.data()));
    return stream;
}

TEST(Capture, Tcpclv4) {
    const Bytes stream = tcpclv4_stream(kBundle);
    const Read plain = read(stream_capture(stream, 9999));
    ASSERT_EQ(plain.found.size(), 1);
    EXPECT_EQ(plain.found[0].octets, kBundle);

    Bytes encrypted = test::from_hex("64746e2104011603010200");
    const Read none = read(stream_capture(encrypted));
    EXPECT_TRUE(none.found.empty());
    ASSERT_EQ(none.notes.size(), 1);
    EXPECT_NE(none.notes[0].find("TLS"), std::string::npos);
    // Cut at any octet: no fault but a note.
    for (std::size_t size = 0; size < stream.size(); ++size)
        EXPECT_LE(read(stream_capture({stream.begin(), stream.begin() + size})).found.size(), 1);
}

TEST(Capture, Tcpclv3) {
    Bytes stream = test::from_hex(
        "64746e21030000"
        "0007"
        "69706e3a312e30");
    stream.push_back(0x12);
    stream.push_back(10);
    append(stream, ByteView(kBundle).first(10));
    stream.push_back(0x40);
    stream.push_back(0x11);
    stream.push_back(static_cast<std::uint8_t>(kBundle.size() - 10));
    append(stream, ByteView(kBundle).subspan(10));
    stream.push_back(0x50);
    const Read read_back = read(stream_capture(stream));
    ASSERT_EQ(read_back.found.size(), 1);
    EXPECT_EQ(read_back.found[0].octets, kBundle);
    EXPECT_TRUE(read_back.notes.empty());
}

TEST(Capture, OtherTrafficAndDamage) {
    const Read other = read(stream_capture(Bytes(100, 'x'), 80));
    EXPECT_TRUE(other.found.empty());
    ASSERT_EQ(other.notes.size(), 1);
    EXPECT_NE(other.notes[0].find("they have no bundles"), std::string::npos);

    const std::vector<Bytes> datagrams{kBundle, kBundle};
    const Bytes file = test::pcap_of_datagrams(datagrams, 4556);
    for (std::size_t size = 0; size < file.size(); ++size)
        EXPECT_LE(read({file.begin(), file.begin() + size}).found.size(), 1) << size;
    EXPECT_FALSE(read({file.begin(), file.end() - 1}).whole);
}

TEST(Capture, Pcapng) {
    const auto le32 = [](Bytes &to, std::uint32_t value) {
        for (int shift = 0; shift < 32; shift += 8)
            to.push_back(static_cast<std::uint8_t>(value >> shift));
    };
    const std::vector<Bytes> datagrams{kBundle};
    const Bytes pcap = test::pcap_of_datagrams(datagrams, 4556);
    Bytes packet(pcap.begin() + 40, pcap.end());
    const auto size = static_cast<std::uint32_t>(packet.size());
    packet.resize((packet.size() + 3) / 4 * 4);
    Bytes file;
    le32(file, 0x0a0d0d0a);
    for (const std::uint32_t word : {28U, 0x1a2b3c4dU, 0x00000001U, ~0U, ~0U, 28U})
        le32(file, word);
    for (const std::uint32_t word : {1U, 20U, 1U, 0U, 20U}) le32(file, word);
    const auto length = static_cast<std::uint32_t>(32 + packet.size());
    for (const std::uint32_t word : {6U, length, 0U, 0U, 0U, size, size}) le32(file, word);
    append(file, packet);
    le32(file, length);
    const Read result = read(file);
    EXPECT_TRUE(result.whole);
    ASSERT_EQ(result.found.size(), 1);
    EXPECT_EQ(result.found[0].octets, kBundle);
}

}  // namespace
}  // namespace farlink::inspect::capture_test
