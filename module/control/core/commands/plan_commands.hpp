// SPDX-License-Identifier: Apache-2.0
// Commands about the contact plan: show it and its history, replace it, change it, or try a change.
// Owned by Commands; the control agent's thread only, but for prepare().
// Changes are read, checked and written beside the loop, one after the other, and put in force on
// the loop.
// docs/formats/control.md describes requests and replies.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "module/control/core/caller.hpp"
#include "module/control/core/commands/long_reply.hpp"
#include "module/control/core/link_overrides.hpp"
#include "module/control/core/pending_requests.hpp"
#include "module/control/core/plan_store.hpp"
#include "module/control/core/work_queue.hpp"

namespace farlink::control {

class PlanCommands {
public:
    using Json = nlohmann::ordered_json;
    /// Gives the request, or the reply to one that is refused; beside the loop.
    using Read = std::move_only_function<Result<Json, Json>(const std::stop_token &)>;

    /// All are borrowed. `changes` has no other user: its work writes the plan. `links`: of `node`,
    /// this one.
    PlanCommands(PlanStore &plan, PendingRequests &requests, WorkQueue &changes, WorkQueue &replies,
                 const LinkOverrides &links, NodeNumber node)
        : plan_(plan),
          requests_(requests),
          changes_(changes),
          replies_(replies),
          links_(links),
          node_(node) {}

    /// `plan show`.
    void show(const TakeReply &answer);
    /// `plan history`.
    void history(const TakeReply &answer) const;
    /// `plan replace`, `plan add`, `plan change`, `plan remove` and `plan rollback`; `bytes`: of
    /// the request.
    void change(Read read, std::size_t bytes, const Caller &caller, const TakeReply &answer,
                const WallClock &now);

    /// Moves the window of periodic contacts.
    void handle_second(const WallClock &now);

    /// For `status`: the plan without its contacts.
    [[nodiscard]] Json to_json() const;
    /// The nodes to which `node` sends in a contact of the plan.
    [[nodiscard]] std::vector<NodeNumber> neighbours(NodeNumber node) const;

private:
    struct Proposal;

    void prepare(Proposal &proposal, Read &read, const std::stop_token &stop) const;
    void go_on(const std::shared_ptr<Proposal> &proposal, const WallClock &now);
    void warn(Proposal &proposal) const;
    void publish(const std::shared_ptr<Proposal> &proposal);
    [[nodiscard]] static Json outcome(const Proposal &proposal);

    PlanStore &plan_;
    PendingRequests &requests_;
    WorkQueue &changes_;
    WorkQueue &replies_;
    const LinkOverrides &links_;
    const NodeNumber node_;
};

}  // namespace farlink::control
