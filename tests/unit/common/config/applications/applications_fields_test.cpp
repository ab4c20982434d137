// SPDX-License-Identifier: Apache-2.0
#include "common/config/applications/applications_fields.hpp"

#include <gtest/gtest.h>

namespace farlink::config::applications_fields_test {
namespace {

ApplicationsConfig usable() {
    ApplicationsConfig applications;
    applications.socket = "app.sock";
    applications.first_dynamic_service = 1;
    applications.last_dynamic_service = 5000;
    return applications;
}

/// Of the errors, on node 10.
std::vector<std::string> paths(const ApplicationsConfig &applications) {
    std::vector<ConfigError> errors;
    check_applications(applications, NodeNumber{10}, 2047, errors);
    std::vector<std::string> found;
    for (const ConfigError &error : errors) found.push_back(error.path);
    return found;
}

using Paths = std::vector<std::string>;

TEST(ApplicationsFields, EndpointsAreThoseOfTheNode) {
    for (const char *endpoint : {"42", "ipn:10.42", "ipn:!.42", "dtn://ten/a"}) {
        ApplicationsConfig applications = usable();
        applications.endpoints.push_back({endpoint});
        EXPECT_EQ(paths(applications), Paths{}) << endpoint;
    }
    for (const char *endpoint : {"ipn:11.42", "0", "2047", "2046", "dtn:none", "word"}) {
        ApplicationsConfig applications = usable();
        applications.endpoints.push_back({endpoint});
        EXPECT_EQ(paths(applications), Paths{"applications.endpoints[0].endpoint"}) << endpoint;
    }
}

TEST(ApplicationsFields, AnEntryOfTheTableIsAboutOneSubject) {
    ApplicationsConfig applications = usable();
    AccessConfig access;
    applications.access.push_back(access);
    access.user = "u";
    applications.access.push_back(access);
    access.group = "g";
    applications.access.push_back(access);
    EXPECT_EQ(paths(applications), (Paths{"applications.access[0]", "applications.access[2]"}));
    applications.access.resize(2);
    applications.access[0].loopback = true;
    applications.access[1].send_to = {"ipn:1.*", "word"};
    EXPECT_EQ(paths(applications), Paths{"applications.access[1].sendTo[1]"});
}

TEST(ApplicationsFields, ListensOnLoopbackOnly) {
    ApplicationsConfig applications = usable();
    for (const char *listen : {"", "127.0.0.1:0", "[::1]:4242"}) {
        applications.listen = listen;
        EXPECT_EQ(paths(applications), Paths{}) << listen;
    }
    applications.listen = "0.0.0.0:4242";
    EXPECT_EQ(paths(applications), Paths{"applications.listen"});
}

TEST(ApplicationsFields, ASocketHasAModeAndAShortPath) {
    ApplicationsConfig applications = usable();
    applications.socket_mode = "999";
    EXPECT_EQ(paths(applications), Paths{"applications.socketMode"});
    applications = usable();
    applications.socket = std::string(108, 's');
    EXPECT_EQ(paths(applications), Paths{"applications.socket"});
}

TEST(ApplicationsFields, TheDynamicRangeHasAnOrder) {
    ApplicationsConfig applications = usable();
    applications.last_dynamic_service = 0;
    EXPECT_EQ(paths(applications), Paths{"applications.lastDynamicService"});
}

TEST(ApplicationsFields, ModesAreOctal) {
    EXPECT_EQ(parse_mode("0660"), 0660U);
    EXPECT_EQ(parse_mode("777"), 0777U);
    for (const char *wrong : {"", "66", "1660", "0680", "rw"}) EXPECT_FALSE(parse_mode(wrong));
}

}  // namespace
}  // namespace farlink::config::applications_fields_test
