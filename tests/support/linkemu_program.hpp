// SPDX-License-Identifier: Apache-2.0
// linkemu as a program under test: its ports, and at its end the counts of datagrams.
// Owned by one test; one thread.
// Each program emulates one link.
#pragma once

#include <cstdlib>

#include "tests/support/tool_programs.hpp"

namespace farlink::test {

/// Whether the tests over emulated links run in full or in a short form.
inline bool whole_matrix() {
    const char *const wanted = std::getenv("FARLINK_MATRIX");
    return wanted != nullptr && std::string(wanted) == "all";
}

class LinkemuProgram : public ChildProcess {
public:
    explicit LinkemuProgram(const std::vector<std::string> &words)
        : ChildProcess(joined({program("linkemu"), "--json"}, words)) {
        const auto ready = nlohmann::json::parse(line(kOut), nullptr, false);
        if (ready.is_object())
            ports_ = ready["ports"].get<std::vector<std::uint16_t>>();
        else
            ADD_FAILURE() << "linkemu did not start: " << line(kErr);
    }
    /// The address that the near end sends to, and the source address of datagrams at the far end.
    [[nodiscard]] std::uint16_t port(std::size_t index = 0) const { return ports_.at(index); }
    /// Ends it.
    nlohmann::json summary() {
        signal(SIGTERM);
        auto published = nlohmann::json::parse(line(kOut), nullptr, false);
        EXPECT_EQ(wait(), 0) << unread(kErr);
        return published;
    }

private:
    std::vector<std::uint16_t> ports_;
};

/// A link for datagrams to a port on the loopback address.
inline std::vector<std::string> udp_link(std::uint16_t to,
                                         const std::vector<std::string> &profile) {
    return joined(profile,
                  {"udp", "--listen", "127.0.0.1:0", "--to", "127.0.0.1:" + std::to_string(to)});
}

}  // namespace farlink::test
