// SPDX-License-Identifier: Apache-2.0
#include "common/security/key_text.hpp"

#include "common/base/hex.hpp"
#include "common/config/fields/instant.hpp"

namespace farlink::security {
namespace {

using bp::bpsec::KeyAlgorithm;

/// Takes the next line off `text`, with its end.
std::string_view next_line(std::string_view &text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    const std::string_view whole = text.substr(0, std::min(text.size(), line.size() + 1));
    text.remove_prefix(whole.size());
    return whole;
}

std::string_view stripped(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

bool is_header_of(std::string_view line, std::string_view id) {
    return line.size() > 2 && line.front() == '[' && line.back() == ']' &&
           line.substr(1, line.size() - 2) == id;
}

bool sets(std::string_view line, std::string_view field) {
    return line.starts_with(field) && stripped(line.substr(field.size())).starts_with('=');
}

}  // namespace

std::string key_section(const Key &key) {
    std::string text = '[' + key.id + "]\nalgorithm = " + std::string(to_string(key.algorithm)) +
                       "\nkey = " + hex_text(key.secret.octets()) + '\n';
    if (key.begins != 0) text += "not-before = " + config::format_utc(key.begins) + '\n';
    if (key.ends != kDtnNever) text += "not-after = " + config::format_utc(key.ends) + '\n';
    if (key.uses != kMayAll) text += "use = " + std::string(uses_in_words(key.uses)) + '\n';
    return text;
}

std::optional<std::string> with_end(std::string_view text, std::string_view id, DtnTime ends) {
    std::string made;
    made.reserve(text.size() + 64);  // no copy of the secrets is left behind
    bool inside = false;
    bool found = false;
    while (!text.empty()) {
        const std::string_view whole = next_line(text);
        const std::string_view line = stripped(whole);
        if (line.starts_with('[')) inside = is_header_of(line, id);
        if (inside && sets(line, "not-after")) continue;
        made += whole;
        if (!inside || !line.starts_with('[')) continue;
        if (!made.ends_with('\n')) made += '\n';
        made += "not-after = " + config::format_utc(ends) + '\n';
        found = true;
    }
    if (!found) return std::nullopt;
    return made;
}

std::optional<KeyAlgorithm> algorithm_named(std::string_view name) {
    for (int i = 0; i <= static_cast<int>(KeyAlgorithm::kWrapConfidentiality); ++i)
        if (to_string(static_cast<KeyAlgorithm>(i)) == name) return static_cast<KeyAlgorithm>(i);
    return std::nullopt;
}

std::size_t usual_key_bytes(KeyAlgorithm algorithm) {
    switch (algorithm) {
        case KeyAlgorithm::kHmacSha384:
            return 48;
        case KeyAlgorithm::kHmacSha512:
            return 64;
        case KeyAlgorithm::kA128Gcm:
            return 16;
        default:
            return 32;
    }
}

std::string_view uses_in_words(unsigned uses) {
    if (uses == kMaySign) return "sign";
    return uses == kMayVerify ? "verify" : "sign verify";
}

}  // namespace farlink::security
