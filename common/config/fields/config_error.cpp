// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/config_error.hpp"

#include <algorithm>
#include <utility>

#include "common/base/hex.hpp"

namespace farlink::config {
namespace {

bool plain_key(std::string_view key) {
    return !key.empty() && key.size() <= kLongestQuote && std::ranges::all_of(key, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '$';
    });
}

}  // namespace

std::string in_quotes(std::string_view text, std::size_t longest) {
    return '"' + printable(text, longest) + '"';
}

std::string alternatives(std::span<const std::string_view> texts, bool quote) {
    std::string out;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (i > 0) out += i + 1 == texts.size() ? " or " : ", ";
        out += quote ? in_quotes(texts[i]) : std::string(texts[i]);
    }
    return out;
}

std::string member_path(std::string_view path, std::string_view key) {
    if (!plain_key(key)) return std::string(path) + '[' + in_quotes(key) + ']';
    if (path.empty()) return std::string(key);
    return std::string(path) + '.' + std::string(key);
}

std::string item_path(std::string_view path, std::size_t index) {
    return std::string(path) + '[' + std::to_string(index) + ']';
}

std::string ConfigError::to_string() const {
    std::string line = path.empty() ? problem : path + ": " + problem;
    if (!expected.empty()) line += "; expected " + expected;
    if (!hint.empty()) line += "; " + hint;
    return line;
}

void ConfigErrors::add(ConfigError error) {
    if (errors.size() < kMostErrors)
        errors.push_back(std::move(error));
    else
        ++omitted;
}

void ConfigErrors::trim() {
    if (errors.size() <= kMostErrors) return;
    omitted += errors.size() - kMostErrors;
    errors.resize(kMostErrors);
}

std::string ConfigErrors::to_string() const {
    const std::string begin = source.empty() ? "" : source + ": ";
    std::string lines;
    for (const ConfigError &error : errors) lines += begin + error.to_string() + '\n';
    if (omitted > 0) lines += begin + "and " + std::to_string(omitted) + " more like these\n";
    return lines;
}

}  // namespace farlink::config
