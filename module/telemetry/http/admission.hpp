// SPDX-License-Identifier: Apache-2.0
// Who is served: by Host and Origin, by how often they come, and by their tokens.
// Owned by the server; its thread only.
// Who guesses tokens is slowed down, and who comes too often is told when to come again.
#pragma once

#include <optional>
#include <string>

#include "module/telemetry/api/access.hpp"
#include "module/telemetry/core/rate_limit.hpp"
#include "module/telemetry/http/host.hpp"
#include "module/telemetry/http/token_store.hpp"

namespace farlink::telemetry {

class Admission {
public:
    explicit Admission(const config::ApiConfig &config)
        : access_(config), tokens_(config.tokens_file) {}

    [[nodiscard]] std::string open() { return tokens_.open(); }
    /// Sets the call's role and caller; the answer to somebody who is not served.
    [[nodiscard]] std::optional<Answer> admit(Call &call, const Credentials &credentials,
                                              TimePoint now);
    [[nodiscard]] const Access &access() const { return access_; }

private:
    Access access_;
    TokenStore tokens_;
    RateLimit by_address_{milliseconds(5), 1000};  ///< 200 a second
    RateLimit by_token_{milliseconds(5), 1000};
    RateLimit failures_{seconds(2), 10};  ///< by address and the token's first characters
};

}  // namespace farlink::telemetry
