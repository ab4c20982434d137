// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/shared/number_options.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <utility>

namespace farlink::ctl {
namespace {

std::string refusal(const std::string &text, const std::string &what, std::uint64_t least,
                    std::uint64_t most) {
    return "found " + text + "; expected " + what + ", from " + std::to_string(least) + " to " +
           std::to_string(most);
}

std::optional<std::uint64_t> whole(const std::string &text) {
    std::uint64_t value = 0;
    const char *const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, value);
    if (read.ec != std::errc{} || read.ptr != end) return std::nullopt;
    return value;
}

/// "1.28", "+60", "1e3"
std::optional<double> decimal_number(const std::string &text) {
    char *end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (end == text.c_str() || *end != '\0') return std::nullopt;
    return value;
}

bool within(double value, std::uint64_t most) {
    return value >= 0 && value <= static_cast<double>(most);
}

CLI::Validator validator(std::function<std::string(std::string &)> check) {
    return CLI::Validator(std::move(check), "");
}

}  // namespace

CLI::Validator whole_number(const std::string &what, std::uint64_t least, std::uint64_t most) {
    return validator([=](std::string &text) {
        const auto value = whole(text);
        if (!value || *value < least || *value > most) return refusal(text, what, least, most);
        text = std::to_string(*value);  // without leading zeros
        return std::string();
    });
}

CLI::Validator seconds_from_0(const std::string &what, std::uint64_t most) {
    return validator([=](std::string &text) {
        const auto value = decimal_number(text);
        return value && within(*value, most) ? std::string() : refusal(text, what, 0, most);
    });
}

CLI::Validator moment(const std::string &what, std::uint64_t most) {
    return validator([=](std::string &text) {
        const auto value = decimal_number(text);
        return !value || within(*value, most) ? std::string() : refusal(text, what, 0, most);
    });
}

}  // namespace farlink::ctl
