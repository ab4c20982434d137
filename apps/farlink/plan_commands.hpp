// SPDX-License-Identifier: Apache-2.0
// What an operator does to the contact plan: looks at it and at its history, replaces and changes
// it, or only tries that.
// Owned by Commands; the supervisor's thread only.
// docs/formats/control.md describes requests and replies.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "apps/farlink/caller.hpp"
#include "apps/farlink/plan_keeper.hpp"
#include "apps/farlink/questions.hpp"

namespace farlink::app {

class PlanCommands {
public:
    using Json = nlohmann::ordered_json;
    using Answer = std::function<void(const Json &)>;

    /// Both are borrowed.
    PlanCommands(PlanKeeper &plan, Questions &questions) : plan_(plan), questions_(questions) {}

    /// `plan show`.
    void show(const Json &request, const Caller &caller, const Answer &answer);
    /// `plan history`.
    void history(const Json &request, const Caller &caller, const Answer &answer);
    /// `plan replace`, `plan add`, `plan change` and `plan remove`.
    void change(const Json &request, const Caller &caller, const Answer &answer);

    /// For `status`: the plan without its contacts.
    [[nodiscard]] Json to_json() const;

private:
    struct Proposal;

    void tell(const Proposal &proposal) const;
    [[nodiscard]] static Json outcome(const Proposal &proposal, std::uint64_t version);

    PlanKeeper &plan_;
    Questions &questions_;
};

}  // namespace farlink::app
