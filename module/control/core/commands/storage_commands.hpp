// SPDX-License-Identifier: Apache-2.0
// `storage list`, `sets`, `decode`, `export`, `verify`, `compact`, `delete`, `hold`, `release` and
// `holds`.
// Owned by Commands; the control agent's thread only, but for write().
// Storage reads its bundles a part at a time; docs/formats/control.md describes the replies.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "common/config/node/node_config.hpp"
#include "module/control/core/caller.hpp"
#include "module/control/core/commands/long_reply.hpp"
#include "module/control/core/control_log.hpp"
#include "module/control/core/held_destinations.hpp"
#include "module/control/core/pending_requests.hpp"

namespace farlink::control {

class StorageCommands {
public:
    using Json = nlohmann::ordered_json;
    /// Writes all held destinations to disk; the error, or nothing. In any thread.
    using WriteHeld = std::function<std::string(const HeldDestinations::Nodes &)>;

    /// Of one list.
    static constexpr std::uint32_t kUsualRows = 100;
    static constexpr std::uint32_t kMostRows = 1000;

    /// All but `write_held` are borrowed.
    StorageCommands(const config::NodeConfig &config, PendingRequests &requests,
                    HeldDestinations &holds, WriteHeld write_held, WorkQueue &writes,
                    const ControlLog &log)
        : config_(config),
          requests_(requests),
          holds_(holds),
          write_held_(std::move(write_held)),
          writes_(writes),
          log_(log) {}

    void list(const Json &request, const Answer &answer, const WallClock &now);
    /// Fragment sets.
    void sets(const Json &request, const Answer &answer, const WallClock &now);
    /// One bundle with its blocks.
    void decode(const Json &request, const Answer &answer, const WallClock &now);
    /// Octets of one bundle.
    void read(const Json &request, const Answer &answer, const WallClock &now);
    /// Starts, shows or cancels a verification or compaction.
    void task(const Json &request, const Caller &caller, const Answer &answer,
              const WallClock &now);
    void remove(const Json &request, const Caller &caller, const Answer &answer,
                const WallClock &now);
    /// `held`: true holds the destination, false releases it.
    void hold(const Json &request, bool held, const Caller &caller, const Answer &answer);
    [[nodiscard]] Json holds() const;
    /// The router is ready: it publishes no routes before it has all held destinations.
    void publish_to_router();

private:
    /// The rows of a reply, without what says whether more follow.
    using PublishRows = std::function<Json(const bus::StoreReply &)>;
    void ask_page(bus::StoreRequest asked, const PublishRows &publish, const Answer &answer,
                  const WallClock &now);
    struct Deletion;
    void delete_on(const std::shared_ptr<Deletion> &deletion, const WallClock &now);
    void log_deletion(const Deletion &deletion) const;
    void finish(const Deletion &deletion, bool more) const;
    struct HoldChange;
    void write(HoldChange &change) const;
    void put_in_force(const HoldChange &change, const WallClock &now);

    const config::NodeConfig &config_;
    PendingRequests &requests_;
    HeldDestinations &holds_;
    WriteHeld write_held_;
    WorkQueue &writes_;
    const ControlLog &log_;
};

}  // namespace farlink::control
