// SPDX-License-Identifier: Apache-2.0
#include "common/telemetry/counter_table.hpp"

#include <algorithm>

namespace farlink::telemetry {

std::string member_name(std::string_view snake_case) {
    std::string member;
    bool begins_word = false;
    for (const char letter : snake_case) {
        if (letter == '_') {
            begins_word = true;
            continue;
        }
        const bool raises = begins_word && letter >= 'a' && letter <= 'z';
        member += raises ? static_cast<char>(letter - 'a' + 'A') : letter;
        begins_word = false;
    }
    return member;
}

void append_names(std::vector<NamedCounter> &names, const CounterInfo &info,
                  std::span<const FamilyLabels> families) {
    if (info.slots == 1) {
        names.push_back(
            {std::string(info.name), info.unit, info.help, info.gauge, member_name(info.name)});
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
        std::string as_member = member_name(name);
        names.push_back({std::move(name), info.unit, info.help, info.gauge, std::move(as_member)});
    }
}

}  // namespace farlink::telemetry
