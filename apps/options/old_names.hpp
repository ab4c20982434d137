// SPDX-License-Identifier: Apache-2.0
// Keys of the tools' JSON that had other names before.
// A plain function; any thread.
// The old names stand beside the new ones for one minor version.
#pragma once

#include <initializer_list>
#include <utility>

namespace farlink {

/// Each pair is the name now and the one before.
template <class Json>
void add_old_names(Json &report,
                   std::initializer_list<std::pair<const char *, const char *>> renamed) {
    for (const auto &[now, before] : renamed)
        if (const auto found = report.find(now); found != report.end())
            report[before] = Json(*found);
}

}  // namespace farlink
