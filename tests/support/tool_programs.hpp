// SPDX-License-Identifier: Apache-2.0
// The tools as programs under test: a sink that prints its port, a generator, a ping.
// Owned by one test; one thread.
// Everything runs on the loopback address, on ports that the system chooses.
#pragma once

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/build_folders.hpp"
#include "tests/support/child_process.hpp"

namespace farlink::test {

inline std::string program(const std::string &name) {
    return std::string(FARLINK_BIN_DIR) + "/" + name;
}

/// `options` is appended behind the port: "?tls=required&ca=...".
inline std::string loopback_url(const std::string &scheme, std::uint16_t port,
                                const std::string &options = {}) {
    return scheme + "://127.0.0.1:" + std::to_string(port) + options;
}

inline std::vector<std::string> joined(std::vector<std::string> a,
                                       const std::vector<std::string> &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

class SinkProgram : public ChildProcess {
public:
    SinkProgram(const std::string &url, const std::vector<std::string> &more)
        : ChildProcess(
              joined({program("bpsink"), "--eid", "ipn:2.1", "--listen", url, "--json"}, more)) {
        const std::string greeting = line(kErr);
        const std::size_t colon = greeting.rfind(':');
        if (!greeting.starts_with("listening on"))
            ADD_FAILURE() << greeting << unread(kErr);
        else
            port_ = static_cast<std::uint16_t>(std::stoi(greeting.substr(colon + 1)));
    }
    [[nodiscard]] std::uint16_t port() const { return port_; }
    nlohmann::json report() { return nlohmann::json::parse(line(kOut), nullptr, false); }

private:
    std::uint16_t port_ = 0;
};

class GeneratorProgram : public ChildProcess {
public:
    GeneratorProgram(const std::string &url, const std::vector<std::string> &more)
        : ChildProcess(joined(
              {program("bpgen"), "--from", "ipn:1.1", "--to", "ipn:2.1", "--via", url, "--json"},
              more)) {}
    nlohmann::json report() { return nlohmann::json::parse(line(kOut), nullptr, false); }
};

}  // namespace farlink::test
