// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/json/storage_replies.hpp"

#include <gtest/gtest.h>

#include "tests/support/custody_bundle.hpp"

namespace farlink::control::storage_replies_test {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint32_t kUsual = 100;
constexpr std::uint32_t kMost = 1000;

auto read(const char *text) {
    return store_request_of(Json::parse(text), kUsual, kMost);
}

TEST(StorageReplies, ARequestIsRead) {
    const auto asked = read(R"({"destination":"ipn:20.*","bundles":["18446744073709551615",3],
                                "after":"4294967297","limit":7,"force":true})");
    ASSERT_TRUE(asked);
    EXPECT_EQ(as_text(asked->destination), "ipn:20.*");
    EXPECT_EQ(asked->bundles, (std::vector<std::uint64_t>{~std::uint64_t{0}, 3}));
    EXPECT_EQ(asked->after, 4294967297U);
    EXPECT_EQ(asked->limit, 7U);
    EXPECT_TRUE(asked->force);
    EXPECT_EQ(read("{}")->limit, kUsual);
}

TEST(StorageReplies, WrongRequestsAreRefused) {
    for (const char *text :
         {R"({"destination":""})", R"({"destination":"*"})", R"({"destination":20})",
          R"({"destination":"ipn:*"})", R"({"bundles":[]})", R"({"bundles":"all"})",
          R"({"bundles":["0"]})", R"({"bundles":["-1"]})", R"({"bundles":["1 "]})",
          R"({"bundles":["18446744073709551616"]})", R"({"bundles":[1.5]})", R"({"after":"x"})",
          R"({"limit":0})", R"({"limit":1001})", R"({"limit":-1})", R"({"force":"yes"})"}) {
        const auto asked = read(text);
        ASSERT_FALSE(asked) << text;
        EXPECT_EQ(asked.error()["ok"], false);
    }
    Json many{{"bundles", Json::array()}};
    for (int i = 0; i < 1001; ++i) many["bundles"].push_back(i + 1);
    EXPECT_FALSE(store_request_of(many, kUsual, kMost));
}

TEST(StorageReplies, ABundleHasTheFieldsOfItsHead) {
    config::StorageConfig config;
    config.disks.push_back({"fast", "/fast", 0});
    bus::StoredBundle bundle;
    bundle.bundle = (std::uint64_t{1} << 53) + 1;
    bundle.bytes = 200;
    Json row = stored_json(bundle, config);
    EXPECT_EQ(row["bundle"], "9007199254740993");
    EXPECT_EQ(row["disk"], "fast");
    EXPECT_TRUE(row["destination"].is_null());
    EXPECT_TRUE(row["expires"].is_null());
    EXPECT_FALSE(row.contains("source"));

    test::CustodyBundle sent;
    sent.sequence = (std::uint64_t{1} << 53) + 1;
    bundle.head = sent.octets();
    bundle.disk = 9;
    row = stored_json(bundle, config);
    EXPECT_EQ(row["version"], 6);
    EXPECT_EQ(row["source"], "ipn:2.1");
    EXPECT_EQ(row["created"], "2025-05-08T06:13:21.000Z");
    EXPECT_EQ(row["sequence"], "9007199254740993");
    EXPECT_TRUE(row["disk"].is_null());
}

