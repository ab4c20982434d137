// SPDX-License-Identifier: Apache-2.0
// The differences of two configuration files that have been checked.
// Plain functions on values; any thread.
// Defaults are filled in first, so that a default that is written out is no difference.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/reload/live_settings.hpp"

namespace farlink::config {

/// A setting that differs, or a link.
struct SettingChange {
    std::string path;  ///< in the newer file; of one that is gone: in the older one
    ChangeKind kind = ChangeKind::kChanged;
    Applied applied = Applied::kRestart;
    std::string text;  ///< "10 before, 20 now"
    /// By audited_value(); null: there is none, or it is a secret.
    nlohmann::ordered_json before{};
    nlohmann::ordered_json now{};
};

/// A value for the audit: without secrets; of a long list its length, of a large value its size.
[[nodiscard]] nlohmann::ordered_json audited_value(nlohmann::ordered_json value);

/// The file with all constant defaults, and sizes as numbers.
[[nodiscard]] nlohmann::ordered_json normal_form(std::string_view file);

/// Of two normal forms, without the links.
[[nodiscard]] std::vector<SettingChange> setting_changes(const nlohmann::ordered_json &before,
                                                         const nlohmann::ordered_json &after);

/// A link of both files, or of one of them; by its place in the list.
struct LinkPair {
    std::optional<std::size_t> before;
    std::optional<std::size_t> after;
    std::string text{};  ///< the differences; empty: there is none, or one of the two is missing
};
/// Pairs the items of `inductsConfig` by their URL, those of `outductsConfig` by their neighbour.
[[nodiscard]] std::vector<LinkPair> pair_links(const nlohmann::ordered_json &before,
                                               const nlohmann::ordered_json &after, bool outducts);

/// The key by which a link is found in the other list: its URL, or its neighbour.
[[nodiscard]] std::string identity_of(const nlohmann::ordered_json &link, bool outduct);
/// "inductsConfig" or "outductsConfig".
[[nodiscard]] constexpr const char *list_of(bool outducts) {
    return outducts ? "outductsConfig" : "inductsConfig";
}
/// The keys of two links that differ, with their values.
[[nodiscard]] std::string differences_in(const nlohmann::ordered_json &before,
                                         const nlohmann::ordered_json &after);
/// The members of two links that differ, for the audit. A null `before` or `now`: that link has
/// none of them.
struct DifferingValues {
    nlohmann::ordered_json before{};
    nlohmann::ordered_json now{};
};
[[nodiscard]] DifferingValues differing_values(const nlohmann::ordered_json &before,
                                               const nlohmann::ordered_json &after);

}  // namespace farlink::config
