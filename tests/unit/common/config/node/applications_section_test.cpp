// SPDX-License-Identifier: Apache-2.0
#include "common/config/applications/applications_fields.hpp"

#include <gtest/gtest.h>

#include "common/config/node/load_node_config.hpp"

namespace farlink::config::applications_section_test {
namespace {

Result<NodeConfig, ConfigErrors> load(const std::string &applications) {
    return parse_node_config(R"({"myNodeId": 10, "applications": )" + applications + "}",
                             "/folder");
}

std::string error_of(const std::string &applications) {
    const auto config = load(applications);
    return config ? std::string() : config.error().to_string();
}

TEST(ApplicationsSection, ANodeWithApplicationsNeedsNoLink) {
    const auto config = load(R"({"socket": "app.sock", "endpoints": [{"endpoint": "42"}]})");
    ASSERT_TRUE(config) << config.error().to_string();
    EXPECT_TRUE(config->applications.wanted());
    EXPECT_EQ(config->applications.socket, "/folder/app.sock");
    EXPECT_EQ(config->applications.socket_mode, "0660");
    EXPECT_EQ(config->applications.largest_adu_bytes, 64U << 20);
    EXPECT_EQ(config->applications.max_connections, 1024U);
    EXPECT_FALSE(load("{}")) << "there is neither a link nor a socket";
}

TEST(ApplicationsSection, EndpointsAreThoseOfTheNode) {
    for (const char *endpoint : {"42", "ipn:10.42", "ipn:!.42", "dtn://ten/a"})
        EXPECT_EQ(error_of(R"({"socket": "s", "endpoints": [{"endpoint": ")" +
                           std::string(endpoint) + R"("}]})"),
                  "");
    for (const char *endpoint : {"ipn:11.42", "0", "2047", "2046", "dtn:none", "word"})
        EXPECT_NE(error_of(R"({"socket": "s", "endpoints": [{"endpoint": ")" +
                           std::string(endpoint) + R"("}]})")
                      .find("applications.endpoints[0].endpoint"),
                  std::string::npos)
            << endpoint;
}

TEST(ApplicationsSection, AnEntryOfTheTableIsAboutOneSubject) {
    EXPECT_EQ(error_of(R"({"socket": "s", "access": [{"user": "u"}, {"group": "g"}]})"), "");
    EXPECT_NE(error_of(R"({"socket": "s", "access": [{}]})").find("one of user"),
              std::string::npos);
    EXPECT_NE(error_of(R"({"socket": "s", "access": [{"user": "u", "group": "g"}]})")
                  .find("found several"),
              std::string::npos);
    EXPECT_NE(error_of(R"({"socket": "s", "access": [{"user": "u", "sendTo": ["word"]}]})")
                  .find("access[0].sendTo[0]"),
              std::string::npos);
}

TEST(ApplicationsSection, ListensOnLoopbackOnly) {
    EXPECT_EQ(error_of(R"({"listen": "127.0.0.1:0"})"), "");
    EXPECT_EQ(error_of(R"({"listen": "[::1]:4242"})"), "");
    EXPECT_NE(error_of(R"({"listen": "0.0.0.0:4242"})").find("applications.listen"),
              std::string::npos);
    EXPECT_NE(error_of(R"({"socket": "s", "socketMode": "999"})").find("socketMode"),
              std::string::npos);
    EXPECT_NE(error_of(R"({"socket": "s", "firstDynamicService": 9, "lastDynamicService": 8})")
                  .find("lastDynamicService"),
              std::string::npos);
}

TEST(ApplicationsSection, AnAddressAndAPathHaveOneListener) {
    const auto errors = [](const std::string &members) {
        const auto config = parse_node_config(
            R"({"myNodeId": 10, "inductsConfig": [{"url": "stcp://0.0.0.0:4556"},
                {"url": "udp://127.0.0.1:4600"}], )" +
            members + "}");
        return config ? std::string() : config.error().to_string();
    };
    EXPECT_EQ(errors(R"("applications": {"listen": "127.0.0.1:4600"})"), "") << "one is UDP";
    EXPECT_EQ(errors(R"("applications": {"listen": "127.0.0.1:4556"})"),
              "applications.listen: found the address of inductsConfig[0] again; expected another "
              "address\n");
    EXPECT_EQ(errors(R"("api": {"listen": "127.0.0.1:4556"})"),
              "api.listen: found the address of inductsConfig[0] again; expected another "
              "address\n");
    EXPECT_EQ(errors(R"("api": {"listen": "127.0.0.1:8080"},
                        "applications": {"listen": "127.0.0.1:8080"})"),
              "api.listen: found the address of applications.listen again; expected another "
              "address\n");
    EXPECT_EQ(errors(R"("api": {"listen": "[::1]:8080"},
                        "applications": {"listen": "[0:0::1]:8080"})"),
              "api.listen: found the address of applications.listen again; expected another "
              "address\n");
    EXPECT_EQ(errors(R"("api": {"listen": "127.0.0.1:0"},
                        "applications": {"listen": "127.0.0.1:0"})"),
              "");
    EXPECT_EQ(errors(R"("controlSocket": "s", "applications": {"socket": "./s"})"),
              "applications.socket: found the path of controlSocket again; expected another "
              "path\n");
}

}  // namespace
}  // namespace farlink::config::applications_section_test