TEST(StorageReplies, AFragmentSetTellsWhatIsMissing) {
    bus::StoredSet set;
    set.set = (std::uint64_t{1} << 53) + 1;
    set.first.bundle = 7;
    set.first.destination = {'i', 'p', 'n', ':', '2', '0', '.', '1'};
    set.total_bytes = 300;
    set.stored_bytes = 200;
    set.fragments = 2;
    set.gaps = 9;
    set.missing = {{100, 200}};
    Json row = set_json(set);
    EXPECT_EQ(row["set"], "9007199254740993");
    EXPECT_EQ(row["state"], "incomplete");
    EXPECT_EQ(row["complete"], false);
    EXPECT_EQ(row["destination"], "ipn:20.1");
    EXPECT_EQ(row["totalBytes"], 300);
    EXPECT_EQ(row["storedBytes"], 200);
    EXPECT_EQ(row["fragments"], 2);
    EXPECT_EQ(row["gaps"], 9);
    ASSERT_EQ(row["missing"].size(), 1U);
    EXPECT_EQ(row["missing"][0]["from"], 100);
    EXPECT_EQ(row["missing"][0]["to"], 200);
    EXPECT_EQ(row["firstFragment"], "7");
    EXPECT_TRUE(row["expires"].is_null());
    EXPECT_FALSE(row.contains("source"));

    set.state = bus::StoredState::kRefused;
    set.first.head = test::CustodyBundle{}.octets();
    row = set_json(set);
    EXPECT_EQ(row["state"], "refused");
    EXPECT_EQ(row["complete"], true);
    EXPECT_EQ(row["source"], "ipn:2.1");
}

TEST(StorageReplies, APieceIsAskedForByNumberStripeAndOffset) {
    const auto read = [](const char *text) { return piece_request_of(Json::parse(text)); };
    const auto whole = read(R"({"bundle":"4294967297"})");
    ASSERT_TRUE(whole);
    EXPECT_EQ(whole->bundle, 4294967297U);
    EXPECT_EQ(whole->stripe, 0);
    EXPECT_EQ(whole->offset, 0U);
    EXPECT_EQ(whole->limit, 262144U);
    const auto part = read(R"({"bundle":7,"stripe":15,"offset":"18446744073709551615","limit":1})");
    ASSERT_TRUE(part);
    EXPECT_EQ(part->stripe, 15);
    EXPECT_EQ(part->offset, ~std::uint64_t{0});
    EXPECT_EQ(part->limit, 1U);
    EXPECT_TRUE(read(R"({"bundle":7,"stripe":0,"offset":0})"));
    for (const char *text :
         {"{}", R"({"bundle":0})", R"({"bundle":"x"})", R"({"bundle":1,"stripe":16})",
          R"({"bundle":1,"offset":-1})", R"({"bundle":1,"limit":0})",
          R"({"bundle":1,"limit":262145})", R"({"bundle":1,"offset":null})"})
        EXPECT_FALSE(read(text)) << text;
}

TEST(StorageReplies, APieceIsToldWithItsChecksum) {
    const bus::BundlePieceRequest asked{bus::RequestId{1}, 4294967297, 1, 2, 3};
    bus::BundlePiece piece{bus::RequestId{1}, bus::PieceFault::kNone, 10, 2, 5, 0xabc,
                           {'f', 'o', 'o'}};
    Json published = piece_json(asked, piece);
    EXPECT_EQ(published["bundle"], "4294967297");
    EXPECT_EQ(published["stripeCrc32c"], "00000abc");
    EXPECT_EQ(published["octets"], "Zm9v");
    EXPECT_EQ(published["more"], false);
    piece.stripe_bytes = 6;
    EXPECT_EQ(piece_json(asked, piece)["more"], true);
    piece.stripe_bytes = 5;
    piece.stripes = 3;
    EXPECT_EQ(piece_json(asked, piece)["more"], true);
    for (int fault = 1; fault <= static_cast<int>(bus::PieceFault::kTooMany); ++fault) {
        piece.fault = static_cast<bus::PieceFault>(fault);
        EXPECT_EQ(piece_json(asked, piece)["ok"], false);
    }
}

TEST(StorageReplies, APieceOfABundleInPiecesHasItsOwnEndAndChecksum) {
    const bus::BundlePieceRequest asked{bus::RequestId{1}, 4294967297, 0, 5, 3};
    bus::BundlePiece piece{bus::RequestId{1}, bus::PieceFault::kNone, 20, 0, 8, 0xabc,
                           {'f', 'o', 'o'}};
    const Json published = piece_json(asked, piece);
    EXPECT_EQ(published["stripes"], 1);
    EXPECT_EQ(published["stripeBytes"], 20);
    EXPECT_EQ(published["pieceEnd"], 8);
    EXPECT_EQ(published["pieceCrc32c"], "00000abc");
    EXPECT_FALSE(published.contains("stripeCrc32c"));
    EXPECT_EQ(published["more"], true);
    piece.bundle_bytes = piece.stripe_bytes = 8;
    EXPECT_EQ(piece_json(asked, piece)["more"], false);
}

