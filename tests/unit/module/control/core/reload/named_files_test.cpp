// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/reload/named_files.hpp"

#include <gtest/gtest.h>

namespace farlink::control::named_files_test {
namespace {

using Json = nlohmann::ordered_json;

const Json kFile{
    {"inductsConfig",
     Json::array({{{"url", "tcpclv4://a:1"}, {"cert", "a.pem"}, {"key", "a.key"}},
                  {{"url", "ltp://a:1"},
                   {"neighbours", Json::array({{{"ltpAuthenticationKeyFile", "n.key"}}})}}})},
    {"outductsConfig",
     Json::array({{{"url", "tcpclv4://b:1"}, {"ca", "/ca.pem"}, {"crl", "r.pem"}}})},
    {"api", {{"tokensFile", "t.json"}, {"tls", {{"certificate", "c.pem"}, {"key", "c.key"}}}}}};

TEST(NamedFiles, EachHasItsPathAndItsLink) {
    const auto files = named_files(kFile, "/f");
    std::string text;
    for (const NamedFile &file : files)
        text += file.path + '=' + file.file + (file.ltp ? "*" : "") + '<' + file.link + ">\n";
    EXPECT_EQ(text,
              "inductsConfig[0].cert=/f/a.pem<inductsConfig[0]>\n"
              "inductsConfig[0].key=/f/a.key<inductsConfig[0]>\n"
              "inductsConfig[1].neighbours[0].ltpAuthenticationKeyFile=/f/n.key*"
              "<inductsConfig[1]>\n"
              "outductsConfig[0].ca=/ca.pem<outductsConfig[0]>\n"
              "outductsConfig[0].crl=/f/r.pem<outductsConfig[0]>\n"
              "api.tokensFile=/f/t.json<>\n"
              "api.tls.certificate=/f/c.pem<>\n"
              "api.tls.key=/f/c.key<>\n");
}

TEST(NamedFiles, OnlyAKnownFileChanges) {
    const auto files = named_files(kFile, "/f");
    int reads = 0;
    const FileDigests before = digests_of(files, [&](const std::string &) {
        ++reads;
        return 1U;
    });
    EXPECT_EQ(reads, 8);
    FileDigests after = before;
    after["/ca.pem"] = 2;
    const auto changed = changed_files(files, before, after);
    ASSERT_EQ(changed.size(), 1U);
    EXPECT_EQ(changed[0].path, "outductsConfig[0].ca");
    EXPECT_TRUE(changed_files(files, {}, after).empty());
}

}  // namespace
}  // namespace farlink::control::named_files_test
