// SPDX-License-Identifier: Apache-2.0
// `farlink --check` and a start: both refuse the same sockets, folders and states, in the same
// words.
#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/support/node_program.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::test::check_test {
namespace {

using Json = nlohmann::json;

constexpr int kBadConfiguration = 2;

class Check : public testing::Test {
protected:
    [[nodiscard]] static Json config_with(const Json &settings) {
        Json config{{"myNodeId", 10},
                    {"stateFolder", "state"},
                    {"storageConfig", {{"storeFilePath", "store"}}},
                    {"inductsConfig", Json::array({{{"url", "stcp://127.0.0.1:0"}}})}};
        config.update(settings);
        return config;
    }
    [[nodiscard]] std::vector<std::string> words(const Json &config,
                                                 const std::vector<std::string> &more) {
        folder_.write("node.json", config.dump());
        return joined({program("farlink"), "--config", folder_ / "node.json"}, more);
    }
    void expect_refusal(const Json &settings, const std::string &reason,
                        const std::vector<std::string> &more = {}) {
        for (const bool check : {true, false}) {
            ChildProcess node(words(config_with(settings),
                                    joined(more, check ? std::vector<std::string>{"--check"}
                                                       : std::vector<std::string>{})));
            EXPECT_NE(node.wait(), 0) << reason;
            const std::string &said = node.unread(ChildProcess::kErr);
            EXPECT_NE(said.find(reason), std::string::npos) << said;
        }
    }
    [[nodiscard]] std::string in_folder(const char *name) const { return folder_ / name; }

