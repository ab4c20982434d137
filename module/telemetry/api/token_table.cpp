// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/token_table.hpp"

#include "common/base/hex.hpp"
#include "common/config/fields/json_document.hpp"
#include "module/telemetry/core/text/json.hpp"

namespace farlink::telemetry {
namespace {

constexpr std::size_t kMostTokens = 1000;

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

}  // namespace

std::optional<Role> parse_role(std::string_view text) {
    if (text == "read") return Role::kRead;
    if (text == "operate") return Role::kOperate;
    return std::nullopt;
}

Result<std::vector<TokenEntry>, std::string> parse_tokens(std::string_view json) {
    if (config::nested_too_deeply(json)) return fail(std::string("nested too deeply"));
    const Json document = Json::parse(json, nullptr, false);
    if (!document.is_object() || !document.contains("tokens") || !document["tokens"].is_array())
        return fail(std::string("no list `tokens`"));
    const Json &list = document["tokens"];
    if (list.size() > kMostTokens) return fail(std::string("more than 1000 tokens"));
    std::vector<TokenEntry> tokens;
    for (const Json &entry : list) {
        const std::string place = "tokens[" + std::to_string(tokens.size()) + "]: ";
        if (!entry.is_object()) return fail(place + "no object");
        const auto role = parse_role(text_of(entry, "role"));
        if (!role) return fail(place + "`role`: expected read or operate");
        const auto digest = parse_digest(text_of(entry, "sha256"));
        if (!digest) return fail(place + "`sha256` is not 64 hexadecimal digits");
        tokens.push_back({text_of(entry, "name"), *role, *digest});
    }
    return tokens;
}

std::string write_tokens(const std::vector<TokenEntry> &tokens) {
    Json list = Json::array();
    for (const TokenEntry &token : tokens)
        list.push_back({{"name", token.name},
                        {"role", to_string(token.role)},
                        {"sha256", hex_text(token.digest)}});
    return Json{{"tokens", list}}.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace farlink::telemetry
