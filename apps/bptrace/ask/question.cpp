// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/ask/question.hpp"

#include <algorithm>

#include "apps/farlinkctl/bundle/bundle_print.hpp"
#include "apps/farlinkctl/shared/reply_table.hpp"

namespace farlink::bptrace {
namespace {

using Json = nlohmann::ordered_json;

/// The newest of all records.
struct Newest {
    std::string time{};
    std::string outcome{};
};

void look_at(const Json &past, Newest &newest) {
    for (const Json &record : past) {
        const std::string time = ctl::text(record, "time");
        if (!newest.outcome.empty() && time <= newest.time) continue;
        newest = {time, ctl::text(record, "outcome")};
    }
}

bool has_rows(const Json &reply, const char *key) {
    const auto found = reply.find(key);
    return found != reply.end() && found->is_array() && !found->empty();
}

}  // namespace

std::string fate_of(const std::vector<NodeAnswer> &answers) {
    Newest newest;
    bool held = false;
    bool silent = false;
    bool delivered = false;
    for (const NodeAnswer &answer : answers) {
        silent = silent || !answer.error.empty();
        if (!answer.error.empty()) continue;
        held = held || has_rows(answer.reply, "held");
        if (!has_rows(answer.reply, "past")) continue;
        const Json &past = answer.reply["past"];
        look_at(past, newest);
        delivered = delivered || std::ranges::any_of(past, [](const Json &record) {
                        return ctl::text(record, "outcome") == "delivered";
                    });
    }
    if (delivered) return "delivered";
    if (held) return "held";
    if (!newest.outcome.empty()) return newest.outcome;
    return silent ? "unknown" : "not found";
}

Json answers_json(const std::string &bundle, const std::vector<NodeAnswer> &answers) {
    Json nodes = Json::array();
    for (const NodeAnswer &answer : answers) {
        Json row{{"node", answer.node}};
        if (answer.error.empty())
            row.update(answer.reply);
        else
            row["error"] = answer.error;
        nodes.push_back(std::move(row));
    }
    return {{"bundle", bundle}, {"outcome", fate_of(answers)}, {"nodes", std::move(nodes)}};
}

}  // namespace farlink::bptrace
