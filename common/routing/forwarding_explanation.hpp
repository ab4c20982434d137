// SPDX-License-Identifier: Apache-2.0
// Why a bundle takes the way that it takes: every rule and every way that is looked at, in that
// order, and what speaks against those that are not taken.
// A value for operators, made by ForwardingTable::explain().
// Any thread.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/routing/forwarding_table.hpp"

namespace farlink::routing {

/// What says that a way leads there, in the order in which it counts.
enum class Rule : std::uint8_t { kPolicy, kPlan, kStaticRoute, kDefaultGateway };
[[nodiscard]] std::string_view to_string(Rule rule);

enum class Verdict : std::uint8_t {
    kTaken,
    kLaterChoice,  ///< one before it is taken
    kRuleBefore,   ///< not looked at: a rule before it knows a way
    kNoLink,       ///< no link leads to that neighbour, or the operator has taken it down
    kLinkDown,     ///< paths of policies, and fallbacks behind one that is up
    kBackToSender,
    kLinkTooSmall,  ///< the link carries no bundle of this size
    kNoRoom,        ///< what waits already takes it, or the contact is too short
    kFull,          ///< the same, for a bundle of any size
    kContactOver,   ///< it can no longer leave in time
    kTooLate,       ///< it would arrive after the end of its lifetime
    kOneBefore,     ///< a critical bundle goes to each neighbour once
    kHeld,          ///< the operator holds what is for that destination
};
/// In an operator's words.
[[nodiscard]] std::string_view to_string(Verdict verdict);

struct ExplainedWay {
    Rule rule = Rule::kPlan;
    std::size_t policy = 0;  ///< its place in the configuration
    NextHop hop;
    bool up = false;
    DtnTime arrival = kDtnNever;  ///< of this bundle; of the plan's ways only
    std::uint64_t room_bytes = bus::kAnyBytes;
    Verdict verdict = Verdict::kLaterChoice;
};

struct Explanation {
    std::vector<ExplainedWay> ways;
    Decision decision;      ///< what decide() says; of a critical bundle nothing
    bool critical = false;  ///< it goes every way that is taken
    bool held = false;      ///< by the operator: no way is taken
};

}  // namespace farlink::routing
