// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_files/decoded_print.hpp"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "apps/farlinkctl/shared/reply_table.hpp"
#include "apps/farlinkctl/store_files/store_print.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

std::string joined(const Json &words) {
    std::string text;
    for (const Json &word : words) text += (text.empty() ? "" : ", ") + word.get<std::string>();
    return text.empty() ? "-" : text;
}

/// The content of a block that farlink supports.
std::string content_of(const Json &block) {
    if (block.contains("node")) return text(block, "node");
    if (block.contains("ageMilliseconds")) return text(block, "ageMilliseconds") + " ms";
    if (block.contains("hopLimit"))
        return text(block, "hopCount") + " of " + text(block, "hopLimit") + " hops";
    return "-";
}

void print_blocks(const Json &blocks) {
    std::vector<Row> rows{{"block", "type", "number", "flags", "crc", "at", "bytes", "content"}};
    for (const Json &block : blocks)
        rows.push_back({text(block, "name"), text(block, "type"), text(block, "number"),
                        joined(block.at("flags")), text(block, "crc"), text(block, "offset"),
                        text(block, "bytes"), content_of(block)});
    print_rows(rows);
}

}  // namespace

void print_decoded(const Json &bundle) {
    Json fields = bundle;
    fields.erase("blocks");
    if (const auto flags = bundle.find("flags"); flags != bundle.end() && flags->is_array())
        fields["flags"] = joined(*flags);
    print_fields(fields);
    if (const auto blocks = bundle.find("blocks"); blocks != bundle.end()) print_blocks(*blocks);
}

}  // namespace farlink::ctl
