// SPDX-License-Identifier: Apache-2.0
// The tokens in force: those of the file, which is read again when it has changed.
// Owned by the server; its thread only.
// A file that others may read is not heeded, nor a damaged one: nobody is let in then.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.hpp"
#include "common/runtime/log/log.hpp"
#include "module/telemetry/api/token_table.hpp"

namespace farlink::telemetry {

class TokenStore {
public:
    /// An empty path: there are no tokens.
    explicit TokenStore(std::string path) : path_(std::move(path)) {}

    /// What is wrong with the file, or nothing.
    [[nodiscard]] std::string open();
    /// Whose token it is; nothing: nobody's.
    [[nodiscard]] std::optional<TokenEntry> find(std::string_view token, TimePoint now);

private:
    struct Stamp {
        ino_t file = 0;
        off_t size = 0;
        timespec changed{};
    };
    [[nodiscard]] std::string load();
    void look_again(TimePoint now);

    std::string path_;
    std::vector<TokenEntry> tokens_;
    Stamp stamp_;
    TimePoint looked_{};
    Logger log_{"api"};
    std::string published_;  ///< what was wrong with the file when that was logged
};

}  // namespace farlink::telemetry
