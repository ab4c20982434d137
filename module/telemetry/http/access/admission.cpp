// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/access/admission.hpp"

#include <algorithm>
#include <utility>

#include "common/base/counted.hpp"
#include "common/base/hex.hpp"
#include "module/telemetry/api/api.hpp"
#include "module/telemetry/api/request/problem.hpp"

namespace farlink::telemetry {
namespace {

/// Characters of a failed token that are part of the key of its rate limit.
constexpr std::size_t kPrefix = 8;

Answer too_often(Duration wait, std::string_view what) {
    Answer answer = problem(429, what);
    const auto whole = std::chrono::ceil<seconds>(wait).count();
    answer.headers.emplace_back("Retry-After", std::to_string(std::max<std::int64_t>(whole, 1)));
    return answer;
}

}  // namespace

std::optional<Answer> Admission::admit(Call &call, const Credentials &credentials, TimePoint now) {
    std::string_view token = HeaderChecks::bearer(credentials.authorization);
    if (token.empty()) token = HeaderChecks::offered_token(credentials.protocols);
    const auto entry = token.empty() ? std::nullopt : tokens_.find(token, now);
    // What applications do is limited where they are limited, in the applications module.
    const bool sends = entry && entry->rights && Api::is_of_applications(call.target);
    if (const Duration wait = sends ? Duration{} : by_address_.take(credentials.address, now);
        wait > Duration::zero())
        return too_often(wait, "too many requests from this address");
    if (auto refusal = header_checks_.refusal(call)) return refusal;
    call.caller = credentials.address;
    call.role = header_checks_.open_to_read() ? Role::kRead : Role::kNone;
    if (token.empty() && credentials.authorization.empty()) return std::nullopt;
    // A valid token passes, also when other tokens from the address failed.
    if (!entry) {
        wrong_tokens_.add();
        wrong_from_ = credentials.address;
        log_wrong_tokens(now);
        const std::string guess = credentials.address + ' ' + std::string(token.substr(0, kPrefix));
        if (const Duration wait = failures_.take(guess, now); wait > Duration::zero())
            return too_often(wait, "too many invalid tokens");
        Answer answer = problem(401, "the token is not valid");
        answer.headers.emplace_back("WWW-Authenticate", R"(Bearer error="invalid_token")");
        return answer;
    }
    if (const Duration wait = sends ? Duration{} : by_token_.take(entry->name, now);
        wait > Duration::zero())
        return too_often(wait, "too many requests with this token");
    call.role = std::max(call.role, entry->role);
    call.rights = entry->rights;
    call.token = entry->name.empty() ? hex_text(entry->digest) : entry->name;
    call.caller = "token " + (entry->name.empty() ? std::string("without name") : entry->name) +
                  " from " + credentials.address;
    return std::nullopt;
}

// The token itself may be nearly right, and is not logged.
void Admission::log_wrong_tokens(TimePoint now) {
    if (const auto count = wrong_tokens_.poll(now))
        log_.warn("{} refused, most recently from {}: the token is not valid",
                  counted(*count, "request"), wrong_from_);
}

}  // namespace farlink::telemetry
