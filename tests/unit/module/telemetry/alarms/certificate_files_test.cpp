// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/alarms/certificate_files.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/temp_folder.hpp"

#if FARLINK_TLS

namespace farlink::telemetry::certificate_files_test {
namespace {

namespace fs = std::filesystem;

/// A folder with certificates made by the openssl program.
class Keys {
public:
    /// Appends a certificate with so many days to the file.
    void make(const std::string &file, const std::string &name, int days) const {
        const std::string made = folder_ / "made";
        const std::string command =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout " + made +
            ".key -out " + made + " -subj /CN=" + name + " -days " + std::to_string(days) + " 2> " +
            (folder_ / "errors") + " && cat " + made + " >> " + path(file);
        ASSERT_EQ(std::system(command.c_str()), 0);
    }
    [[nodiscard]] std::string path(const std::string &file) const { return folder_ / file; }

private:
    test::TempFolder folder_;
};

config::NodeConfig node_with(const Keys &keys) {
    config::NodeConfig config;
    config.api.tls.certificate_file = keys.path("api.pem");
    for (std::uint32_t link : {1U, 2U}) {
        config::OutductConfig outduct;
        outduct.id = LinkId{link};
        outduct.tls.ca_file = keys.path("ca.pem");
        config.outducts.push_back(outduct);
    }
    return config;
}

TEST(CertificateFiles, AChainEndsWithItsFirstAuthoritiesWithTheirLast) {
    const Keys keys;
    keys.make("api.pem", "leaf", 100);
    keys.make("api.pem", "middle", 10);
    keys.make("ca.pem", "old", 5);
    keys.make("ca.pem", "new", 500);
    CertificateFiles files(node_with(keys));
    ASSERT_TRUE(files.look(TimePoint{}));
    ASSERT_EQ(files.certificates().size(), 2U);
    const CertificateFacts &api = files.certificates()[0];
    EXPECT_EQ(api.use, "the API");
    EXPECT_EQ(api.name, "CN=middle");
    const CertificateFacts &ca = files.certificates()[1];
    EXPECT_EQ(ca.use, "link 1 and 1 more link");
    EXPECT_TRUE(ca.authority);
    EXPECT_EQ(ca.name, "CN=new");
    EXPECT_EQ(ca.link, LinkId{1});
    constexpr DtnTime kDay = 86'400'000;
    EXPECT_EQ((ca.ends - api.ends + kDay / 2) / kDay, 490U);
}

TEST(CertificateFiles, NameEachLinkThatUsesTheFileOnce) {
    const Keys keys;
    keys.make("ca.pem", "own", 5);
    config::NodeConfig config = node_with(keys);
    config.api.tls.certificate_file.clear();
    config.outducts.pop_back();
    config.outducts[0].tls.certificate_file = keys.path("ca.pem");
    CertificateFiles signed_by_itself(config);
    ASSERT_TRUE(signed_by_itself.look(TimePoint{}));
    EXPECT_EQ(signed_by_itself.certificates()[0].use, "link 1");
    config.api.tls.certificate_file = keys.path("ca.pem");
    CertificateFiles shared(config);
    ASSERT_TRUE(shared.look(TimePoint{}));
    EXPECT_EQ(shared.certificates()[0].use, "the API and 1 link");
}

TEST(CertificateFiles, AreReadAgainWhenTheyChangeOrAnHourHasPassed) {
    const Keys keys;
    keys.make("api.pem", "leaf", 10);
    CertificateFiles files(node_with(keys));
    EXPECT_TRUE(files.look(TimePoint{}));
    EXPECT_FALSE(files.look(TimePoint{seconds(10)}));
    fs::remove(keys.path("api.pem"));
    EXPECT_FALSE(files.look(TimePoint{seconds(20)})) << "it is being replaced";
    keys.make("api.pem", "other", 1000);
    fs::last_write_time(keys.path("api.pem"), fs::file_time_type::clock::now() + seconds(60));
    EXPECT_FALSE(files.look(TimePoint{seconds(25)})) << "looked for changes lately";
    EXPECT_TRUE(files.look(TimePoint{seconds(30)}));
    EXPECT_EQ(files.certificates()[0].name, "CN=other");
    EXPECT_TRUE(files.look(TimePoint{seconds(30 + 3600)}));
}

TEST(CertificateFiles, FollowTheLinksAndTheApiOfTheRunningNode) {
    const Keys keys;
    keys.make("api.pem", "leaf", 10);
    keys.make("added.pem", "added", 10);
    keys.make("new-api.pem", "new", 10);
    CertificateFiles files(node_with(keys));
    ASSERT_TRUE(files.look(TimePoint{}));
    config::OutductConfig outduct;
    outduct.id = LinkId{7};
    outduct.tls.certificate_file = keys.path("added.pem");
    files.set_link(outduct);
    ASSERT_TRUE(files.look(TimePoint{seconds(1)}));
    ASSERT_EQ(files.certificates().size(), 2U);
    EXPECT_EQ(files.certificates()[0].use, "link 7");
    EXPECT_EQ(files.certificates()[0].link, LinkId{7});
    files.remove_link(LinkId{7});
    files.set_api(keys.path("new-api.pem"));
    ASSERT_TRUE(files.look(TimePoint{seconds(2)}));
    ASSERT_EQ(files.certificates().size(), 1U);
    EXPECT_EQ(files.certificates()[0].name, "CN=new");
}

TEST(CertificateFiles, WhatIsNoCertificateIsLeftOut) {
    const Keys keys;
    std::ofstream(keys.path("api.pem")) << "-----BEGIN CERTIFICATE-----\nnone\n";
    CertificateFiles files(node_with(keys));
    EXPECT_TRUE(files.look(TimePoint{}));
    EXPECT_TRUE(files.certificates().empty());
}

}  // namespace
}  // namespace farlink::telemetry::certificate_files_test

#endif
