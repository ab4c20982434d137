// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/link_steps.hpp"

#include <ranges>
#include <utility>

namespace farlink::control {
namespace {

using Json = nlohmann::ordered_json;

bool alike(const LinkStep &one, const LinkStep &other) {
    return one.verb == other.verb && one.link.outduct() == other.link.outduct() &&
           (one.link.carrier == kNoLink) == (other.link.carrier == kNoLink);
}

/// The step that undoes another one.
LinkStep reverse_of(const LinkStep &step) {
    switch (step.verb) {
        case bus::LinkVerb::kAdd:
            return {bus::LinkVerb::kRemove, step.link, {}, step.path};
        case bus::LinkVerb::kRemove:
            return {bus::LinkVerb::kAdd, step.before.value_or(step.link), {}, step.path};
        case bus::LinkVerb::kChange:
            break;
    }
    return {bus::LinkVerb::kChange, step.before.value_or(step.link), {}, step.path};
}

}  // namespace

std::vector<LinkStep> reversed(const std::vector<LinkStep> &steps) {
    std::vector<LinkStep> back;
    for (const LinkStep &step : steps | std::views::reverse) back.push_back(reverse_of(step));
    return back;
}

void LinkSteps::begin_group(const WallClock &now) {
    if (next_ == steps_.size()) return done_(failures_, now);
    time_ = now;
    std::size_t end = next_;
    while (end < steps_.size() && alike(steps_[end], steps_[next_])) ++end;
    awaited_ = end - next_;
    // A module that does not run answers at once.
    sending_ = true;
    while (next_ < end) {
        const std::size_t at = next_++;
        links_.apply(
            steps_[at].verb, steps_[at].link,
            [self = shared_from_this(), at](const Json &reply) { self->handle(at, reply); }, now);
    }
    sending_ = false;
    if (awaited_ == 0) end_group(now);
}

void LinkSteps::handle(std::size_t at, const Json &reply) {
    if (reply.value("ok", false))
        carried_out_.push_back(steps_[at]);
    else
        failures_.push_back({steps_[at].path, reply.value("error", std::string())});
    if (--awaited_ == 0 && !sending_) end_group(time_);
}

void LinkSteps::end_group(const WallClock &now) {
    if (!failures_.empty() && !std::exchange(undoing_, true)) {
        steps_ = reversed(carried_out_);
        next_ = 0;
    }
    begin_group(now);
}

}  // namespace farlink::control
