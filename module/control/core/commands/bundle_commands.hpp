// SPDX-License-Identifier: Apache-2.0
// `bundle find`: where a bundle is, or what became of it.
// Owned by Commands; the control agent's thread only, but for the search of the histories.
// Storage is asked for what the node holds, the histories are searched beside the loop.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "common/config/node/node_config.hpp"
#include "common/history/found_bundles.hpp"
#include "module/control/core/commands/long_reply.hpp"
#include "module/control/core/pending_requests.hpp"

namespace farlink::control {

class BundleCommands {
public:
    using Json = nlohmann::ordered_json;
    /// Searches the histories of the node; in any thread.
    using FindPast =
        std::function<history::FoundBundles(const history::BundleQuery &, std::size_t limit)>;

    static constexpr std::size_t kUsualRows = 100;
    static constexpr std::size_t kMostRows = 1000;
    /// Of the bundles of a source, storage shows those among the first of so many.
    static constexpr std::uint64_t kMostSearched = 1024;

    /// All but `find_past` are borrowed.
    BundleCommands(const config::NodeConfig &config, PendingRequests &requests, WorkQueue &work,
                   FindPast find_past)
        : config_(config), requests_(requests), work_(work), find_past_(std::move(find_past)) {}

    void find(const Json &request, const Answer &answer, const WallClock &now);

private:
    struct Search;
    void search_history(const std::shared_ptr<Search> &search);
    void ask_storage(const std::shared_ptr<Search> &search, const WallClock &now);
    void take_stored(Search &search, const bus::StoreReply &reply) const;
    static void finish(const Search &search);

    const config::NodeConfig &config_;
    PendingRequests &requests_;
    WorkQueue &work_;
    FindPast find_past_;
};

}  // namespace farlink::control
