// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/events_print.hpp"

#include <cstdio>

#include "apps/farlinkctl/node/event_reader.hpp"
#include "apps/farlinkctl/node/state_tables.hpp"
#include "apps/farlinkctl/shared/exit_code.hpp"
#include "apps/farlinkctl/shared/wait_for_reader.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

constexpr seconds kLookAgain{1};

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
    const auto reply = node.show("/api/v1/events?limit=1000");
    if (!reply) {
        std::fprintf(stderr, "farlinkctl: %s\n", reply.error().c_str());
        return kExitFailed;
    }
    EventReader reader;
    std::vector<Json> events = reader.take(*reply);
    if (events.size() > options.limit)
        events.erase(events.begin(), events.end() - static_cast<std::ptrdiff_t>(options.limit));
    if (options.json && !options.follow) {
        Json last{{"ok", true}, {"events", events}};
        std::puts(last.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
        return kExitClean;
    }
    print(options, events);
    return options.follow ? follow(options, node, reader) : kExitClean;
}

}  // namespace farlink::ctl
