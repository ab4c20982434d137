// SPDX-License-Identifier: Apache-2.0
#include "common/audit/audit_log.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/temp_folder.hpp"

namespace farlink::audit_log_test {
namespace {

using Json = nlohmann::json;

class AuditLogTest : public testing::Test {
protected:
    [[nodiscard]] std::string path() const { return folder_ / "state/audit.jsonl"; }
    [[nodiscard]] std::vector<Json> lines() const {
        std::vector<Json> found;
        std::ifstream file(path());
        for (std::string line; std::getline(file, line);) found.push_back(Json::parse(line));
        return found;
    }

    test::TempFolder folder_;
};

TEST_F(AuditLogTest, AChangeIsOneLineOfJson) {
    AuditLog log(path());
    log.write(
        {.time = 0, .who = "ops", .change = "drain", .values = R"({"on":true})", .done = true});
    log.write({.time = 0,
               .who = "ops",
               .change = "drain",
               .values = "",
               .done = false,
               .detail = "no",
               .request = "POST /x",
               .status = 409});
    const std::vector<Json> found = lines();
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0], Json::parse(R"({"time":"2000-01-01T00:00:00.000Z","who":"ops",
        "change":"drain","values":{"on":true},"outcome":"done"})"));
    EXPECT_EQ(found[1], Json::parse(R"({"time":"2000-01-01T00:00:00.000Z","who":"ops",
        "change":"drain","outcome":"refused","detail":"no","request":"POST /x","status":409})"));
}

TEST_F(AuditLogTest, ARenamedFileIsReplacedByANewOne) {
    AuditLog log(path());
    log.write({.who = "ops", .change = "first", .values = "", .done = true});
    std::filesystem::rename(path(), path() + ".1");
    log.write({.who = "ops", .change = "second", .values = "", .done = true});
    const std::vector<Json> found = lines();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0]["change"], "second");
}

TEST_F(AuditLogTest, TwoWritersAppendToOneFile) {
    AuditLog one(path());
    AuditLog other(path());
    for (int turn = 0; turn < 3; ++turn) {
        one.write({.who = "one", .change = "x", .values = "", .done = true});
        other.write({.who = "other", .change = "x", .values = "", .done = true});
    }
    EXPECT_EQ(lines().size(), 6U);
}

TEST_F(AuditLogTest, AFileThatCannotBeOpenedIsNamed) {
    folder_.write("state", "a file, not a folder");
    AuditLog log(path());
    EXPECT_TRUE(log.open().starts_with(path() + ": ")) << log.open();
}

TEST(AuditValues, WithoutTheCommandAndLongValues) {
    EXPECT_EQ(audit_values(R"({"command":"plan","dryRun":true})"), "");
    EXPECT_EQ(audit_values(R"({"command":"hold","node":7})"), R"({"node":7})");
    EXPECT_EQ(audit_values("not JSON"), "");
    EXPECT_EQ(audit_values(R"({"command":"link set","link":1})"),
              R"({"link":1,"rateBitsPerSec":null,"owlt":null})")
        << "as planned";
    EXPECT_EQ(audit_values(R"({"command":"link set","link":1,"owlt":2})"),
              R"({"link":1,"owlt":2,"rateBitsPerSec":null})");
    Json many{{"contacts", Json::array()}};
    for (int at = 0; at < 17; ++at) many["contacts"].push_back(at);
    EXPECT_EQ(audit_values(many.dump()), R"({"contacts":{"count":17}})");
    const Json large{{"text", std::string(3'000, 'x')}};
    EXPECT_EQ(audit_values(large.dump()), R"({"text":{"bytes":3002}})");
    const Json huge{{"text", std::string(70'000, 'x')}};
    const std::string text = huge.dump();
    EXPECT_EQ(audit_values(text), R"({"bytes":)" + std::to_string(text.size()) + "}");
}

}  // namespace
}  // namespace farlink::audit_log_test
