// SPDX-License-Identifier: Apache-2.0
// Admission of requests: by Host and Origin, rate limits and tokens.
// Owned by the server; its thread only.
// Failed tokens have a rate limit of their own, and a log line; a limited client gets Retry-After.
#pragma once

#include <optional>
#include <string>

#include "common/runtime/log/counted_events.hpp"
#include "module/telemetry/api/header_checks.hpp"
#include "module/telemetry/api/request/request.hpp"
#include "module/telemetry/core/access/rate_limit.hpp"
#include "module/telemetry/http/access/credentials.hpp"
#include "module/telemetry/http/access/token_store.hpp"

namespace farlink::telemetry {

class Admission {
public:
    explicit Admission(const config::ApiConfig &config)
        : header_checks_(config), tokens_(config.tokens_file) {}

    [[nodiscard]] std::string open() { return tokens_.open(); }
    /// As long as the tokens stay, the same text, which nobody can guess.
    [[nodiscard]] std::string secret() const { return tokens_.secret(); }
    /// Other tokens and host names.
    void set_settings(const config::ApiConfig &config) {
        header_checks_ = HeaderChecks(config);
        tokens_.set_file(config.tokens_file);
    }
    /// Sets the call's role and caller; returns an answer when the request is refused.
    [[nodiscard]] std::optional<Answer> admit(Call &call, const Credentials &credentials,
                                              TimePoint now);
    [[nodiscard]] const HeaderChecks &header_checks() const { return header_checks_; }
    void handle_second(TimePoint now) { log_wrong_tokens(now); }

private:
    void log_wrong_tokens(TimePoint now);

    HeaderChecks header_checks_;
    TokenStore tokens_;
    RateLimit by_address_{milliseconds(5), 1000};  ///< 200 a second
    RateLimit by_token_{milliseconds(5), 1000};
    RateLimit failures_{seconds(2), 10};  ///< by address and the token's first characters
    Logger log_{"api"};
    CountedEvents wrong_tokens_{seconds(10)};
    std::string wrong_from_;  ///< the address of the last one
};

}  // namespace farlink::telemetry
