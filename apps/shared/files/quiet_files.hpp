// SPDX-License-Identifier: Apache-2.0
// Files that others write: which ones have not changed for a while.
// Owned by bpsendfile; one thread.
// No clock: the time is an argument.
#pragma once

#include <chrono>
#include <string>
#include <unordered_map>

#include "apps/shared/files/sent_book.hpp"

namespace farlink::files {

class QuietFiles {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    explicit QuietFiles(std::chrono::milliseconds quiet) : quiet_(quiet) {}

    /// A scan has found it. True once it has been the same for the time; then it is forgotten.
    [[nodiscard]] bool is_quiet(const std::string &name, const FileVersion &version,
                                TimePoint now) {
        const auto [found, is_new] = seen_.try_emplace(name, Seen{version, now});
        Seen &seen = found->second;
        if (!is_new && seen.version != version) seen = {version, now};
        if (now - seen.since < quiet_) return false;
        seen_.erase(found);
        return true;
    }
    /// It is sent, or gone.
    void forget(const std::string &name) { seen_.erase(name); }
    [[nodiscard]] std::size_t size() const { return seen_.size(); }

private:
    struct Seen {
        FileVersion version{};
        TimePoint since{};
    };
    std::chrono::milliseconds quiet_;
    std::unordered_map<std::string, Seen> seen_;
};

}  // namespace farlink::files
