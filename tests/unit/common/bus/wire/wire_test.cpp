// SPDX-License-Identifier: Apache-2.0
// The golden octets below are the format: when a test here fails, kWireVersion must change.
#include "common/bus/wire/wire.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/hex.hpp"
#include "tests/unit/common/bus/wire/wire_samples.hpp"

namespace farlink::bus::wire_test {
namespace {

std::string without_spaces(std::string_view text) {
    std::string result;
    for (const char letter : text)
        if (letter != ' ') result += letter;
    return result;
}

/// Header: 'F' 'L', version, type; then the fields as docs/formats/bus.md lists them.
struct Golden {
    Message message;
    std::string_view octets;
};

std::vector<Golden> goldens_of_plans_and_commands() {
    std::vector<Golden> all;
    const auto add = [&](Message message, std::string_view octets) {
        all.push_back({std::move(message), octets});
    };
    add(LinkAdmin{LinkId{3}, false}, "464c1322 03000000 00");
    add(NeighbourDepleted{NodeNumber{9}, nanoseconds(258)},
        "464c1323 0900000000000000 0201000000000000");
    add(PlanReplace{true,
                    {{7, NodeNumber{1}, NodeNumber{2}, 3, 5, BitRate{4}, nanoseconds(6)}},
                    RequestId{258}},
        "464c1324 01 01000000 0700000000000000 0100000000000000 0200000000000000"
        "0300000000000000 0500000000000000 0400000000000000 0600000000000000 0201000000000000");
    add(ContactsProposal{{}, RequestId{258}}, "464c1325 00000000 0201000000000000");
    add(
        RoutesPreview{
            {{NodeNumber{5},
              {},
              {{NodeNumber{6}, LinkId{7}, 8, 9, 10, 11, {12, 13, 14}, {1, 2, 3}, {4, 5, 6}, {}}}}},
            RequestId{258}},
        "464c1326 01000000 0500000000000000 00000000 01000000 0600000000000000 07000000"
        "0800000000000000 0900000000000000 0a00000000000000 0b00000000000000 0c00000000000000"
        "0d00000000000000 0e00000000000000 0100000000000000 0200000000000000 0300000000000000"
        "0400000000000000 0500000000000000 0600000000000000 00000000 00 0201000000000000");
    add(
        BacklogReport{
            AgentId::kStorage, {{NodeNumber{3}, Priority::kExpedited, 258, 3}}, RequestId{259}},
        "464c1327 02 01000000 0300000000000000 02 0201000000000000 0300000000000000"
        "0301000000000000");
    add(PlanChange{{{7, NodeNumber{1}, NodeNumber{2}, 3, 5, BitRate{4}, nanoseconds(6)}},
                   {},
                   RequestId{258}},
        "464c1328 01000000 0700000000000000 0100000000000000 0200000000000000"
        "0300000000000000 0500000000000000 0400000000000000 0600000000000000 00000000"
        "0201000000000000");
    add(ContactsChange{{},
                       {{7, NodeNumber{1}, NodeNumber{2}, 3, 5, BitRate{4}, nanoseconds(6)}},
                       RequestId{258}},
        "464c1329 00000000 01000000 0700000000000000 0100000000000000 0200000000000000"
        "0300000000000000 0500000000000000 0400000000000000 0600000000000000"
        "0201000000000000");
    return all;
}

std::vector<Golden> goldens_of_storage() {
    std::vector<Golden> all;
    const auto add = [&](Message message, std::string_view octets) {
        all.push_back({std::move(message), octets});
    };
    add(StoreRequest{RequestId{258}, StoreVerb::kDelete, {'i'}, {3}, 4, 5, true},
        "464c1338 0201000000000000 01 01000000 69 01000000 0300000000000000 0400000000000000"
        "05000000 01");
    add(StoreReply{RequestId{258},
                   {'n', 'o'},
                   {{3,
                     StoredState::kExceedsContacts,
                     Priority::kExpedited,
                     true,
                     4,
                     5,
                     6,
                     {'i'},
                     {0x9f}}},
                   true,
                   10,
                   7,
                   8,
                   9,
                   11,
                   {{4,
                     {3, StoredState::kGathered, Priority::kNormal, false, 2, 5, 6, {'i'}, {0x9f}},
                     StoredState::kRefused,
                     12,
                     13,
                     14,
                     15,
                     {{16, 17}}}}},
        "464c1339 0201000000000000 02000000 6e6f 01000000 0300000000000000 03 02 01 04"
        "0500000000000000 0600000000000000 01000000 69 01000000 9f 01"
        "0a00000000000000 0700000000000000 0800000000000000 0900000000000000 0b00000000000000"
        "01000000 0400000000000000 0300000000000000 06 01 00 02 0500000000000000 0600000000000000"
        "01000000 69 01000000 9f 05 0c00000000000000 0d00000000000000 0e00000000000000"
        "0f00000000000000 01000000 1000000000000000 1100000000000000");
    return all;
}

std::vector<Golden> goldens_of_operators() {
    std::vector<Golden> all;
    const auto add = [&](Message message, std::string_view octets) {
        all.push_back({std::move(message), octets});
    };
    add(LinkOverride{LinkId{3}, true, BitRate{258}, true, nanoseconds(5)},
        "464c1335 03000000 01 0201000000000000 01 0500000000000000");
    add(DestinationHold{NodeNumber{258}, true}, "464c1336 0201000000000000 01");
    add(DrainMode{true}, "464c1337 01");
    add(PingRequest{RequestId{258}, {'i'}, 3, nanoseconds(4), 6},
        "464c133a 0201000000000000 01000000 69 03000000 0400000000000000 06");
    add(PingReply{RequestId{258}, {'n', 'o'}, nanoseconds(4)},
        "464c133b 0201000000000000 02000000 6e6f 0400000000000000");
    add(LogChange{{'i'}, 4}, "464c133c 01000000 69 04");
    add(SettingsChange{{'{', '}'}}, "464c1343 02000000 7b7d");
    add(ReloadReport{true, {'i'}, {'{', '}'}}, "464c1344 01 01000000 69 02000000 7b7d");
    add(EndpointsChange{true, {{LinkId{0x60000001}, {'i'}, true, false}}},
        "464c1345 01 01000000 01000060 01000000 69 01 00");
    add(EndpointReport{LinkId{0x60000001}, {'i'}, true, false, 1, 2, 3, 4, 5, 6, 7, 8, 9},
        "464c1346 01000060 01000000 69 01 00 01000000 02000000 0300000000000000"
        "0400000000000000 0500000000000000 0600000000000000 0700000000000000"
        "0800000000000000 0900000000000000");
    add(StateRequest{RequestId{258}, {'/'}}, "464c133d 0201000000000000 01000000 2f");
    add(StateReply{RequestId{258}, 200, {'{', '}'}},
        "464c133e 0201000000000000 c800 02000000 7b7d");
    add(BundlePieceRequest{RequestId{258}, 3, 4, 5, 6},
        "464c133f 0201000000000000 0300000000000000 04 0500000000000000 06000000");
    add(BundlePiece{RequestId{258}, PieceFault::kDamaged, 3, 4, 5, 6, {0x9f}},
        "464c1340 0201000000000000 04 0300000000000000 04 0500000000000000 06000000 01000000 9f");
    add(StoreTaskRequest{RequestId{258}, StoreTask::kCompact, TaskVerb::kStart, 3},
        "464c1341 0201000000000000 01 01 0300000000000000");
    add(StoreTaskReply{RequestId{258},
                       StoreTask::kVerify,
                       true,
                       TaskState::kDone,
                       2,
                       3,
                       4,
                       5,
                       6,
                       7,
                       8,
                       9,
                       {{10, 1, 11, 12, true}},
                       13,
                       14,
                       {{1, 15, 16, true, 17, 18}}},
        "464c1342 0201000000000000 00 01 02 0200000000000000 0300000000000000 0400000000000000"
        "0500000000000000 0600000000000000 0700000000000000 0800000000000000 0900000000000000"
        "01000000 0a00000000000000 01 0b00000000000000 0c00000000000000 01"
        "0d00000000000000 0e00000000000000"
        "01000000 01 0f000000 1000000000000000 01 1100000000000000 1200000000000000");
    return all;
}

std::vector<Golden> goldens_of_events() {
    std::vector<Golden> all;
    const auto add = [&](Message message, std::string_view octets) {
        all.push_back({std::move(message), octets});
    };
    add(ContactStart{kHeader, LinkId{3}, NodeNumber{9}, BitRate{8000}, nanoseconds(5), 6},
        "464c1305 0100000000000000 0200000000000000 03000000 0900000000000000 401f000000000000"
        "0500000000000000 0600000000000000");
    add(ContactEnd{kHeader, LinkId{3}, NodeNumber{9}},
        "464c1306 0100000000000000 0200000000000000 03000000 0900000000000000");
    add(LinkUp{kHeader, LinkId{3}, NodeNumber{9}, BitRate{1}, nanoseconds(3), 1024, false, true},
        "464c1307 0100000000000000 0200000000000000 03000000 0900000000000000 0100000000000000"
        "0300000000000000 0004000000000000 00 01");
    add(LinkDown{kHeader, LinkId{3}, NodeNumber{9}, LinkDownReason::kAdministrative},
        "464c1308 0100000000000000 0200000000000000 03000000 0900000000000000 02");
    add(LinkSnapshot{kHeader,
                     {{LinkId{3}, NodeNumber{9}, BitRate{1}, nanoseconds(2), 4, true, false, 5,
                       false, 6, nanoseconds(7), true, false, true}},
                     RequestId{258}},
        "464c1309 0100000000000000 0200000000000000 01000000 03000000 0900000000000000"
        "0100000000000000 0200000000000000 0400000000000000 01 00 0500000000000000"
        "00 0600000000000000 0700000000000000 01 00 01 0201000000000000");
    add(ContactsUpdate{kHeader,
                       {{7, NodeNumber{1}, NodeNumber{2}, 3, kDtnNever, BitRate{4},
                         nanoseconds(-1)}}},
        "464c130a 0100000000000000 0200000000000000 01000000 0700000000000000 0100000000000000"
        "0200000000000000 0300000000000000 ffffffffffffffff 0400000000000000 ffffffffffffffff");
    add(RouteUpdate{kHeader,
                    {{NodeNumber{5},
                      {{NodeNumber{6},
                        LinkId{7},
                        8,
                        9,
                        10,
                        11,
                        {12, 13, 14},
                        {1, 2, 3},
                        {4, 5, 6},
                        {NodeNumber{259}},
                        true}},
                      512,
                      true},
                     {NodeNumber{10}, {}}},
                    {{NodeNumber{15}, LinkId{16}, true}},
                    {NodeNumber{258}},
                    RequestId{259}},
        "464c130b 0100000000000000 0200000000000000 02000000 0500000000000000 01000000"
        "0600000000000000 07000000 0800000000000000 0900000000000000 0a00000000000000"
        "0b00000000000000 0c00000000000000 0d00000000000000 0e00000000000000 0100000000000000"
        "0200000000000000 0300000000000000 0400000000000000 0500000000000000 0600000000000000"
        "01000000 0301000000000000 01 0002000000000000 01"
        "0a00000000000000 00000000 ffffffffffffffff 00 01000000 0f00000000000000 10000000 01"
        "01000000 0201000000000000 0301000000000000");
    return all;
}

std::vector<Golden> goldens_of_reports() {
    std::vector<Golden> all;
    const auto add = [&](Message message, std::string_view octets) {
        all.push_back({std::move(message), octets});
    };
    add(LinkStatus{LinkId{3}, NodeNumber{9}, true, false, 1024, false, true},
        "464c130c 03000000 0900000000000000 01 00 0004000000000000 00 01");
    add(SnapshotRequest{AgentId::kRouter, AgentId::kEgress, RequestId{258}},
        "464c130d 04 01 0201000000000000");
    add(Backlog{1, 2, {3, 4, 5, 6}},
        "464c130e 0100000000000000 0200000000000000 0300000000000000 0400000000000000"
        "0500000000000000 0600000000000000");
    add(LocalDelivery{AgentId::kIngress3, 258, {0x9f}, NodeNumber{5}},
        "464c1333 09 0201000000000000 01000000 9f 0500000000000000");
    add(LocalDelivered{258}, "464c1334 0201000000000000");
    add(StorageReady{0x1122334455667788, 258}, "464c130f 8877665544332211 0201000000000000");
    add(StorageReserve{258}, "464c1347 0201000000000000");
    add(CommandReport{CommandKind::kLinkUp, LinkId{3}, 258},
        "464c1348 03 03000000 0201000000000000");
    add(ReportRequest{ReportEvent::kDelivered, 4, {0xaa, 0xbb}, 5},
        "464c1310 02 04 02000000 aabb 0500000000000000");
    add(ModuleReady{AgentId::kSupervisor, true, {258}, {259}},
        "464c1312 06 01 01000000 0201 01000000 0301");
    add(ModuleEnded{AgentId::kRouter}, "464c132a 04");
    add(ModuleLost{AgentId::kEgress}, "464c132b 01");
    add(ModuleBack{AgentId::kStorage}, "464c132c 02");
    add(Stop{false}, "464c1313 00");
    add(SessionChange{LinkId{3}, NodeNumber{9}, true, {'i'}, 1024, 16},
        "464c1316 03000000 0900000000000000 01 01000000 69 0004000000000000 10");
    add(UpstreamChange{UpstreamId{4}, LinkId{3}, true, false, 258},
        "464c1317 04000000 03000000 01 00 0201000000000000");
    add(UpstreamPause{UpstreamId{4}, true}, "464c1318 04000000 01");
    add(TransferDispositions{{{UpstreamId{4}, 5, 6, TransferDisposition::kNoResources}}},
        "464c1319 01000000 04000000 0500000000000000 06000000 01");
    add(CopyOutcomes{{{7, 8, true}}, 2},
        "464c131a 01000000 0700000000000000 0800000000000000 01 02");
    add(LinkChange{LinkVerb::kChange, LinkId{3}, true, {'{', '}'}, RequestId{258}},
        "464c131b 01 03000000 01 02000000 7b7d 0201000000000000");
    add(LinkChangeResult{LinkId{3}, {'n', 'o'}, 258, RequestId{259}},
        "464c131c 03000000 02000000 6e6f 0201 0301000000000000");
    add(CustodyRecord{{'i'}, {0x40, 0x80}, NodeNumber{5}},
        "464c131d 01000000 69 02000000 4080 0500000000000000");
    add(OriginateRequest{{'i'}, {0x40, 0x80}, 0x0102},
        "464c131e 01000000 69 02000000 4080 0201000000000000");
    add(ClockConfirm{}, "464c131f");
    add(ApiRequest{RequestId{258}, {'i'}, {'{', '}'}},
        "464c1331 0201000000000000 01000000 69 02000000 7b7d");
    add(ApiReply{RequestId{258}, {'{', '}'}}, "464c1332 0201000000000000 02000000 7b7d");
    add(LinkPace{LinkId{3}, BitRate{258}, milliseconds(1), true},
        "464c1321 03000000 0201000000000000 40420f0000000000 01");
    return all;
}

std::vector<Golden> goldens_of_telemetry() {
    std::vector<Golden> all;
    const auto add = [&](Message message, std::string_view octets) {
        all.push_back({std::move(message), octets});
    };
    add(CounterReport{AgentId::kStorage, 2, {1, 258}, true},
        "464c1311 02 0200000000000000 02000000 0100000000000000 0201000000000000 01");
    add(LinkReport{AgentId::kEgress, LinkId{3}, {'i'}, {258}},
        "464c1320 01 03000000 01000000 69 01000000 0201000000000000");
    add(LinkInfo{AgentId::kEgress,
                 LinkKind::kSession,
                 true,
                 false,
                 LinkId{3},
                 NodeNumber{9},
                 {'u', ':', '1'},
                 {'n', 'o'},
                 {'d', ':', 's'},
                 {{{'i'}, {'w', 'y'}}}},
        "464c132d 01 02 01 00 03000000 0900000000000000 03000000 753a31 02000000 6e6f"
        "03000000 643a73 01000000 01000000 69 02000000 7779");
    add(
        StorageReport{
            {{{'d'}, DiskState::kSetAside, 4, 258}}, {{NodeNumber{7}, 1, 2, 3, 5, {'d'}}}, 6, true},
        "464c132e 01000000 01000000 64 03 0400000000000000 0201000000000000 01000000"
        "0700000000000000 0100000000000000 0200000000000000 0300000000000000 0500000000000000"
        "01000000 64 0600000000000000 01");
    add(HistogramReport{AgentId::kStorage, LatencyKind::kStorageFlush, 1, 2, 3, 4, 5, 6, 258},
        "464c132f 02 01 0100000000000000 0200000000000000 0300000000000000 0400000000000000"
        "0500000000000000 0600000000000000 0201000000000000");
    add(ProcessReport{AgentId::kRouter, 1, 2, 3, 4, 258},
        "464c1330 04 0100000000000000 0200000000000000 0300000000000000 0400000000000000"
        "0201000000000000");
    return all;
}

std::vector<Golden> goldens() {
    std::vector<Golden> all = goldens_of_events();
    for (Golden &golden : goldens_of_telemetry()) all.push_back(std::move(golden));
    for (Golden &golden : goldens_of_reports()) all.push_back(std::move(golden));
    for (Golden &golden : goldens_of_plans_and_commands()) all.push_back(std::move(golden));
    for (Golden &golden : goldens_of_storage()) all.push_back(std::move(golden));
    for (Golden &golden : goldens_of_operators()) all.push_back(std::move(golden));
    return all;
}

TEST(Wire, GoldenOctets) {
    for (const Golden &golden : goldens()) {
        const EncodedMessage encoded = encode(golden.message);
        EXPECT_EQ(test::to_hex(encoded.header), without_spaces(golden.octets));
        EXPECT_TRUE(encoded.frames.empty());
    }
}

TEST(Wire, WhatIsDecodedEncodesToTheSameOctets) {
    for (const Golden &golden : goldens()) {
        SCOPED_TRACE(golden.octets);
        const EncodedMessage encoded = encode(golden.message);
        const auto decoded = decode_event(encoded.header);
        ASSERT_TRUE(decoded.has_value());
        EXPECT_EQ(decoded->index(), golden.message.index());
        EXPECT_EQ(encode(*decoded).header, encoded.header);
    }
}

TEST(Wire, AMessageCutAnywhereIsTruncated) {
    for (const Golden &golden : goldens()) {
        const Bytes whole = encode(golden.message).header;
        for (std::size_t length = 0; length < whole.size(); ++length) {
            const auto decoded = decode_event(ByteView(whole).first(length));
            ASSERT_FALSE(decoded.has_value()) << golden.octets << " cut at " << length;
            EXPECT_EQ(decoded.error(), WireError::kTruncated);
        }
    }
}

TEST(Wire, AnOctetTooManyIsAnError) {
    for (const Golden &golden : goldens()) {
        Bytes longer = encode(golden.message).header;
        longer.push_back(0);
        const auto decoded = decode_event(longer);
        ASSERT_FALSE(decoded.has_value()) << golden.octets;
        EXPECT_EQ(decoded.error(), WireError::kTrailingOctets);
    }
}

TEST(Wire, ForeignOctetsAreNamed) {
    const auto error = [](std::initializer_list<std::uint8_t> octets) {
        const Bytes bytes(octets);
        return decode_event(bytes).error();
    };
    EXPECT_EQ(error({'F', 'M', 2, 19, 1}), WireError::kBadMagic);
    EXPECT_EQ(error({'F', 'L', 1, 19, 1}), WireError::kBadVersion);
    EXPECT_EQ(error({'F', 'L', kWireVersion, 0, 1}), WireError::kUnknownType);
    EXPECT_EQ(error({'F', 'L', kWireVersion, 99, 1}), WireError::kUnknownType);
    EXPECT_EQ(error({'F', 'L', kWireVersion, 19, 2}), WireError::kBadValue);
    EXPECT_EQ(error({'F', 'L', kWireVersion, 18, 14}), WireError::kBadValue);
    EXPECT_EQ(error({'F', 'L', kWireVersion, 4}), WireError::kBatchRefused);
}

TEST(Wire, AnAnnouncedLengthIsNotBelieved) {
    // A list of 2^32 - 1 contacts in a message of a few octets.
    Bytes octets = encode(ContactsUpdate{kHeader, {}}).header;
    std::fill(octets.end() - 4, octets.end(), std::uint8_t{0xff});
    EXPECT_EQ(decode_event(octets).error(), WireError::kTruncated);
}

TEST(Wire, EveryStateOfAStoredBundleIsRead) {
    for (int each = 0; each <= static_cast<int>(StoredState::kGathered); ++each) {
        StoreReply reply;
        reply.bundles.resize(1);
        reply.bundles[0].state = static_cast<StoredState>(each);
        EXPECT_TRUE(decode_event(encode(reply).header)) << each;
    }
}

TEST(Wire, EveryErrorHasAName) {
    for (int error = 0; error <= static_cast<int>(WireError::kNoMemory); ++error)
        EXPECT_NE(to_string(static_cast<WireError>(error)), "unknown");
}

}  // namespace
}  // namespace farlink::bus::wire_test
