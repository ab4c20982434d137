// SPDX-License-Identifier: Apache-2.0
// Which links a reload adds, changes and removes.
// Plain functions on values; any thread.
// A link keeps its number while its URL (induct) or neighbour (outduct) stays. One that a command
// has changed stays as it is.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "common/config/fields/config_error.hpp"
#include "common/config/reload/differences.hpp"
#include "module/control/core/link_overrides.hpp"

namespace farlink::control {

/// The numbers of the links of a configuration file, by their places in its lists.
struct FileLinks {
    std::vector<LinkId> inducts;
    std::vector<LinkId> outducts;

    [[nodiscard]] const std::vector<LinkId> &of(bool outducts_wanted) const {
        return outducts_wanted ? outducts : inducts;
    }
    [[nodiscard]] std::vector<LinkId> &of(bool outducts_wanted) {
        return outducts_wanted ? outducts : inducts;
    }
};
/// Of the file with which the node has started.
[[nodiscard]] FileLinks links_of_file(const config::NodeConfig &config,
                                      const nlohmann::ordered_json &file);

/// One change of a link for its module.
struct LinkStep {
    bus::LinkVerb verb = bus::LinkVerb::kAdd;
    BookedLink link;                     ///< as it will be; of one that is removed: as it is
    std::optional<BookedLink> before{};  ///< with its JSON, to undo a change or removal
    std::string path{};                  ///< in the file
};

struct LinkChanges {
    std::vector<LinkStep> steps;  ///< in their order
    FileLinks numbers;            ///< of the newer file
    std::set<LinkId> as_filed;    ///< links of commands that the newer file has as they are
    std::vector<config::SettingChange> changes;
    std::vector<config::ConfigError> errors;
};

/// A configuration file, as a reload compares it.
struct ComparedFile {
    nlohmann::ordered_json document;  ///< as written
    nlohmann::ordered_json normal;    ///< config::normal_form()
};

/// `links`: the links in force, a copy. `folder`: of the file, absolute. `again`: paths of links
/// whose keys for LTP have changed although their names stay.
[[nodiscard]] LinkChanges find_link_changes(LinkOverrides links, const FileLinks &numbers,
                                            const ComparedFile &before, const ComparedFile &after,
                                            const std::string &folder,
                                            const std::set<std::string> &again = {});

/// The steps that undo all changes by commands.
[[nodiscard]] LinkChanges find_reverted_links(LinkOverrides links, const FileLinks &numbers,
                                              const nlohmann::ordered_json &file,
                                              const std::string &folder);

/// The changes of links by commands, against the file.
[[nodiscard]] std::vector<config::SettingChange> link_overrides_in(
    const LinkOverrides &links, const FileLinks &numbers, const nlohmann::ordered_json &file);

/// The link as JSON for a module: with absolute names of files.
[[nodiscard]] std::string link_json_for_module(nlohmann::ordered_json link,
                                               const std::string &folder);

}  // namespace farlink::control
