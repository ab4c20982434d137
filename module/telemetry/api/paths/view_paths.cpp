// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/paths/view_paths.hpp"

#include <algorithm>
#include <string_view>

#include "module/telemetry/api/request/problem.hpp"
#include "module/telemetry/core/alarms/alarm_text.hpp"

namespace farlink::telemetry::paths {

Outcome healthz(const Request &) {
    return Answer{200, "text/plain; charset=utf-8", "ok\n"};
}

Outcome readyz(const Request &request) {
    const Json missing = request.view.state().not_ready();
    return json_answer({{"ready", missing.empty()},
                        {"notReady", missing},
                        {"degraded", request.view.state().degraded()}},
                       missing.empty() ? 200 : 503);
}

Outcome metrics(const Request &request) {
    return Answer{200, "text/plain; version=0.0.4; charset=utf-8", request.view.metrics()};
}

Outcome state(const Request &request) {
    return json_answer(request.view.document(request.moment));
}

Outcome session(const Request &request) {
    return json_answer({{"role", to_string(request.call.role)}});
}

Outcome history(const Request &request) {
    std::uint64_t seconds = History::kMostPoints;
    const auto &query = request.target.query;
    if (const auto wanted = query.find("seconds"); wanted != query.end()) {
        const auto number = parse_number(wanted->second, History::kMostPoints);
        if (!number || *number == 0)
            return problem(400, "`seconds`: expected a whole number from 1 to 3600");
        seconds = *number;
    }
    std::vector<std::string> names;
    if (const auto wanted = query.find("series"); wanted != query.end()) {
        std::string_view rest = wanted->second;
        for (;;) {
            const std::size_t comma = rest.find(',');
            names.emplace_back(rest.substr(0, comma));
            if (comma == std::string_view::npos) break;
            rest.remove_prefix(comma + 1);
        }
    }
    return Answer{200, "application/json",
                  request.view.history().to_json(static_cast<std::size_t>(seconds), names)};
}

Outcome events(const Request &request) {
    std::uint64_t limit = 200;
    const EventLog &events = request.view.events();
    const auto &query = request.target.query;
    if (const auto wanted = query.find("limit"); wanted != query.end()) {
        const auto number = parse_number(wanted->second, EventLog::kMostEvents);
        if (!number || *number == 0)
            return problem(400, "`limit`: expected a whole number from 1 to 1000");
        limit = *number;
    }
    std::uint64_t after = events.last() - std::min(events.last(), limit);
    if (const auto wanted = query.find("after"); wanted != query.end()) {
        const auto number = parse_number(wanted->second, ~std::uint64_t{0});
        if (!number) return problem(400, "`after`: expected the number of an event");
        after = *number;
    }
    return json_answer({{"events", events.after(after, static_cast<std::size_t>(limit))}});
}

Outcome alarms(const Request &request) {
    return json_answer(alarms_json(request.view.alarms()));
}

Outcome config(const Request &request) {
    return Answer{200, "application/json", request.config};
}

Outcome links(const Request &request) {
    Json list = Json::array();
    for (const Json &link : request.view.document(request.moment)["links"]) list.push_back(link);
    return json_answer({{"links", std::move(list)}});
}

Outcome link(const Request &request) {
    const Json &links = request.view.document(request.moment)["links"];
    const auto found = links.find(std::to_string(request.number));
    if (found == links.end()) return problem(404, "no such link; /api/v1/links lists them");
    return json_answer({{"link", *found}});
}

Outcome storage(const Request &request) {
    const Json &document = request.view.document(request.moment);
    Json pending = Json::array();
    for (const Json &each : document["pending"]) pending.push_back(each);
    return json_answer({{"storage", document["storage"]}, {"pending", std::move(pending)}});
}

Outcome custody(const Request &request) {
    return json_answer(request.view.custody(request.moment));
}

}  // namespace farlink::telemetry::paths