TEST(StorageReplies, ABundleOfFragmentsIsNamedAsSuch) {
    bus::BundlePiece piece;
    piece.fault = bus::PieceFault::kBeyondEnd;
    const Json refused = piece_json({bus::RequestId{1}, 4294967297, 0, 0, 3}, piece);
    EXPECT_EQ(refused["reason"], "conflict");
    EXPECT_NE(refused["error"].dump().find("fragments"), std::string::npos) << refused;
    EXPECT_EQ(piece_json({bus::RequestId{1}, 4294967297, 0, 7, 3}, piece)["reason"], "invalid");
}

TEST(StorageReplies, ATaskIsStartedShownAndCancelled) {
    const auto read = [](const char *text) { return task_request_of(Json::parse(text)); };
    EXPECT_EQ(read(R"({"command":"storage verify"})")->verb, bus::TaskVerb::kStart);
    EXPECT_EQ(read(R"({"command":"storage verify"})")->task, bus::StoreTask::kVerify);
    EXPECT_EQ(read(R"({"command":"storage compact show"})")->task, bus::StoreTask::kCompact);
    EXPECT_EQ(read(R"({"command":"storage compact show"})")->verb, bus::TaskVerb::kShow);
    EXPECT_EQ(read(R"({"command":"storage verify cancel"})")->verb, bus::TaskVerb::kCancel);
    EXPECT_EQ(read(R"({"command":"storage verify","rateBytesPerSec":4096})")->rate_bytes_per_s,
              4096U);
    for (const char *rate : {"4095", "-1", "null", "1000000000001", "1e6", "\"4096\""})
        EXPECT_FALSE(task_request_of(Json::parse(
            R"({"command":"storage verify","rateBytesPerSec":)" + std::string(rate) + "}")))
            << rate;
}

TEST(StorageReplies, ATaskIsToldWithWhatItFound) {
    config::StorageConfig config;
    config.disks.push_back({"fast", "/fast", 0});
    bus::StoreTaskReply reply;
    reply.state = bus::TaskState::kDone;
    reply.started = 800'000'000'000;
    reply.damaged = 1;
    reply.damages.push_back({.bundle = 7, .disk = 0, .record = (3ULL << 32) + 17, .bytes = 9});
    reply.lost_files.push_back({.disk = 0, .file = 4, .records = 12});
    reply.lost_files.push_back({.disk = 1, .file = 5, .cut = true, .expected_bytes = 8192});
    const Json published = task_json({}, reply, config)["verification"];
    EXPECT_EQ(published["state"], "done");
    EXPECT_EQ(published["started"], "2025-05-08T06:13:20.000Z");
    EXPECT_TRUE(published["ended"].is_null());
    EXPECT_EQ(published["damages"][0], Json::parse(R"({"bundle":"7","disk":"fast","record":"3:17",
                                                  "bytes":9,"why":"checksum"})"));
    EXPECT_EQ(published["lostFiles"],
              Json::parse(R"([{"disk":"fast","file":4,"records":12,"cut":false},
                              {"disk":null,"file":5,"records":0,"cut":true,"bytes":0,
                               "expectedBytes":8192}])"));
    reply.task = bus::StoreTask::kCompact;
    reply.freed_bytes = 5;
    EXPECT_EQ(task_json({}, reply, config)["compaction"]["freedBytes"], 5);
    reply.refused = true;
    EXPECT_EQ(task_json({}, reply, config)["reason"], "conflict");
}

}  // namespace
}  // namespace farlink::control::storage_replies_test
