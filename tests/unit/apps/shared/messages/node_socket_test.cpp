// SPDX-License-Identifier: Apache-2.0
// Which socket is meant where none is given: processes are folders of the test's own.
#include "apps/shared/messages/node_socket.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "common/runtime/file_descriptor.hpp"
#include "tests/support/reserved_port.hpp"
#include "tests/support/tcp_peer.hpp"
#include "tests/support/temp_folder.hpp"

namespace farlink::messages::node_socket_test {
namespace {

namespace fs = std::filesystem;

class NodeSocket : public testing::Test {
protected:
    /// A node with this section of applications.
    void add_process(const std::string &number, const std::string &section) {
        const fs::path process = folder_.path() / "proc" / number;
        const fs::path work = folder_.path() / ("work" + number);
        fs::create_directories(process);
        fs::create_directories(work);
        std::string line = "farlink --config node.json";
        std::ranges::replace(line, ' ', '\0');
        std::ofstream(process / "cmdline", std::ios::binary) << line << '\0';
        fs::create_directory_symlink(work, process / "cwd");
        std::ofstream(work / "node.json")
            << R"({"myNodeId": 10, "inductsConfig": [{"url": "stcp://127.0.0.1:0"}])" << section
            << '}';
    }
    [[nodiscard]] Places places() const {
        return {.environment = environment_,
                .usual = folder_ / "usual.sock",
                .processes = folder_.path() / "proc"};
    }
    [[nodiscard]] FileDescriptor listen(const std::string &path) const {
        sockaddr_un at{};
        at.sun_family = AF_UNIX;
        std::memcpy(at.sun_path, path.c_str(), path.size() + 1);
        FileDescriptor made(::socket(AF_UNIX, SOCK_STREAM, 0));
        const auto *address = reinterpret_cast<const sockaddr *>(&at);
        EXPECT_EQ(::bind(made.get(), address, sizeof at), 0);
        EXPECT_EQ(::listen(made.get(), 1), 0);
        return made;
    }

    test::TempFolder folder_;
    std::string environment_;
};

constexpr const char *kSection = R"(, "applications": {"socket": "app.sock"})";

TEST_F(NodeSocket, WhatIsGivenComesFirst) {
    EXPECT_EQ(node_socket("given", places()), "given");
    environment_ = "/chosen";
    EXPECT_EQ(node_socket("given", places()), "given");
    EXPECT_EQ(node_socket("", places()), "/chosen");
}

TEST_F(NodeSocket, TheInstalledNodeOrTheOnlyOneOfTheUser) {
    EXPECT_NE(node_socket("", places()).error().why.find("no running node"), std::string::npos);
    EXPECT_TRUE(node_socket("", places()).error().later);
    add_process("11", "");
    EXPECT_FALSE(node_socket("", places()).has_value());
    add_process("12", kSection);
    EXPECT_EQ(node_socket("", places()), (folder_.path() / "work12/app.sock").string());
    const FileDescriptor usual = listen(folder_ / "usual.sock");
    EXPECT_EQ(node_socket("", places()), folder_ / "usual.sock");
}

TEST_F(NodeSocket, WhatNobodyAnswersAtHidesNoNode) {
    {
        const FileDescriptor gone = listen(folder_ / "usual.sock");
    }
    std::string note;
    EXPECT_EQ(node_socket("", places(), &note), folder_ / "usual.sock") << "the error names it";
    add_process("12", kSection);
    EXPECT_EQ(node_socket("", places(), &note), (folder_.path() / "work12/app.sock").string());
    EXPECT_NE(note.find("no answer at " + (folder_ / "usual.sock")), std::string::npos) << note;
}

TEST_F(NodeSocket, SeveralNodesAreListed) {
    add_process("11", kSection);
    add_process("12", kSection);
    const auto found = node_socket("", places());
    ASSERT_FALSE(found.has_value());
    EXPECT_FALSE(found.error().later);
    for (const char *work : {"work11", "work12"})
        EXPECT_NE(found.error().why.find(std::string(work) + "/app.sock"), std::string::npos);
}

constexpr std::chrono::milliseconds kSoon{1000};

void expect_no_node(const std::string &address, const std::string &part, bool later) {
    const auto tried = try_socket(address, kSoon);
    ASSERT_FALSE(tried.has_value());
    EXPECT_NE(tried.error().why.find(part), std::string::npos) << tried.error().why;
    EXPECT_EQ(tried.error().later, later);
}

TEST_F(NodeSocket, TryingNamesTheReason) {
    expect_no_node(folder_ / "absent", "no such socket", true);
    const std::string path = folder_ / "app.sock";
    {
        const FileDescriptor listening = listen(path);
        EXPECT_EQ(try_socket(path, kSoon), path);
        EXPECT_EQ(try_socket("unix:" + path, kSoon), "unix:" + path);
    }
    expect_no_node(path, "connection refused", true);
    expect_no_node(std::string(200, 'x'), "107", false);
    expect_no_node("tcp://nonsense", "not an address", false);
}

TEST_F(NodeSocket, ATcpAddressIsTriedToo) {
    const test::ReservedPort port;
    const std::string address = "tcp://127.0.0.1:" + std::to_string(port.number());
    expect_no_node(address, "connection refused", true);
    const test::TcpListener listening(port.number());
    EXPECT_EQ(try_socket(address, kSoon), address);
}

}  // namespace
}  // namespace farlink::messages::node_socket_test
