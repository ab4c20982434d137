// SPDX-License-Identifier: Apache-2.0
// Carries out the link changes of a reload, and undoes them when one of them fails.
// Owned by the reload that uses it; the control agent's thread only.
// Steps of one kind are with the modules at the same time; the next kind follows when all have been
// answered.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "module/control/core/commands/link_commands.hpp"
#include "module/control/core/reload/link_changes.hpp"

namespace farlink::control {

/// The steps that undo these, in their order.
[[nodiscard]] std::vector<LinkStep> reversed(const std::vector<LinkStep> &steps);

class LinkSteps : public std::enable_shared_from_this<LinkSteps> {
public:
    /// A step that failed.
    struct Failure {
        std::string path;
        std::string error;
    };
    /// Empty: all is done. Otherwise nothing has changed, as far as it could be undone.
    using Done = std::function<void(const std::vector<Failure> &, const WallClock &)>;

    /// `links` is borrowed.
    LinkSteps(LinkCommands &links, std::vector<LinkStep> steps, Done done)
        : links_(links), steps_(std::move(steps)), done_(std::move(done)) {}

    void run(const WallClock &now) { begin_group(now); }

private:
    void begin_group(const WallClock &now);
    void handle(std::size_t at, const nlohmann::ordered_json &reply);
    void end_group(const WallClock &now);

    LinkCommands &links_;
    std::vector<LinkStep> steps_;
    Done done_;
    std::size_t next_ = 0;
    std::size_t awaited_ = 0;
    bool sending_ = false;
    bool undoing_ = false;
    WallClock time_{};
    std::vector<LinkStep> carried_out_;
    std::vector<Failure> failures_;
};

}  // namespace farlink::control
