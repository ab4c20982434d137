// SPDX-License-Identifier: Apache-2.0
// Reads the events of a running node one after the other, each once.
// Owned by one command; one thread.
// It sends no requests: it gives the next path and takes the reply.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace farlink::ctl {

/// Keeps the number of the last event.
class EventReader {
public:
    /// The path of the next request. It includes the last event again, by which a restarted node is
    /// detected.
    [[nodiscard]] std::string next_path() const;
    /// The new events of a reply. After a restart of the node it returns none, and the next path
    /// requests all.
    [[nodiscard]] std::vector<nlohmann::ordered_json> take(const nlohmann::ordered_json &reply);

private:
    std::uint64_t last_ = 0;
    std::string last_time_;
};

}  // namespace farlink::ctl
