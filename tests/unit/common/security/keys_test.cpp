// SPDX-License-Identifier: Apache-2.0
#if FARLINK_TLS
#include "common/security/keys.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "common/security/key_reader.hpp"
#include "tests/support/secured_bundles.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::keys_test {
namespace {

using bp::bpsec::Fault;
using bp::bpsec::KeyAlgorithm;
using security::Key;
using security::KeyRing;

constexpr const char *kText = R"(# comment
[a1]
algorithm = hmac-sha256
key = 1111111111111111111111111111111111111111111111111111111111111111
not-before = 2026-01-01T00:00:00Z
not-after = 2026-07-01T00:00:00Z

[a2]
algorithm=aes-128-gcm
key=22222222222222222222222222222222
use = decrypt
)";
/// Within and beyond the validity of a1.
constexpr DtnTime kMay = 823'000'000'000;
constexpr DtnTime kAugust = 839'000'000'000;

std::vector<Key> keys_of(const char *text) {
    std::vector<Key> keys;
    EXPECT_EQ(security::parse_keys(text, keys), "");
    return keys;
}

std::string fault_of(const std::string &text) {
    std::vector<Key> keys;
    return security::parse_keys(text, keys);
}

TEST(Keys, AreRead) {
    const auto keys = keys_of(kText);
    ASSERT_EQ(keys.size(), 2U);
    EXPECT_EQ(keys[0].id, "a1");
    EXPECT_EQ(keys[0].algorithm, KeyAlgorithm::kHmacSha256);
    EXPECT_EQ(keys[0].secret.size(), 32U);
    EXPECT_TRUE(keys[0].may(security::kMaySign, kMay));
    EXPECT_FALSE(keys[0].may(security::kMaySign, kAugust));
    EXPECT_FALSE(keys[0].may(security::kMaySign, 1));
    EXPECT_FALSE(keys[1].may(security::kMaySign, kMay));
    EXPECT_TRUE(keys[1].may(security::kMayVerify, kMay));
}

TEST(Keys, FaultsHaveALineAndNoSecret) {
    const std::string head = "[a]\nalgorithm = hmac-sha256\n";
    EXPECT_EQ(fault_of("key = 00\n"), "line 1: a field before the first [id]");
    EXPECT_EQ(fault_of(head), "key a: key is missing");
    EXPECT_EQ(fault_of(head + "key = 0g\n"), "line 3: invalid value of key");
    EXPECT_EQ(fault_of(head + "key = 00112233\n"),
              "key a: 4 octets are not a valid key length for hmac-sha256");
    EXPECT_EQ(
        fault_of(head + "secret = 00\n"),
        "line 3: no such field; expected one of algorithm, key, not-before, not-after and use");
    EXPECT_EQ(fault_of("[a b]\n"),
              "line 1: invalid id; expected at most 64 letters, digits, '-', '_' and '.'");
    EXPECT_EQ(fault_of("[a]\nalgorithm = md5\n"), "line 2: no such algorithm");
    EXPECT_NE(fault_of(head + "not-after = yesterday\n"), "");
    EXPECT_NE(fault_of(head + "use = guess\n"), "");
    EXPECT_NE(fault_of("[a]\nalgorithm = aes-256-gcm\nkey = 22222222222222222222222222222222\n"),
              "");
}

TEST(Keys, OneSecretHasOneAlgorithm) {
    auto keys = keys_of(kText);
    for (auto &key : keys_of(kText)) keys.push_back(std::move(key));
    EXPECT_EQ(security::check_together(keys), "key a1 occurs twice");
    auto two = keys_of(kText);
    two[0].secret = two[1].secret.clone();
    EXPECT_EQ(security::check_together(two),
              "keys a1 and a2 have the same secret but different algorithms");
}

TEST(Keys, FilesOfOthersAreRefused) {
    const test::TempFolder folder;
    folder.write("one.key", kText);
    ::chmod((folder / "one.key").c_str(), 0640);
    EXPECT_FALSE(security::read_keys(folder / "one.key"));
    ::chmod((folder / "one.key").c_str(), 0600);
    ASSERT_TRUE(security::read_keys(folder / "one.key"));
    EXPECT_EQ(security::read_keys(folder.path())->size(), 2U);
    ::chmod(folder.path().c_str(), 0777);
    EXPECT_FALSE(security::read_keys(folder.path()));
    EXPECT_FALSE(security::read_keys("/dev/null"));
    EXPECT_FALSE(security::read_keys(folder / "missing"));
}

TEST(KeyRing, TriesTheKeysThatFitUntilOneDoes) {
    test::OpenBundle bundle(test::plain_bundle());
    ASSERT_TRUE(test::sign(bundle, {1}));
    const auto operation = bundle.operations().front();
    const std::string other =
        "[other]\nalgorithm = hmac-sha256\nkey = " + std::string(64, '3') + "\n";
    KeyRing right(keys_of((other + kText).c_str()));
    EXPECT_TRUE(right.verify(bundle.secured, operation, kMay));
    EXPECT_EQ(right.last_id(), "a1");
    EXPECT_EQ(right.verify(bundle.secured, operation, kAugust).error(), Fault::kMismatch);
    KeyRing none(keys_of("[g]\nalgorithm = aes-128-gcm\nkey = 22222222222222222222222222222222\n"));
    EXPECT_EQ(none.verify(bundle.secured, operation, kMay).error(), Fault::kNoKey);
    EXPECT_EQ(right.find("a2", security::kMaySign, kMay), nullptr);
    EXPECT_NE(right.find("a1", security::kMaySign, kMay), nullptr);
    EXPECT_TRUE(right.accept(bundle.secured, operation, kMay, bp::v7::CrcType::kNone));
    EXPECT_TRUE(bundle.operations().empty());
}

}  // namespace
}  // namespace farlink::keys_test
#endif  // FARLINK_TLS
