// SPDX-License-Identifier: Apache-2.0
// Admission of requests: by Host and Origin, rate limits and tokens.
// Owned by the server; its thread only.
// Failed tokens have a rate limit of their own; a limited client gets Retry-After.
#pragma once

#include <optional>
#include <string>

#include "module/telemetry/api/access.hpp"
#include "module/telemetry/core/access/rate_limit.hpp"
#include "module/telemetry/http/host.hpp"
#include "module/telemetry/http/token_store.hpp"

namespace farlink::telemetry {

class Admission {
public:
    explicit Admission(const config::ApiConfig &config)
        : access_(config), tokens_(config.tokens_file) {}

    [[nodiscard]] std::string open() { return tokens_.open(); }
    /// Other tokens and host names.
    void set_settings(const config::ApiConfig &config) {
        access_ = Access(config);
        tokens_.set_file(config.tokens_file);
    }
    /// Sets the call's role and caller; returns an answer when the request is refused.
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
