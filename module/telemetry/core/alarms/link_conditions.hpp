// SPDX-License-Identifier: Apache-2.0
// `link-misses-contact`, `neighbour-refuses` and `no-acknowledgements`: what each link lacks, and
// since when.
// Owned by AlarmWatch; one thread.
// AlarmBook waits for the times of the configuration.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "module/telemetry/core/alarms/alarm.hpp"
#include "module/telemetry/core/alarms/alarm_facts.hpp"

namespace farlink::telemetry {

class LinkConditions {
public:
    /// A second has passed.
    void find(const AlarmFacts &facts, const config::AlarmsConfig &config, DtnTime wall,
              std::vector<Condition> &found);

private:
    /// Bundles that were sent and not taken, since the neighbour took one.
    class Failures {
    public:
        /// `count` so far; `taken`: the neighbour took one; `waits`: one may wait to be sent again.
        void look(std::uint64_t count, bool taken, bool waits, DtnTime wall);
        [[nodiscard]] std::uint64_t since_taken() const { return count_ - before_; }
        [[nodiscard]] DtnTime since() const { return since_; }  ///< 0: there is none

    private:
        std::uint64_t count_ = 0;
        std::uint64_t before_ = 0;  ///< at the last bundle that the neighbour took
        DtnTime since_ = 0;
        DtnTime last_ = 0;
        bool known_ = false;
    };
    /// The outages of a link. One that has lasted counts, with those that follow, until the link
    /// has been connected for as long.
    class Outages {
    public:
        void look(bool missing, DtnTime lasting, DtnTime wall);
        [[nodiscard]] bool any() const { return count_ > 0; }
        [[nodiscard]] DtnTime since() const { return since_; }  ///< 0: it is connected
        [[nodiscard]] DtnTime over_since() const { return over_since_; }
        [[nodiscard]] DtnTime first() const { return first_; }
        [[nodiscard]] std::uint64_t count() const { return count_; }

    private:
        DtnTime since_ = 0;
        DtnTime over_since_ = 0;
        DtnTime first_ = 0;
        std::uint64_t count_ = 0;
        bool lasted_ = false;  ///< one of them has
    };
    struct State {
        Outages outages{};
        std::uint64_t sent = 0;
        Failures refused{};
        Failures unacknowledged{};
    };

    static void find_missing(const LinkFacts &link, bool reached, DtnTime lasting, DtnTime wall,
                             State &state, std::vector<Condition> &found);
    static std::string text_of(const LinkFacts &link, const Outages &outages);
    static std::string text_when_over(const LinkFacts &link, const Outages &outages);
    static std::string action_for(const LinkFacts &link, const State &state);
    static void find_failures(const LinkFacts &link, const config::AlarmsConfig &config,
                              bool any_waits, DtnTime wall, State &state,
                              std::vector<Condition> &found);

    std::map<LinkId, State> states_;
};

}  // namespace farlink::telemetry
