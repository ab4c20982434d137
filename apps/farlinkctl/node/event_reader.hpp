// SPDX-License-Identifier: Apache-2.0
// Reads the events of a running node one after the other, each once.
// Owned by one command; one thread.
// It asks for nothing itself: it says what to ask, and takes the answer.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace farlink::ctl {

/// Remembers which event was seen last.
class EventReader {
public:
    /// What to ask for next: the last event that was seen, too, by which another node, or the same
    /// one started anew, is known.
    [[nodiscard]] std::string next_path() const;
    /// Of the answer, the events that are new. When the numbers began anew there are none, and the
    /// next path asks for all.
    [[nodiscard]] std::vector<nlohmann::ordered_json> take(const nlohmann::ordered_json &reply);

private:
    std::uint64_t last_ = 0;
    std::string last_time_;
};

}  // namespace farlink::ctl
