// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/counter_table.hpp"

#include <algorithm>

namespace farlink::telemetry {

void append_names(std::vector<NamedCounter> &names, const CounterInfo &info,
                  std::span<const FamilyLabels> families) {
    if (info.slots == 1) {
        names.push_back({std::string(info.name), info.unit, info.help, info.gauge});
        return;
    }
    const auto family = std::ranges::find(families, info.name, &FamilyLabels::family);
    for (std::size_t member = 0; member < info.slots; ++member) {
        std::string name(info.name);
        name += '_';
        if (family != families.end() && member < family->labels.size())
            name += family->labels[member];
        else
            name += std::to_string(member);
        names.push_back({std::move(name), info.unit, info.help, info.gauge});
    }
}

}  // namespace farlink::telemetry
