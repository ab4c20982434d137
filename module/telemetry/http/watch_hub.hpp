// SPDX-License-Identifier: Apache-2.0
// Sends the bundles that end at this node to the WebSocket clients that watch them.
// Owned by the server; its thread only.
// The bundle history is read once for all, from its files: other modules do no work for a watcher.
// What a look has no room for is counted as missed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/history/bundle_watch.hpp"
#include "common/history/file/history_follower.hpp"
#include "module/telemetry/http/host.hpp"

namespace farlink::telemetry {

class WatchHub {
public:
    static constexpr milliseconds kLookEvery{200};
    static constexpr std::size_t kMostWatchers = 16;
    /// Records of each module in one look.
    static constexpr std::size_t kMostAtOnce = 10'000;

    explicit WatchHub(std::string folder) : folder_(std::move(folder)) {}

    /// From now on. False: as many as may watch already.
    [[nodiscard]] bool add(const std::shared_ptr<Subscriber> &subscriber,
                           const history::WatchRules &rules);
    void remove(const std::shared_ptr<Subscriber> &subscriber);
    void look(TimePoint now);
    [[nodiscard]] bool empty() const { return watchers_.empty(); }

private:
    struct Watcher {
        std::shared_ptr<Subscriber> subscriber;
        history::BundleWatch watch;
        std::uint64_t missed = 0;    ///< since it watches
        std::uint64_t reported = 0;  ///< missed and beyond its limit, in its last message
        TimePoint reported_at{};
    };

    void show(Watcher &watcher, const std::vector<history::FoundBundle> &found, TimePoint now);
    void drop_slow(TimePoint now);

    std::string folder_;
    std::optional<history::HistoryFollower> follower_;  ///< while there are watchers
    std::vector<Watcher> watchers_;
};

}  // namespace farlink::telemetry
