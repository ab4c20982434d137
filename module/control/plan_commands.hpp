// SPDX-License-Identifier: Apache-2.0
// What an operator does to the contact plan: looks at it and at its history, replaces and changes
// it, or only tries that.
// Owned by Commands; the supervisor's thread, but for what it says.
// Changes are read, checked and written in the thread of slow work, one after the other, and put in
// force on the loop.
// docs/formats/control.md describes requests and replies.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>

#include "module/control/contact_plan_store.hpp"
#include "module/control/core/caller.hpp"
#include "module/control/long_reply.hpp"
#include "module/control/pending_requests.hpp"
#include "module/control/slow_work.hpp"

namespace farlink::app {

class PlanCommands {
public:
    using Json = nlohmann::ordered_json;
    /// Gives the request, or the reply to one that cannot be taken; in the thread of slow work.
    using Read = std::move_only_function<Result<Json, Json>(const std::stop_token &)>;

    /// All are borrowed. `changes` has no other user: what it runs may write the plan.
    PlanCommands(ContactPlanStore &plan, PendingRequests &requests, SlowWork &changes,
                 SlowWork &replies)
        : plan_(plan), requests_(requests), changes_(changes), replies_(replies) {}

    /// `plan show`.
    void show(const TakeReply &answer);
    /// `plan history`.
    void history(const TakeReply &answer) const;
    /// `plan replace`, `plan add`, `plan change` and `plan remove`; `bytes`: of the request.
    void change(Read read, std::size_t bytes, const Caller &caller, const TakeReply &answer);

    /// For `status`: the plan without its contacts.
    [[nodiscard]] Json to_json() const;
    /// Whom the plan has contacts with that `node` sends in.
    [[nodiscard]] std::vector<NodeNumber> neighbours(NodeNumber node) const;

private:
    struct Proposal;

    void prepare(Proposal &proposal, Read &read, const std::stop_token &stop) const;
    void go_on(const std::shared_ptr<Proposal> &proposal);
    void publish(const std::shared_ptr<Proposal> &proposal);
    [[nodiscard]] static Json outcome(const Proposal &proposal);

    ContactPlanStore &plan_;
    PendingRequests &requests_;
    SlowWork &changes_;
    SlowWork &replies_;
};

}  // namespace farlink::app
