// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/request/target.hpp"

#include <charconv>

#include "common/base/hex.hpp"

namespace farlink::telemetry {
namespace {

constexpr std::size_t kMostSegments = 16;
constexpr std::size_t kMostParameters = 16;

/// Empty for a wrong escape, and for one of a control character.
std::optional<std::string> decoded(std::string_view text, bool plus_is_space) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        char letter = text[i];
        if (letter == '%') {
            const auto high = i + 2 < text.size() ? hex_digit(text[i + 1]) : std::nullopt;
            const auto low = high ? hex_digit(text[i + 2]) : std::nullopt;
            if (!low) return std::nullopt;
            letter = static_cast<char>(*high * 16 + *low);
            i += 2;
        } else if (letter == '+' && plus_is_space) {
            letter = ' ';
        }
        const auto octet = static_cast<unsigned char>(letter);
        if (octet < ' ' || octet == 0x7f) return std::nullopt;
        plain += letter;
    }
    return plain;
}

template <class Take>
bool each_part(std::string_view text, char separator, const Take &take) {
    for (;;) {
        const std::size_t end = text.find(separator);
        if (!take(text.substr(0, end))) return false;
        if (end == std::string_view::npos) return true;
        text.remove_prefix(end + 1);
    }
}

}  // namespace

Result<Target, std::string> parse_target(std::string_view text) {
    if (!text.starts_with('/')) return fail(std::string("the path does not begin with /"));
    const std::size_t mark = text.find('?');
    Target target;
    const bool in_order = each_part(text.substr(1, mark - 1), '/', [&](std::string_view part) {
        auto plain = decoded(part, false);
        if (!plain || target.path.size() == kMostSegments) return false;
        target.path.push_back(std::move(*plain));
        return true;
    });
    if (!in_order)
        return fail(std::string(
            "the path has an empty segment, a dot segment or an invalid escape sequence"));
    if (mark == std::string_view::npos || mark + 1 == text.size()) return target;
    std::string wrong;
    (void)each_part(text.substr(mark + 1), '&', [&](std::string_view part) {
        const std::size_t equals = part.find('=');
        auto key = decoded(part.substr(0, equals), true);
        auto value = equals == std::string_view::npos ? std::optional<std::string>(std::in_place)
                                                      : decoded(part.substr(equals + 1), true);
        if (!key || !value || key->empty())
            wrong = "the query is not valid; expected key=value, separated by &";
        else if (target.query.size() == kMostParameters)
            wrong = "the query has too many keys";
        else if (!target.query.try_emplace(*key, std::move(*value)).second)
            wrong = "a key occurs twice in the query";
        return wrong.empty();
    });
    if (!wrong.empty()) return fail(wrong);
    return target;
}

std::optional<std::uint64_t> parse_number(std::string_view text, std::uint64_t most) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), number);
    if (error != std::errc() || end != text.end() || text.empty() || number > most)
        return std::nullopt;
    return number;
}

std::optional<bool> parse_flag(const Target &target, const char *key) {
    const auto found = target.query.find(key);
    if (found == target.query.end() || found->second == "false") return false;
    if (found->second == "true") return true;
    return std::nullopt;
}

}  // namespace farlink::telemetry
