// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/renamed_keys.hpp"

#include <algorithm>
#include <utility>

namespace farlink::config {
namespace {

class Search {
public:
    explicit Search(std::span<const RenamedKey> renamed) : renamed_(renamed) {}

    void look(const SectionInfo &section, const JsonValue &json, const std::string &path) {
        for (const JsonMember &member : json.members) {
            const std::string where = member_path(path, member.key);
            const auto old = find(section, member.key);
            if (old != renamed_.end())
                warnings.push_back(where + ": is now \"" + std::string(old->new_key) +
                                   "\"; the old name is read until version " +
                                   std::string(old->until));
            const std::string_view key = old == renamed_.end() ? member.key : old->new_key;
            const auto field = std::ranges::find(section.fields, key, &FieldInfo::key);
            if (field == section.fields.end() || field->section == nullptr) continue;
            look(*field->section, member.value, where);
            for (std::size_t i = 0; i < member.value.items.size(); ++i)
                look(*field->section, member.value.items[i], item_path(where, i));
        }
    }

    [[nodiscard]] std::span<const RenamedKey>::iterator find(const SectionInfo &section,
                                                             std::string_view key) const {
        return std::ranges::find_if(renamed_, [&](const RenamedKey &one) {
            return one.section == section.title && one.old_key == key;
        });
    }

    std::vector<std::string> warnings;

private:
    std::span<const RenamedKey> renamed_;
};

}  // namespace

std::span<const RenamedKey> renamed_keys() {
    return {};  // 0.1.0 is the first version
}

std::string_view current_key(const SectionInfo &section, std::string_view key,
                             std::span<const RenamedKey> renamed) {
    const auto found = Search(renamed).find(section, key);
    return found == renamed.end() ? key : found->new_key;
}

std::vector<std::string> renamed_key_warnings(const SectionInfo &table, const JsonValue &document,
                                              std::span<const RenamedKey> renamed) {
    Search search(renamed);
    search.look(table, document, "");
    return std::move(search.warnings);
}

}  // namespace farlink::config
