// SPDX-License-Identifier: Apache-2.0
// A request whose path is in the API's table, and the outcome of its handler.
// Made by Api for each request; values and references that live as long as the request.
// One thread.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/time.hpp"
#include "common/history/bundle_watch.hpp"
#include "module/telemetry/api/request/app_request.hpp"
#include "module/telemetry/api/request/call.hpp"
#include "module/telemetry/api/request/target.hpp"
#include "module/telemetry/core/history/history_query.hpp"
#include "module/telemetry/core/node_view.hpp"

namespace farlink::telemetry {

struct Request {
    const Call &call;
    const Target &target;
    std::uint64_t number;  ///< in the path, where it has one
    const Moment &moment;
    NodeView &view;
    const std::string &config;  ///< the configuration without secrets, as JSON
};

/// A command for the supervisor, as the control socket takes it.
struct Command {
    std::string request;
    std::string change;     ///< the change, for the audit; empty: the command changes nothing
    LinkId link = kNoLink;  ///< the link that it changes
    /// Makes the answer from a reply that is ok; null: the answer is the reply without `ok`.
    Answer (*render)(const Json &reply) = nullptr;
    seconds patience{15};  ///< time limit of the reply
};

/// A file of the dashboard: its path within the folder.
struct StaticFile {
    std::vector<std::string> path;
};

/// A WebSocket that shows bundles as they end.
struct WatchRequest {
    farlink::history::WatchRules rules;
};

using Outcome = std::variant<Answer, Command, StaticFile, HistoryQuery, SendRequest, ReceiveRequest,
                             AcceptRequest, MessagesRequest, WatchRequest>;

}  // namespace farlink::telemetry
