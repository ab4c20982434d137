// SPDX-License-Identifier: Apache-2.0
// `storage list`, `decode`, `export`, `verify`, `compact`, `delete`, `hold`, `release`, `holds`:
// what a running node keeps, and what becomes of it. Owned by Commands; the supervisor's thread
// only. Storage looks at its bundles a part at a time; docs/formats/control.md describes the
// replies.
#pragma once

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "module/control/core/caller.hpp"
#include "module/control/held_destinations.hpp"
#include "module/control/pending_requests.hpp"
#include "module/control/slow_work.hpp"

namespace farlink::app {

class StorageCommands {
public:
    using Json = nlohmann::ordered_json;
    /// Called once, with the reply.
    using Answer = std::function<void(const Json &)>;

    /// Of one list.
    static constexpr std::uint32_t kUsualRows = 100;
    static constexpr std::uint32_t kMostRows = 1000;

    /// All are borrowed.
    StorageCommands(const config::NodeConfig &config, PendingRequests &requests,
                    HeldDestinations &holds, SlowWork &writes)
        : config_(config), requests_(requests), holds_(holds), writes_(writes) {}

    void list(const Json &request, const Answer &answer);
    /// One bundle with its blocks.
    void decode(const Json &request, const Answer &answer);
    /// Octets of one bundle.
    void read(const Json &request, const Answer &answer);
    /// Starts, shows or cancels what storage does beside its work.
    void task(const Json &request, const Caller &caller, const Answer &answer);
    void remove(const Json &request, const Caller &caller, const Answer &answer);
    /// `held`: true holds the destination, false releases it.
    void hold(const Json &request, bool held, const Caller &caller, const Answer &answer);
    [[nodiscard]] Json holds() const;
    /// The router begins: it publishes nothing before it has been told what is held.
    void publish_to_router();

private:
    struct Deletion;
    void delete_on(const std::shared_ptr<Deletion> &deletion);
    /// In the log.
    void note(const Deletion &deletion) const;
    void finish(const Deletion &deletion, bool more) const;
    struct HoldChange;
    void write(HoldChange &change) const;
    void put_in_force(const HoldChange &change);

    const config::NodeConfig &config_;
    PendingRequests &requests_;
    HeldDestinations &holds_;
    SlowWork &writes_;  ///< a disk may take its time
    Logger log_{"control"};
};

}  // namespace farlink::app
