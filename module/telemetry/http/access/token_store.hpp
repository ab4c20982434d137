// SPDX-License-Identifier: Apache-2.0
// The tokens of the file, which is read again when it changes.
// Owned by the server; its thread only.
// With a file that others may read, or a damaged one, all tokens are refused.
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
    /// With an empty path there are no tokens.
    explicit TokenStore(std::string path) : path_(std::move(path)) {}

    /// Reads the file; returns an error, or an empty text.
    [[nodiscard]] std::string open();
    /// Another file, or the same one. It is read at the next request.
    void set_file(std::string path);
    /// A digest of all entries; empty without OpenSSL.
    [[nodiscard]] std::string secret() const;
    /// The entry of the token; nothing when it is not valid.
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
    std::string published_;  ///< the error of the file that was logged last
};

}  // namespace farlink::telemetry
