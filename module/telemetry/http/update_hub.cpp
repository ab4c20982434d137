// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/update_hub.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "module/telemetry/core/text/merge_patch.hpp"

namespace farlink::telemetry {
namespace {

std::shared_ptr<const std::string> message(const char *type, const char *key, const Json &value) {
    using Ordered = nlohmann::ordered_json;
    const Ordered frame{{"type", type}, {key, value}};
    return std::make_shared<const std::string>(
        frame.dump(-1, ' ', false, Ordered::error_handler_t::replace));
}

}  // namespace

void UpdateHub::add(const std::shared_ptr<Subscriber> &subscriber, unsigned rate,
                    const Moment &moment) {
    if (empty()) published_event_ = view_.events().last();
    remove(subscriber);
    Group &group = groups_[rate - 1];
    // A new member gets the state of its group, to which the next patch applies.
    if (group.members.empty()) {
        group.published = view_.document(moment);
        group.text.reset();
        group.due = 0;
    }
    if (!group.text) group.text = message("state", "state", group.published);
    group.members.push_back(subscriber);
    subscriber->send(group.text);
}

void UpdateHub::remove(const std::shared_ptr<Subscriber> &subscriber) {
    for (Group &group : groups_) std::erase(group.members, subscriber);
}

bool UpdateHub::empty() const {
    return std::ranges::all_of(groups_, [](const Group &group) { return group.members.empty(); });
}

void UpdateHub::turn(const Moment &moment) {
    drop_slow(moment.now);
    for (std::size_t i = 0; i < groups_.size(); ++i) {
        Group &group = groups_[i];
        if (group.members.empty()) continue;
        group.due += static_cast<unsigned>(i) + 1;
        if (group.due < kTurns) continue;
        group.due -= kTurns;
        send_patch(group, moment);
    }
    send_events();
}

void UpdateHub::send_patch(Group &group, const Moment &moment) {
    const auto patch = merge_patch(group.published, view_.document(moment));
    if (!patch) return;
    group.published.merge_patch(*patch);
    group.text.reset();
    const auto text = message("patch", "patch", *patch);
    for (const auto &member : group.members) member->send(text);
}

void UpdateHub::send_events() {
    if (view_.events().last() == published_event_) return;
    const auto text =
        message("events", "events", view_.events().after(published_event_, EventLog::kMostEvents));
    published_event_ = view_.events().last();
    for (Group &group : groups_)
        for (const auto &member : group.members) member->send(text);
}

void UpdateHub::drop_slow(TimePoint now) {
    for (Group &group : groups_) {
        const auto slow =
            std::stable_partition(group.members.begin(), group.members.end(),
                                  [now](const auto &member) { return !member->slow(now); });
        const std::vector<std::shared_ptr<Subscriber>> dropped(slow, group.members.end());
        group.members.erase(slow, group.members.end());
        for (const auto &member : dropped) member->drop();
    }
}

}  // namespace farlink::telemetry
