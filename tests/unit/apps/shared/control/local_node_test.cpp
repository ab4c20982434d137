// SPDX-License-Identifier: Apache-2.0
// Which node a command means that does not say which: processes are folders of the test's own.
#include "apps/shared/control/local_node.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "common/runtime/file_descriptor.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::ctl::local_node_test {
namespace {

namespace fs = std::filesystem;

class LocalNode : public testing::Test {
protected:
    void add_process(const std::string &number, const std::string &words) {
        const fs::path process = folder_.path() / "proc" / number;
        const fs::path work = folder_.path() / ("work" + number);
        fs::create_directories(process);
        fs::create_directories(work);
        std::string line = words;
        std::ranges::replace(line, ' ', '\0');
        std::ofstream(process / "cmdline", std::ios::binary) << line << '\0';
        fs::create_directory_symlink(work, process / "cwd");
        std::ofstream(work / "node.json") << R"({"myNodeId": 10, "controlSocket": "node.sock",
            "inductsConfig": [{"url": "stcp://127.0.0.1:0"}]})";
        std::ofstream(work / "deaf.json")
            << R"({"myNodeId": 10, "inductsConfig": [{"url": "stcp://127.0.0.1:0"}]})";
    }
    [[nodiscard]] std::string socket_of_work(const std::string &number) const {
        return (folder_.path() / ("work" + number) / "node.sock").string();
    }
    [[nodiscard]] Result<LocalChoice, std::string> found() const {
        return local_socket(usual_, folder_.path() / "proc");
    }
    /// A process listens at the usual socket, or has ended without removing it.
    void bind_usual(bool listens) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        ASSERT_LT(usual_.size(), sizeof address.sun_path);
        usual_.copy(address.sun_path, usual_.size());
        descriptor_ = FileDescriptor(::socket(AF_UNIX, SOCK_STREAM, 0));
        const auto *target = reinterpret_cast<const sockaddr *>(&address);
        ASSERT_EQ(::bind(descriptor_.get(), target, sizeof address), 0);
        ASSERT_EQ(listens ? ::listen(descriptor_.get(), 1) : 0, 0);
    }

    test::TempFolder folder_;
    std::string usual_ = folder_ / "usual.sock";
    FileDescriptor descriptor_;
};

TEST_F(LocalNode, TheOnlyOneThatRuns) {
    EXPECT_FALSE(found().has_value());
    add_process("self", "farlink --config node.json");
    add_process("11", "/usr/bin/bpsink --config node.json");
    add_process("12", "/usr/bin/farlink --config deaf.json");
    add_process("13", "farlink");
    add_process("14", "farlink --config missing.json");
    ASSERT_FALSE(found().has_value());
    EXPECT_NE(found().error().find("no running node"), std::string::npos);
    add_process("15", "/usr/bin/farlink --log-level info --config node.json");
    ASSERT_TRUE(found().has_value()) << found().error();
    EXPECT_EQ(found()->socket, socket_of_work("15"));
}

TEST_F(LocalNode, ProcessesOfOneNodeAreOne) {
    const std::string config = (folder_.path() / "work15" / "node.json").string();
    add_process("15", "farlink --config=node.json --isolate");
    add_process("16", "farlink --config " + config + " --modules ingress");
    ASSERT_TRUE(found().has_value()) << found().error();
    EXPECT_EQ(found()->socket, socket_of_work("15"));
}

TEST_F(LocalNode, OfSeveralTheCommandMustSayWhich) {
    add_process("15", "farlink --config node.json");
    add_process("16", "farlink --config node.json");
    ASSERT_FALSE(found().has_value());
    EXPECT_NE(found().error().find("--socket " + socket_of_work("15")), std::string::npos);
    EXPECT_NE(found().error().find("--socket " + socket_of_work("16")), std::string::npos);
}

TEST_F(LocalNode, TheUsualPlaceComesFirst) {
    add_process("15", "farlink --config node.json");
    bind_usual(true);
    ASSERT_TRUE(found().has_value());
    EXPECT_EQ(found()->socket, usual_);
    EXPECT_EQ(found()->note, "using the node at " + usual_ + "; this user also runs the node at " +
                                 socket_of_work("15") + ": select it by --socket " +
                                 socket_of_work("15"));
    add_process("16", "farlink --config node.json");
    ASSERT_TRUE(found().has_value());
    EXPECT_EQ(found()->note, "using the node at " + usual_ +
                                 "; this user also runs other nodes; select one of them by:"
                                 "\n  --socket " +
                                 socket_of_work("15") + "\n  --socket " + socket_of_work("16"));
}

TEST_F(LocalNode, AListOfManyIsCut) {
    std::vector<std::string> sockets;
    for (int at = 0; at < 20; ++at) sockets.push_back("s" + std::to_string(at));
    const std::string text = choices_text(sockets, "--node");
    EXPECT_NE(text.find("\n  --node s15\n  and 4 more"), std::string::npos) << text;
    EXPECT_EQ(text.find("s16"), std::string::npos) << text;
    sockets.resize(16);
    EXPECT_TRUE(choices_text(sockets, "--node").ends_with("\n  --node s15"));
}

TEST_F(LocalNode, WhatNobodyAnswersAtHidesNoNode) {
    bind_usual(false);
    ASSERT_TRUE(found().has_value());
    EXPECT_EQ(found()->socket, usual_) << "the error names it";
    EXPECT_EQ(found()->note, "");
    add_process("15", "farlink --config node.json");
    ASSERT_TRUE(found().has_value()) << found().error();
    EXPECT_EQ(found()->socket, socket_of_work("15"));
    EXPECT_EQ(found()->note, "no answer at " + usual_ +
                                 " (Connection refused); using the node of this user at " +
                                 socket_of_work("15"));
    add_process("16", "farlink --config node.json");
    EXPECT_FALSE(found().has_value()) << "two of this user";
}

TEST_F(LocalNode, TheSocketOfAnotherUserHidesNoNode) {
    if (::geteuid() == 0) GTEST_SKIP() << "root may connect to each socket";
    bind_usual(true);
    ASSERT_EQ(::chmod(usual_.c_str(), 0), 0);
    add_process("15", "farlink --config node.json");
    ASSERT_TRUE(found().has_value()) << found().error();
    EXPECT_EQ(found()->socket, socket_of_work("15"));
}

TEST_F(LocalNode, TheInstalledNodeOfThisUserIsOneNode) {
    bind_usual(true);
    add_process("15", "farlink --config node.json");
    fs::create_directories(fs::path(socket_of_work("15")).parent_path());
    fs::create_symlink(usual_, socket_of_work("15"));
    ASSERT_TRUE(found().has_value());
    EXPECT_EQ(found()->note, "");
}

}  // namespace
}  // namespace farlink::ctl::local_node_test
