// SPDX-License-Identifier: Apache-2.0
#include "apps/linkemu/summary.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

namespace farlink::linkemu {
namespace {

using emulation::WireCounters;

struct Line {
    const char *key;
    const char *text;
    std::uint64_t WireCounters::*counter;
};

constexpr Line kLines[] = {
    {"taken", "taken", &WireCounters::taken},
    {"takenBytes", "taken, bytes", &WireCounters::taken_bytes},
    {"carried", "carried", &WireCounters::carried},
    {"carriedBytes", "carried, bytes", &WireCounters::carried_bytes},
    {"lost", "lost", &WireCounters::lost},
    {"lostInBursts", "lost in bursts", &WireCounters::lost_in_bursts},
    {"lostInOutages", "lost in outages", &WireCounters::lost_in_outages},
    {"queueFull", "lost because the queue was full", &WireCounters::queue_full},
    {"memoryFull", "lost because the limit --memory was reached", &WireCounters::memory_full},
    {"duplicated", "duplicated", &WireCounters::duplicated},
    {"reordered", "reordered", &WireCounters::reordered},
    {"flippedBits", "bits flipped", &WireCounters::flipped_bits},
    {"mostBytes", "most in flight, bytes", &WireCounters::most_bytes},
};

void print(std::ostream &text, const char *direction, const WireCounters &counters) {
    text << direction << ":\n";
    for (const Line &line : kLines)
        // Counters of 0 are left out, except for `carried`.
        if (counters.*line.counter > 0 || line.counter == &WireCounters::carried)
            text << "  " << line.text << ": " << counters.*line.counter << '\n';
}

nlohmann::json to_json(const WireCounters &counters) {
    nlohmann::json json;
    for (const Line &line : kLines) json[line.key] = counters.*line.counter;
    return json;
}

}  // namespace

std::string summary_text(const Totals &totals) {
    std::ostringstream text;
    print(text, "forth", totals.forth);
    print(text, "back", totals.back);
    if (totals.connections > 0) text << "connections: " << totals.connections << '\n';
    if (totals.unknown > 0)
        text << "lost before the address of the near end was known: " << totals.unknown << '\n';
    if (totals.dropped > 0)
        text << "lost because a socket buffer was full: " << totals.dropped << '\n';
    return text.str();
}

std::string summary_json(const Totals &totals, std::uint64_t seed) {
    return nlohmann::json{{"seed", seed},
                          {"forth", to_json(totals.forth)},
                          {"back", to_json(totals.back)},
                          {"connections", totals.connections},
                          {"unknown", totals.unknown},
                          {"dropped", totals.dropped}}
        .dump();
}

}  // namespace farlink::linkemu
