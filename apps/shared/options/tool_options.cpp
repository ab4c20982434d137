// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/options/tool_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "common/base/amount.hpp"

namespace farlink {
namespace {

std::string wrong_amount(const std::string &text, const std::string &what, std::uint64_t least,
                         std::uint64_t most) {
    return "found " + text + "; expected " + what + ", from " + std::to_string(least) + " to " +
           std::to_string(most) + ", with a suffix k, M, G, T or Ki, Mi, Gi, Ti if wanted";
}

/// "--size=64" as well as "--size".
void rename(std::string &word, const RenamedOption &option, const char *program) {
    const std::size_t length = option.before.size();
    if (!word.starts_with(option.before) || (word.size() > length && word[length] != '=')) return;
    std::fprintf(stderr,
                 "%s: %.*s is now %.*s; the old name will be removed in the next minor version\n",
                 program, static_cast<int>(option.before.size()), option.before.data(),
                 static_cast<int>(option.now.size()), option.now.data());
    word.replace(0, length, option.now);
}

}  // namespace

void add_version(CLI::App &app) {
    app.set_version_flag("--version", FARLINK_VERSION);
}

CLI::Validator amount(const std::string &what, std::uint64_t least, std::uint64_t most) {
    const auto check = [=](std::string &text) {
        const auto value = parse_amount(text);
        if (!value || *value < least || *value > most) return wrong_amount(text, what, least, most);
        text = std::to_string(*value);
        return std::string();
    };
    return CLI::Validator(check, "");
}

CLI::Validator amount_or_fraction(const std::string &what, std::uint64_t most,
                                  std::uint64_t least) {
    const auto check = [=](std::string &text) {
        const std::string given = text;
        if (const auto whole = parse_amount(text)) text = std::to_string(*whole);
        char *end = nullptr;
        const double value = std::strtod(text.c_str(), &end);
        const bool number = end != text.c_str() && *end == '\0' &&
                            value >= static_cast<double>(least) &&
                            value <= static_cast<double>(most);
        return number ? std::string() : wrong_amount(given, what, least, most);
    };
    return CLI::Validator(check, "");
}

void parse_words(CLI::App &app, int argc, char **argv, std::span<const RenamedOption> renamed,
                 const Reorder &reorder) {
    const std::string_view path(argc > 0 ? argv[0] : "farlink");
    const std::string program(path.substr(path.rfind('/') + 1));
    if (app.get_name().empty()) app.name(program);
    std::vector<std::string> words;
    for (int at = 1; at < argc; ++at) {
        std::string &word = words.emplace_back(argv[at]);
        for (const RenamedOption &option : renamed) rename(word, option, program.c_str());
    }
    if (reorder) words = reorder(words);
    std::ranges::reverse(words);  // as CLI11 wants them
    app.parse(std::move(words));
}

}  // namespace farlink
