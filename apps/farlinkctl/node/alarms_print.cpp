// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/alarms_print.hpp"

#include <algorithm>
#include <cstdio>

#include "apps/farlinkctl/shared/exit_code.hpp"
#include "apps/farlinkctl/shared/failed.hpp"
#include "apps/farlinkctl/shared/reply_table.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

Json list_of(const Json &reply, const char *key) {
    const auto found = reply.find(key);
    return found != reply.end() && found->is_array() ? *found : Json::array();
}

}  // namespace

std::string alarms_text(const Json &reply) {
    const Json active = list_of(reply, "active");
    std::string all = active.empty() ? "no alarm is active\n" : "";
    for (const Json &alarm : active)
        all += cell(alarm, "severity") + ' ' + cell(alarm, "name") + " since " +
               cell(alarm, "since") + "\n  " + cell(alarm, "text") +
               "\n  do: " + cell(alarm, "action") + '\n';
    const Json ended = list_of(reply, "ended");
    if (!ended.empty()) all += "\nended:\n";
    for (const Json &alarm : ended)
        all += cell(alarm, "since") + " to " + cell(alarm, "ended") + ' ' + cell(alarm, "name") +
               ": " + cell(alarm, "text") + '\n';
    return all;
}

bool has_critical(const Json &reply) {
    return std::ranges::any_of(list_of(reply, "active"), [](const Json &alarm) {
        return cell(alarm, "severity") == "critical";
    });
}

int print_alarms(const StateOptions &options, const StateClient &node) {
    const auto reply = node.show("/api/v1/alarms");
    if (!reply) return failed(reply.error());
    if (options.json)
        std::puts(reply->dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
    else
        std::fputs(alarms_text(*reply).c_str(), stdout);
    return has_critical(*reply) ? kExitCritical : kExitClean;
}

}  // namespace farlink::ctl
