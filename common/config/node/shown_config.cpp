// SPDX-License-Identifier: Apache-2.0
#include "common/config/node/shown_config.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace farlink::config {
namespace {

using Json = nlohmann::ordered_json;

/// A webhook may have a token in its path.
constexpr std::array<std::string_view, 8> kSecret{"secretKeyFile",
                                                  "ltpAuthenticationKeyFile",
                                                  "ltpAuthenticationKeyId",
                                                  "key",
                                                  "tokensFile",
                                                  "keyStore",
                                                  "webhook",
                                                  "$schema"};

}  // namespace

void strip_secrets(Json &value) {
    if (value.is_object()) {
        for (const std::string_view key : kSecret) value.erase(std::string(key));
        for (auto &[key, member] : value.items()) strip_secrets(member);
    } else if (value.is_array()) {
        for (Json &item : value) strip_secrets(item);
    }
}

std::string shown_config(std::string_view json) {
    Json document = Json::parse(json, nullptr, false);
    if (!document.is_object()) return "{}";
    strip_secrets(document);
    return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace farlink::config
