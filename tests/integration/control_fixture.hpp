// SPDX-License-Identifier: Apache-2.0
// A node with two links and a control socket, for requests of farlinkctl or a hand-made client.
// Made by a test; its thread only.
// Every wait has the time limit of a client.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/support/node_program.hpp"

namespace farlink::test {

using Json = nlohmann::json;

inline Json contact(int number, int source, int dest, const Json &start, const Json &end,
                    int rate = 1'000'000) {
    return {{"contact", number}, {"source", source},       {"dest", dest}, {"startTime", start},
            {"endTime", end},    {"rateBitsPerSec", rate}, {"owlt", 0}};
}

class Control : public testing::Test {
protected:
    /// Nodes 20 and 30 are sinks; a file is the configured plan.
    void begin(const Json &contacts, bool with_plan = true) {
        if (with_plan) folder_.write("plan.json", Json{{"contacts", contacts}}.dump());
        with_plan_ = with_plan;
        start();
    }
    void start() {
        Json config = settings_;
        config.update(
            Json{{"myNodeId", 10},
                 {"controlSocket", "control"},
                 {"storageConfig", {{"storeFilePath", "store"}}},
                 {"inductsConfig", {{{"url", "stcp://127.0.0.1:0"}}}},
                 {"outductsConfig",
                  {{{"url", loopback_url("stcp", one_.port())}, {"nextHopNodeId", 20}},
                   {{"url", loopback_url("stcp", two_.port())}, {"nextHopNodeId", 30}}}}});
        if (with_plan_) config["contactPlanFile"] = "plan.json";
        node_ = std::make_unique<NodeProgram>(folder_, config);
    }
    void restart() {
        node_->stop();
        start();
    }
    /// The node's reply in farlinkctl's JSON output; its exit code is in code_.
    Json ask(std::vector<std::string> words) {
        words.insert(words.begin(), program("farlinkctl"));
        words.insert(words.end(), {"--config", folder_ / "node.json", "--json"});
        ChildProcess child(std::move(words));
        code_ = child.wait();
        return Json::parse(child.unread(ChildProcess::kOut), nullptr, false);
    }
    /// Its output as text.
    std::string published(std::vector<std::string> words) {
        words.insert(words.begin(), program("farlinkctl"));
        words.insert(words.end(), {"--config", folder_ / "node.json"});
        ChildProcess child(std::move(words));
        code_ = child.wait();
        return child.unread(ChildProcess::kOut) + child.unread(ChildProcess::kErr);
    }
    Json link(int number) {
        for (const Json &each : ask({"status"}).value("links", Json::array()))
            if (each["link"] == number) return each;
        ADD_FAILURE() << "no link " << number;
        return {};
    }
    /// Repeats the request until the link is up, or is not.
    [[nodiscard]] bool becomes(int number, bool up) {
        for (int i = 0; i < 500; ++i)
            if (link(number)["up"] == up) return true;
        return false;
    }
    std::string written(const std::string &name, const Json &contacts) {
        folder_.write(name, Json{{"contacts", contacts}}.dump());
        return folder_ / name;
    }

    TempFolder folder_;
    SinkProgram one_{"stcp://127.0.0.1:0", {}};
    SinkProgram two_{"stcp://127.0.0.1:0", {}};
    std::unique_ptr<NodeProgram> node_;
    bool with_plan_ = true;
    Json settings_ = Json::object();  ///< more of the configuration
    int code_ = 0;
};

inline constexpr int kFirst = 1;   ///< the link to node 20, behind the induct
inline constexpr int kSecond = 2;  ///< the link to node 30

/// A hand-made client, for requests that farlinkctl never sends.
class RawClient {
public:
    explicit RawClient(const std::string &path) : fd_(::socket(AF_UNIX, SOCK_STREAM, 0)) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        path.copy(address.sun_path, sizeof address.sun_path - 1);
        EXPECT_EQ(::connect(fd_, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
    }
    RawClient(const RawClient &) = delete;
    RawClient &operator=(const RawClient &) = delete;
    ~RawClient() { ::close(fd_); }
    /// False when the node accepts no more octets.
    [[nodiscard]] bool say(std::string_view text) {
        while (!text.empty()) {
            const ssize_t sent = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent <= 0) return false;
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }
    /// A line, or the octets before the end of the stream.
    std::string line() {
        std::string text;
        for (char c = 0;
             text.size() < 100'000 && wait() && ::recv(fd_, &c, 1, 0) == 1 && c != '\n';)
            text += c;
        return text;
    }

private:
    [[nodiscard]] bool wait() const {
        pollfd polled{fd_, POLLIN, 0};
        return ::poll(&polled, 1, 20'000) == 1;
    }
    int fd_;
};

}  // namespace farlink::test
