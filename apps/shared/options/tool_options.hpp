// SPDX-License-Identifier: Apache-2.0
// Shared parts of the command lines of all programs: `--version`, amounts with a suffix, former
// names of options.
// Used once in main().
// Values; one thread.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace farlink {

inline constexpr std::uint64_t kAnyAmount = std::numeric_limits<std::uint64_t>::max();

/// For transform(): "64k" becomes 64000. The error names `what`.
[[nodiscard]] CLI::Validator amount(const std::string &what, std::uint64_t least = 0,
                                    std::uint64_t most = kAnyAmount);

/// The same, but a fraction such as "0.5" is accepted, too.
[[nodiscard]] CLI::Validator amount_or_fraction(const std::string &what, std::uint64_t most,
                                                std::uint64_t least = 0);

/// An option that was renamed.
struct RenamedOption {
    std::string_view before;
    std::string_view now;
};

/// `--version`
void add_version(CLI::App &app);

/// The words of a command line in another order.
using Reorder = std::function<std::vector<std::string>(const std::vector<std::string> &words)>;

/// app.parse() that also accepts old names, with a line on stderr for each; they work for one minor
/// version. `reorder`: applied before.
void parse_words(CLI::App &app, int argc, char **argv, std::span<const RenamedOption> renamed = {},
                 const Reorder &reorder = {});

/// The size of a bundle's payload and the version of its protocol.
inline constexpr RenamedOption kRenamedBundleOptions[] = {{"--size", "--bundle-size"},
                                                          {"--bp", "--bp-version"}};

}  // namespace farlink
