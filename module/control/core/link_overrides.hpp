// SPDX-License-Identifier: Apache-2.0
// The links of the node: those of the configuration, with the changes of operators.
// Owned by LinkCommands; the control agent's thread only.
// Changes are not written, unless the operator asks for it: a node that restarts has the links of
// its configuration.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "common/base/result.hpp"
#include "common/bus/messages.hpp"
#include "common/config/fields/config_error.hpp"
#include "common/config/node/link_placement.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::control {

/// One induct or outduct.
struct BookedLink {
    LinkId id = kNoLink;
    std::variant<config::InductConfig, config::OutductConfig> config;
    std::string json;          ///< of its configuration; empty: as at the start
    std::uint16_t port = 0;    ///< of an induct: the listening port, once it is known
    LinkId carrier = kNoLink;  ///< of an outduct: the LTP induct whose port it sends by
    bool by_command = false;   ///< a command has added or changed it

    [[nodiscard]] bool outduct() const {
        return std::holds_alternative<config::OutductConfig>(config);
    }
    [[nodiscard]] const config::LinkOptions &options() const;
    /// docs/formats/control.md lists the fields.
    [[nodiscard]] nlohmann::ordered_json to_json() const;
};

class LinkOverrides {
public:
    /// `config` is borrowed.
    explicit LinkOverrides(const config::NodeConfig &config);

    /// null: there is no such link.
    [[nodiscard]] const BookedLink *find(LinkId link) const;
    [[nodiscard]] const std::map<LinkId, BookedLink> &links() const { return links_; }

    /// A link from its JSON, checked like one of the configuration, and against the other links:
    /// the existing ones and those `coming`. `number`: of the changed link, or the operator's
    /// choice; kNoLink: the next number that was never used.
    [[nodiscard]] Result<BookedLink, config::ConfigErrors> read(
        const std::string &json, bool outduct, LinkId number,
        const std::vector<const BookedLink *> &coming = {});
    /// Why a new link cannot have this number; empty: it can.
    [[nodiscard]] std::string not_free(LinkId number, bool outduct) const;

    /// The LTP outducts that send by the port of this induct.
    [[nodiscard]] std::vector<LinkId> carried_by(LinkId induct) const;

    void put(BookedLink link);
    void remove(LinkId link) { links_.erase(link); }
    /// The link becomes as configured; one that is not configured is removed.
    void restore(LinkId link);
    /// null: the file does not have it.
    [[nodiscard]] const BookedLink *configured(LinkId link) const;
    /// Whether a link with a number of the file is hosted by the module that has it there; the
    /// reason why not, or nothing.
    [[nodiscard]] std::string goes_over(const BookedLink &link) const;
    /// The link is as the configuration file has it, or as a command has left it.
    void set_by_command(LinkId link, bool by_command) {
        if (const auto found = links_.find(link); found != links_.end())
            found->second.by_command = by_command;
    }
    void set_port(LinkId link, std::uint16_t port);

    /// The changes for a module that has the links of the configuration.
    [[nodiscard]] std::vector<bus::LinkChange> differences(bus::AgentId module) const;
    /// Those of all modules.
    [[nodiscard]] std::vector<bus::LinkChange> differences() const;

private:
    void take_out_spans();
    template <class Chosen>
    [[nodiscard]] std::vector<bus::LinkChange> differences_of(const Chosen &chosen) const;
    [[nodiscard]] LinkId carrier_of(const config::OutductConfig &outduct) const;
    [[nodiscard]] LinkId free_number(std::uint32_t instance) const;
    void check_instance(const config::LinkOptions &options, LinkId number,
                        std::vector<config::ConfigError> &errors) const;

    const config::NodeConfig &config_;
    const config::LinkPlacement placement_;
    std::map<LinkId, BookedLink> links_;
    std::map<LinkId, BookedLink> configured_;
    std::set<LinkId> used_;  ///< numbers that links have, or have had
};

}  // namespace farlink::control
