// SPDX-License-Identifier: Apache-2.0
// The links on which any host can act as any node: `tlsInsecure`, or `neighbours` of every address.
// Owned by AlarmInputs; follows the links that commands and reloads change.
// One thread.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "common/config/node/node_config.hpp"
#include "module/telemetry/core/alarms/alarm_facts.hpp"

namespace farlink::telemetry {

class UncheckedPeers {
public:
    explicit UncheckedPeers(const config::NodeConfig &config);

    void set_link(const config::InductConfig &induct);
    void set_link(const config::OutductConfig &outduct);
    void remove_link(LinkId link) { unchecked_.erase(link); }
    /// As the configuration had it.
    void restore_link(LinkId link);

    [[nodiscard]] std::vector<UncheckedFacts> list() const;

private:
    using Facts = std::map<LinkId, UncheckedFacts>;

    static void note(Facts &facts, LinkId link, UncheckedFacts found);

    Facts unchecked_;
    Facts configured_;
};

}  // namespace farlink::telemetry
