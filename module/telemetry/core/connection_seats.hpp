// SPDX-License-Identifier: Apache-2.0
// Who may have one of the connections that the HTTP server can hold, and who gives way when there
// are none. Owned by the server; one thread; connections have numbers, in the order in which they
// came. One address must not shut out everybody else: it has a quarter of the seats, and all
// addresses of other machines leave an eighth to this one, for those who ask whether the node
// lives. At a limit the oldest connection within it that waits for its client gives way, and
// otherwise the newcomer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace farlink::telemetry {

class ConnectionSeats {
public:
    explicit ConnectionSeats(std::size_t most) : most_(most) {}

    struct Answer {
        bool admitted = false;
        std::optional<std::uint64_t> leaves;  ///< close it, and tell leave()
    };
    /// `waits`: whether a connection only waits for its client. Follow with enter() if admitted.
    [[nodiscard]] Answer ask(const std::string &address,
                             const std::function<bool(std::uint64_t)> &waits) const;
    void enter(std::uint64_t connection, const std::string &address);
    void leave(std::uint64_t connection);
    [[nodiscard]] std::size_t size() const { return seats_.size(); }

private:
    std::size_t most_;
    std::map<std::uint64_t, std::string> seats_;  ///< addresses
};

}  // namespace farlink::telemetry