    TempFolder folder_;
};

TEST_F(Check, SocketsNeedAFolder) {
    expect_refusal({{"controlSocket", "none/control"}},
                   "controlSocket: " + in_folder("none/control") + ": the folder does not exist");
    expect_refusal({{"controlSocket", "node.json/control"}},
                   "controlSocket: " + in_folder("node.json/control") +
                       ": no socket can be made in the folder: ");
    expect_refusal({{"applications", {{"socket", "none/app"}}}},
                   "applications.socket: " + in_folder("none/app") + ": the folder does not exist");
    Json bus;
    for (const char *module :
         {"ingress", "egress", "storage", "scheduler", "router", "telemetry", "supervisor"})
        bus[module] = "ipc://" + in_folder("none/") + module;
    expect_refusal({{"bus", bus}},
                   "cannot listen on ipc://" + in_folder("none/router") +
                       " for router: " + in_folder("none/router") + ": the folder does not exist",
                   {"--modules", "router"});
}

TEST_F(Check, TheGroupOfASocketMustExist) {
    expect_refusal({{"applications", {{"socket", "app"}, {"socketGroup", "nobody has this"}}}},
                   "applications.socketGroup: no such group: nobody has this");
}

TEST_F(Check, TheStateMustBeThatOfTheNode) {
    std::filesystem::create_directory(folder_ / "state");
    folder_.write("state/contact-plan.json", R"({"node": 77, "version": 1, "configuredPlan": ""})");
    expect_refusal({{"controlSocket", "control"}},
                   in_folder("state") + ": stateFolder belongs to node 77; expected node 10");
}

TEST_F(Check, TheBundleHistoryMustBeThatOfTheNode) {
    const auto settings = [](int node) {
        return Json{{"myNodeId", node}, {"controlSocket", "control"}};
    };
    NodeProgram node(folder_, config_with(settings(11)), "other.json");
    node.stop();
    std::filesystem::remove_all(folder_ / "store");
    expect_refusal(settings(10),
                   "storage.fring: the bundle history belongs to node 11; expected node 10");
    ChildProcess check(words(config_with(settings(11)), {"--check"}));
    EXPECT_EQ(check.wait(), 0) << check.unread(ChildProcess::kErr);
}

TEST_F(Check, TheUserMustBeAMemberOfTheGroupOfASocket) {
    if (::geteuid() == 0) GTEST_SKIP() << "may set any group";
    expect_refusal({{"applications", {{"socket", "app"}, {"socketGroup", "0"}}}},
                   "applications.socketGroup: the user of the node is not a member of the group 0");
}

// The start makes these folders before the sockets in them.
TEST_F(Check, SocketsMayBeInFoldersThatTheStartMakes) {
    const Json config = config_with({{"stateFolder", "new/state"},
                                     {"controlSocket", "new/control"},
                                     {"applications", {{"socket", "new/state/app"}}}});
    ChildProcess check(words(config, {"--check"}));
    EXPECT_EQ(check.wait(), 0) << check.unread(ChildProcess::kErr);
    EXPECT_FALSE(std::filesystem::exists(folder_ / "new"));
    NodeProgram node(folder_, config, "node.json");
    node.stop();
}

// What the start would find by itself: the addresses may be those of another machine.
TEST_F(Check, AddressesAtWhichTheNodeCannotListenAreWarnings) {
    const auto check_of = [this](const Json &settings) {
        ChildProcess check(words(config_with(settings), {"--check"}));
        EXPECT_EQ(check.wait(), 0) << check.unread(ChildProcess::kErr);
        return check.unread(ChildProcess::kOut);
    };
    const auto induct = [](const char *url) {
        return Json{{"inductsConfig", Json::array({{{"url", url}}})}};
    };
    for (const char *url : {"tcpclv4://192.0.2.1:4556", "udp://192.0.2.1:4556"}) {
        const std::string said = check_of(induct(url));
        EXPECT_NE(said.find("warning: inductsConfig[0].url: cannot listen on " + std::string(url) +
                            ": Cannot assign requested address"),
                  std::string::npos)
            << said;
    }
    // A label that is too long: the resolver refuses it without a request to a server.
    const std::string nobody = "stcp://" + std::string(64, 'x') + ".invalid:4556";
    std::string said = check_of(induct(nobody.c_str()));
    EXPECT_NE(said.find("cannot listen on " + nobody + ": "), std::string::npos) << said;
    NodeProgram node(folder_, config_with({{"stateFolder", "other"}}), "other.json");
    said = check_of(induct(loopback_url("stcp", node.port()).c_str()));
    EXPECT_EQ(said.find("cannot listen"), std::string::npos)
        << "the port of a running node: " << said;
    node.stop();
    said = check_of({{"controlSocket", "control"}, {"history", {{"bundlesFolder", "node.json"}}}});
    EXPECT_NE(said.find("warning: history.bundlesFolder: "), std::string::npos) << said;
}

// It depends on the machine which of the two `localhost` is.
TEST_F(Check, TwoNamesOfOneAddressAreAWarning) {
    std::string said;
    for (const char *other : {"mtcp://127.0.0.1:4556", "mtcp://[::1]:4556"}) {
        const Json inducts = Json::array({{{"url", "stcp://localhost:4556"}}, {{"url", other}}});
        ChildProcess check(words(config_with({{"inductsConfig", inducts}}), {"--check"}));
        EXPECT_EQ(check.wait(), 0) << check.unread(ChildProcess::kErr);
        said += check.unread(ChildProcess::kOut);
    }
    const std::string warning = " is the address of inductsConfig[0].url; on this machine";
    const std::size_t found = said.find(warning);
    ASSERT_NE(found, std::string::npos) << said;
    EXPECT_EQ(said.find(warning, found + 1), std::string::npos) << said;
}

// The file may be checked before systemd has made the folder.
TEST_F(Check, AMissingFolderOfAServiceIsAWarning) {
    ChildProcess check(
        words(config_with({{"controlSocket", "/run/farlink-of-no-service/control"}}), {"--check"}));
    EXPECT_EQ(check.wait(), 0) << check.unread(ChildProcess::kErr);
    EXPECT_NE(check.unread(ChildProcess::kOut)
                  .find("warning: controlSocket: /run/farlink-of-no-service/control: the folder "
                        "does not exist"),
              std::string::npos);
}

}  // namespace
}  // namespace farlink::test::check_test
