// SPDX-License-Identifier: Apache-2.0
// A contact plan as written: which node can send to which, when, at what rate and light time.
// Made by load_contact_plan() from JSON or from ION's commands; a value, read-only; any thread.
// Times count from a start that the scheduler sets, or are absolute; resolve() makes them absolute.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/config/fields/config_error.hpp"
#include "common/plan/node_endpoints.hpp"

namespace farlink::config {

struct JsonValue;

/// One contact, half open: it is up while start <= time < end.
struct PlanContact {
    std::uint64_t id = 0;    ///< `contact`
    NodeNumber source;       ///< `source`
    NodeNumber destination;  ///< `dest`
    DtnTime start = 0;       ///< `startTime` in milliseconds; see ContactPlan::absolute
    DtnTime end = 0;         ///< `endTime`, likewise
    BitRate rate;            ///< `rateBitsPerSec`; 0: unlimited
    Duration owlt{};         ///< `owlt`: one-way light time
    /// `repeatSeconds` in milliseconds: the contact begins again each time; 0: once. repeats.hpp
    /// has its repeats.
    std::uint64_t repeat = 0;
    DtnTime until = kDtnNever;  ///< `until`, likewise: no repeat ends later

    [[nodiscard]] bool periodic() const { return repeat != 0; }

    friend bool operator==(const PlanContact &, const PlanContact &) = default;
};

struct ContactPlan {
    bool absolute = false;  ///< times are DTN time; otherwise milliseconds from the plan's start
    bool anchored = false;  ///< of mixed times: those in seconds have been given a start
    std::vector<PlanContact> contacts;  ///< in the order of the file
    ConfigErrors notes{};               ///< commands without effect on the plan; not errors

    /// The contacts in DTN time, for a plan whose second 0 is at `plan_start`.
    [[nodiscard]] std::vector<PlanContact> resolve(DtnTime plan_start) const;
};

/// The limit of contacts, five times the number in the measurements. A larger plan is refused
/// before its end is read.
inline constexpr std::size_t kMostContacts = 500'000;

/// A text that begins with `{` or `[` is JSON, any other one a list of ION's commands.
/// `start`: second 0 of ION's commands that mix `+seconds` with times in UTC; without it such a
/// plan is refused. `names`: the numbers of nodes that the plan calls by name.
[[nodiscard]] Result<ContactPlan, ConfigErrors> parse_contact_plan(
    std::string_view text, std::optional<DtnTime> start = std::nullopt,
    std::span<const NodeEndpoints> names = {});

/// Gives the contact at a place of a list, each once and in their order; the value stays until the
/// next one.
using NextContact = std::function<const JsonValue &(std::size_t index)>;
/// A plan of `count` contacts that another parser has read.
[[nodiscard]] Result<ContactPlan, ConfigErrors> take_contact_plan(std::size_t count,
                                                                  const NextContact &next);
[[nodiscard]] Result<ContactPlan, ConfigErrors> load_contact_plan(
    const std::string &path, std::optional<DtnTime> start = std::nullopt,
    std::span<const NodeEndpoints> names = {});

}  // namespace farlink::config
