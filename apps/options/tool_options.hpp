// SPDX-License-Identifier: Apache-2.0
// What the command lines of all programs have in common: `--version`, amounts with a suffix, names
// of options that were others before.
// Used once in main().
// Values; one thread.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

namespace farlink {

inline constexpr std::uint64_t kAnyAmount = std::numeric_limits<std::uint64_t>::max();

/// For transform(): "64k" becomes 64000. `what` is named when it is no such number.
[[nodiscard]] CLI::Validator amount(const std::string &what, std::uint64_t least = 0,
                                    std::uint64_t most = kAnyAmount);

/// The same for what may be a fraction as well: "0.5" stays so.
[[nodiscard]] CLI::Validator amount_or_fraction(const std::string &what, double most);

/// An option that has another name now.
struct RenamedOption {
    std::string_view before;
    std::string_view now;
};

/// `--version`
void add_version(CLI::App &app);

/// app.parse() with a line on stderr for each old name that is used; the old
/// ones work for one minor version.
void parse_words(CLI::App &app, int argc, char **argv, std::span<const RenamedOption> renamed = {});

/// The size of a bundle's payload and the version of its protocol.
inline constexpr RenamedOption kRenamedBundleOptions[] = {{"--size", "--bundle-size"},
                                                          {"--bp", "--bp-version"}};

}  // namespace farlink
