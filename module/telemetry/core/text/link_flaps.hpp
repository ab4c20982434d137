// SPDX-License-Identifier: Apache-2.0
// Which events of a link that comes and goes again and again are published one by one.
// Owned by NodeView; one thread.
// In ten seconds, a link is up, fails and is down with an event each once; later ones are counted.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.hpp"
#include "common/base/types.hpp"

namespace farlink::telemetry {

class LinkFlaps {
public:
    static constexpr Duration kSpell = seconds(10);

    /// Of a link, since its last event of this kind.
    struct Count {
        LinkId link = kNoLink;
        NodeNumber neighbour{};
        std::uint64_t times = 0;  ///< that it was up
    };

    /// Whether each is an event of its own: the link is up, has failed, has lost its connection.
    [[nodiscard]] bool admit_up(LinkId link, NodeNumber neighbour, TimePoint now) {
        const auto [at, is_new] = links_.try_emplace(link, Spell{now, neighbour});
        Spell &spell = at->second;
        if (is_new) return true;
        if (spell.times == 0 && now - spell.begin >= kSpell) {
            spell = {now, neighbour};
            return true;
        }
        ++spell.times;
        spell.hidden = true;
        return false;
    }
    [[nodiscard]] bool admit_fault(LinkId link, std::string_view reason) {
        const auto at = links_.find(link);
        if (at == links_.end()) return true;
        if (at->second.hidden && at->second.reason == reason) return false;
        at->second.reason = reason;
        return true;
    }
    [[nodiscard]] bool admit_loss(LinkId link) const {
        const auto at = links_.find(link);
        return at == links_.end() || !at->second.hidden;
    }

    /// It is down for another reason.
    void forget(LinkId link) { links_.erase(link); }

    /// Called once a second: the counts of the links whose ten seconds are over.
    [[nodiscard]] std::vector<Count> take_counts(TimePoint now) {
        std::vector<Count> counts;
        for (auto at = links_.begin(); at != links_.end();) {
            auto &[link, spell] = *at;
            const bool over = now - spell.begin >= kSpell;
            if (over && spell.times == 0) {
                at = links_.erase(at);
                continue;
            }
            if (over) {
                counts.push_back({link, spell.neighbour, spell.times});
                spell.begin = now;
                spell.times = 0;
                spell.hidden = false;
            }
            ++at;
        }
        return counts;
    }

private:
    struct Spell {
        TimePoint begin{};
        NodeNumber neighbour{};
        std::uint64_t times = 0;  ///< up, without an event
        bool hidden = false;      ///< it was up last without an event
        std::string reason{};     ///< of its last failure
    };

    std::map<LinkId, Spell> links_;
};

}  // namespace farlink::telemetry
