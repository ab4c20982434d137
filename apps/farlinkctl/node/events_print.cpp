// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/events_print.hpp"

#include <algorithm>
#include <cstdio>

#include "apps/farlinkctl/node/state_tables.hpp"
#include "apps/farlinkctl/shared/event_reader.hpp"
#include "apps/farlinkctl/shared/exit_code.hpp"
#include "apps/farlinkctl/shared/wait_for_reader.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

constexpr seconds kLookAgain{1};

/// Numbers of events: what is printed without `--limit`, and what the node has in memory.
constexpr std::uint64_t kLast = 50;
constexpr std::uint64_t kOfPeriod = 10'000;
constexpr std::uint64_t kKept = 1000;

void print(const StateOptions &options, const std::vector<Json> &events) {
    for (const Json &event : events)
        std::puts(options.json ? event.dump(-1, ' ', false, Json::error_handler_t::replace).c_str()
                               : event_line(event).c_str());
    std::fflush(stdout);
}

/// Ends when it is interrupted or standard output is closed.
int follow(const StateOptions &options, const StateClient &node, EventReader &reader) {
    std::string published;
    while (wait_for_reader(kLookAgain)) {
        const auto reply = node.show(reader.next_path());
        if (reply) {
            print(options, reader.take(*reply));
            published.clear();
        } else if (reply.error() != published) {
            published = reply.error();
            std::fprintf(stderr, "farlinkctl: %s\n", published.c_str());
        }
    }
    return kExitClean;
}

}  // namespace

int print_events(const StateOptions &options, const StateClient &node) {
    const bool period = !options.from.empty() || !options.to.empty();
    const auto limit = options.limit > 0 ? options.limit : period ? kOfPeriod : kLast;
    const auto reply = node.show(path_with(
        "/api/v1/events", {{"limit", std::to_string(period ? limit : std::min(limit, kKept))},
                           {"from", options.from},
                           {"to", options.to},
                           {"format", options.csv ? "csv" : ""}}));
    if (!reply) {
        std::fprintf(stderr, "farlinkctl: %s\n", reply.error().c_str());
        return kExitFailed;
    }
    if (options.csv) {
        std::fputs(reply->value("text", std::string()).c_str(), stdout);
        return kExitClean;
    }
    EventReader reader;
    std::vector<Json> events = reader.take(*reply);
    if (options.json && !options.follow) {
        Json last{{"ok", true}, {"events", events}};
        std::puts(last.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
        return kExitClean;
    }
    print(options, events);
    return options.follow ? follow(options, node, reader) : kExitClean;
}

}  // namespace farlink::ctl
