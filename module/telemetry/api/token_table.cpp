// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/token_table.hpp"

#include <utility>

#include "common/base/hex.hpp"
#include "common/config/fields/json_document.hpp"
#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {
namespace {

constexpr std::size_t kMostTokens = 1000;
constexpr std::size_t kMostPatterns = 100;

std::optional<TokenDigest> parse_digest(std::string_view text) {
    TokenDigest digest{};
    if (text.size() != 2 * digest.size()) return std::nullopt;
    for (std::size_t i = 0; i < digest.size(); ++i) {
        const auto high = hex_digit(text[2 * i]);
        const auto low = hex_digit(text[2 * i + 1]);
        if (!high || !low) return std::nullopt;
        digest[i] = static_cast<std::uint8_t>(*high * 16 + *low);
    }
    return digest;
}

/// False: no list of texts.
bool read_texts(const Json &entry, const char *key, std::vector<std::string> &to) {
    const auto list = entry.find(key);
    if (list == entry.end()) return true;
    if (!list->is_array() || list->size() > kMostPatterns) return false;
    for (const Json &text : *list) {
        if (!text.is_string()) return false;
        to.push_back(text.get<std::string>());
    }
    return true;
}

/// A token for operators has every endpoint, unless it lists some. The error is empty, or a text.
std::string read_endpoints(const Json &entry, TokenEntry &token) {
    for (const auto &[key, to] : {std::pair{"register", &token.endpoints.receive},
                                  std::pair{"sendAs", &token.endpoints.send_as},
                                  std::pair{"sendTo", &token.endpoints.send_to}})
        if (!read_texts(entry, key, *to))
            return '`' + std::string(key) + "`: expected at most 100 endpoints or patterns";
    if (token.endpoints.empty()) {
        if (token.role == Role::kOperate)
            token.rights = std::make_shared<EndpointRights>(EndpointRights::all());
        return {};
    }
    auto rights = EndpointRights::parse(token.endpoints);
    if (!rights) return rights.error() + ": expected an endpoint such as ipn:10.42, or a pattern";
    token.rights = std::make_shared<EndpointRights>(std::move(*rights));
    return {};
}

Json json_of(const TokenEntry &token) {
    Json entry{
        {"name", token.name}, {"role", to_string(token.role)}, {"sha256", hex_text(token.digest)}};
    if (!token.endpoints.receive.empty()) entry["register"] = token.endpoints.receive;
    if (!token.endpoints.send_as.empty()) entry["sendAs"] = token.endpoints.send_as;
    if (!token.endpoints.send_to.empty()) entry["sendTo"] = token.endpoints.send_to;
    return entry;
}

}  // namespace

std::optional<Role> parse_role(std::string_view text) {
    if (text == "applications") return Role::kApplications;
    if (text == "read") return Role::kRead;
    if (text == "operate") return Role::kOperate;
    return std::nullopt;
}

Result<std::vector<TokenEntry>, std::string> parse_tokens(std::string_view json) {
    if (config::nested_too_deeply(json)) return fail(std::string("JSON nested too deeply"));
    const Json document = Json::parse(json, nullptr, false);
    if (!document.is_object() || !document.contains("tokens") || !document["tokens"].is_array())
        return fail(std::string("expected an object with the list `tokens`"));
    const Json &list = document["tokens"];
    if (list.size() > kMostTokens)
        return fail(std::string("found more than 1000 tokens; expected at most 1000"));
    std::vector<TokenEntry> tokens;
    for (const Json &entry : list) {
        const std::string place = "tokens[" + std::to_string(tokens.size()) + "]: ";
        if (!entry.is_object()) return fail(place + "expected an object");
        const auto role = parse_role(text_of(entry, "role"));
        if (!role) return fail(place + "`role`: expected applications, read or operate");
        const auto digest = parse_digest(text_of(entry, "sha256"));
        if (!digest) return fail(place + "`sha256`: expected 64 hexadecimal digits");
        TokenEntry token{text_of(entry, "name"), *role, *digest, {}, {}};
        if (const std::string wrong = read_endpoints(entry, token); !wrong.empty())
            return fail(place + wrong);
        tokens.push_back(std::move(token));
    }
    return tokens;
}

std::string write_tokens(const std::vector<TokenEntry> &tokens) {
    Json list = Json::array();
    for (const TokenEntry &token : tokens) list.push_back(json_of(token));
    return Json{{"tokens", list}}.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace farlink::telemetry
