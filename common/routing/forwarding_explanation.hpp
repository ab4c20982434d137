// SPDX-License-Identifier: Apache-2.0
// Why a bundle takes its way: every rule and way in the order of precedence, each with a verdict.
// Plain functions and a value for operators; bundles are forwarded by ForwardingTable::decide().
// The thread of the table.
#pragma once

#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "common/routing/forwarding_table.hpp"

namespace farlink::routing {

/// What selects a way, in the order of precedence.
enum class Rule : std::uint8_t { kPolicy, kPlan, kStaticRoute, kDefaultGateway };
[[nodiscard]] std::string_view to_string(Rule rule);

enum class Verdict : std::uint8_t {
    kTaken,
    kLaterChoice,  ///< an earlier one is taken
    kRuleBefore,   ///< not evaluated: an earlier rule has a way
    kNoLink,       ///< no link leads to that neighbour, or the operator has disabled it
    kLinkDown,     ///< of a policy's path
    kBackToSender,
    kLinkTooSmall,  ///< the link does not carry bundles of this size
    kNoRoom,        ///< too large for the rest of its contacts
    kFull,          ///< its contacts have no room for any bundle
    kContactOver,   ///< it can no longer leave in time
    kTooLate,       ///< it would arrive after the end of its lifetime
    kOneBefore,     ///< a critical bundle is sent to each neighbour once
    kHeld,          ///< the operator holds bundles for that destination
};
/// In an operator's words.
[[nodiscard]] std::string_view to_string(Verdict verdict);

struct ExplainedWay {
    Rule rule = Rule::kPlan;
    std::size_t policy = 0;  ///< its place in the configuration
    NextHop hop;
    bool up = false;
    DtnTime arrival = kDtnNever;  ///< of this bundle; for ways of the plan only
    std::uint64_t room_bytes = bus::kAnyBytes;
    Verdict verdict = Verdict::kLaterChoice;
};

struct Explanation {
    std::vector<ExplainedWay> ways;
    Decision decision;      ///< as by decide(); empty for a critical bundle
    bool critical = false;  ///< it is sent by every way that is taken
    bool held = false;      ///< by the operator: no way is taken
};

using Takes = std::function<bool(const NextHop &)>;

/// Explains ForwardingTable::decide().
[[nodiscard]] Explanation explain(const ForwardingTable &table, const BundleFacts &bundle,
                                  DtnTime now, const Takes &takes);
/// Explains ForwardingTable::decide_all().
[[nodiscard]] Explanation explain_all(const ForwardingTable &table, const BundleFacts &bundle,
                                      DtnTime now);

}  // namespace farlink::routing
