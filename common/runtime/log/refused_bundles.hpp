// SPDX-License-Identifier: Apache-2.0
// Logs the bundles that links refuse for lack of memory: one line in ten seconds for each link.
// Owned by its agent.
// One thread.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/runtime/log/counted_events.hpp"
#include "common/runtime/log/log.hpp"

namespace farlink {

class RefusedBundles {
public:
    explicit RefusedBundles(Logger &log) : log_(log) {}

    /// So many bundles of `peer` (empty: it has announced no name) were refused on `link`.
    void add(LinkId link, std::uint64_t bundles, std::string_view peer, TimePoint now);
    /// Logs what was counted since the last line.
    void handle_second(TimePoint now);

private:
    /// Of one link.
    struct Refused {
        CountedEvents events{seconds(10)};
        std::string last_peer;
    };
    void log(LinkId link, Refused &refused, TimePoint now);

    Logger &log_;
    std::map<LinkId, Refused> refused_;
};

}  // namespace farlink
