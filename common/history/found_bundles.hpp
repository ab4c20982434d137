// SPDX-License-Identifier: Apache-2.0
// What a search in the bundle histories of a node has found.
// Values without behaviour.
// Any thread.
#pragma once

#include <string>
#include <vector>

#include "common/history/history_reader.hpp"

namespace farlink::history {

/// A record, and the module that has written it.
struct FoundBundle {
    PastBundle bundle;
    std::string module;
};

struct FoundBundles {
    std::vector<FoundBundle> bundles;  ///< the newest first
    SearchCounts counts;
    std::size_t histories = 0;  ///< that were searched
    bool more = false;
};

}  // namespace farlink::history
