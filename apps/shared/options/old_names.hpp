// SPDX-License-Identifier: Apache-2.0
// Former names of keys in the JSON of programs.
// A plain function; any thread.
// Former names that version 0.1.0 had are written beside the new ones for one minor version.
#pragma once

#include <initializer_list>
#include <utility>

namespace farlink {

/// Each pair is the new and the former name.
template <class Json>
void add_old_names(Json &report,
                   std::initializer_list<std::pair<const char *, const char *>> renamed) {
    for (const auto &[now, before] : renamed)
        if (const auto found = report.find(now); found != report.end())
            report[before] = Json(*found);
}

}  // namespace farlink
