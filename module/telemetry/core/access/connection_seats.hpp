// SPDX-License-Identifier: Apache-2.0
// Admission of connections to the HTTP server, whose number is limited.
// Owned by the server; one thread; connections are numbered in the order of arrival.
// One address has at most a quarter of the seats. All other machines leave an eighth to this one,
// for health checks. At a limit, the oldest connection within it that waits for its client is
// closed; if there is none, the new connection is.
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
        std::optional<std::uint64_t> leaves;  ///< close it, and call leave()
    };
    /// `waits` returns whether a connection only waits for its client. Call enter() if admitted.
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
