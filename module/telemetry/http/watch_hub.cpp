// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/watch_hub.hpp"

#include <algorithm>
#include <utility>

#include "common/history/json/past_bundle_json.hpp"

namespace farlink::telemetry {
namespace {

using OrderedJson = nlohmann::ordered_json;

std::shared_ptr<const std::string> text_in(const OrderedJson &message) {
    return std::make_shared<const std::string>(
        message.dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
}

}  // namespace

bool WatchHub::add(const std::shared_ptr<Subscriber> &subscriber,
                   const history::WatchRules &rules) {
    if (watchers_.size() >= kMostWatchers) return false;
    if (!follower_) follower_.emplace(folder_);
    watchers_.push_back({subscriber, history::BundleWatch(rules)});
    subscriber->send(text_in({{"type", "ready"}}));
    return true;
}

void WatchHub::remove(const std::shared_ptr<Subscriber> &subscriber) {
    std::erase_if(watchers_, [&](const Watcher &each) { return each.subscriber == subscriber; });
    if (watchers_.empty()) follower_.reset();
}

void WatchHub::look(TimePoint now) {
    drop_slow(now);
    if (!follower_) return;
    std::vector<history::FoundBundle> found;
    const std::uint64_t missed = follower_->poll(kMostAtOnce, found);
    for (Watcher &watcher : watchers_) {
        watcher.missed += missed;
        show(watcher, found, now);
    }
}

void WatchHub::show(Watcher &watcher, const std::vector<history::FoundBundle> &found,
                    TimePoint now) {
    OrderedJson rows = OrderedJson::array();
    for (const history::FoundBundle *each : watcher.watch.select(found, now))
        rows.push_back(history::to_json(*each));
    const std::uint64_t unseen = watcher.missed + watcher.watch.beyond_limit();
    const bool report = unseen > watcher.reported && now - watcher.reported_at >= seconds(1);
    if (rows.empty() && !report) return;
    watcher.reported = unseen;
    watcher.reported_at = now;
    watcher.subscriber->send(text_in({{"type", "bundles"},
                                      {"bundles", std::move(rows)},
                                      {"beyondLimit", watcher.watch.beyond_limit()},
                                      {"missed", watcher.missed}}));
}

void WatchHub::drop_slow(TimePoint now) {
    std::vector<std::shared_ptr<Subscriber>> slow;
    for (const Watcher &each : watchers_)
        if (each.subscriber->slow(now)) slow.push_back(each.subscriber);
    for (const auto &each : slow) {
        remove(each);
        each->drop();
    }
}

}  // namespace farlink::telemetry
