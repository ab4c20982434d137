// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/paths/view_paths.hpp"

#include <initializer_list>
#include <utility>

#include "module/telemetry/api/request/problem.hpp"
#include "module/telemetry/core/alarms/alarm_text.hpp"

namespace farlink::telemetry::paths {
namespace {

/// A module that hangs leaves its last figures behind.
Outcome with_ages(const Request &request, Json reply, std::initializer_list<bus::AgentId> roles) {
    Json ages = request.view.state().figure_ages(roles, request.moment.now);
    if (!ages.empty()) reply["figuresAgeSeconds"] = std::move(ages);
    return json_answer(reply);
}

}  // namespace

Outcome healthz(const Request &) {
    return Answer{200, "text/plain; charset=utf-8", "ok\n"};
}

Outcome readyz(const Request &request) {
    const Json missing = request.view.state().not_ready();
    return json_answer({{"ready", missing.empty()},
                        {"notReady", missing},
                        {"degraded", request.view.state().degraded()},
                        {"alarms", alarm_counts(request.view.alarms())}},
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

Outcome alarms(const Request &request) {
    return json_answer(alarms_json(request.view.alarms()));
}

Outcome config(const Request &request) {
    return Answer{200, "application/json", request.config};
}

Outcome links(const Request &request) {
    Json list = Json::array();
    for (const Json &link : request.view.document(request.moment)["links"]) list.push_back(link);
    return with_ages(request, {{"links", std::move(list)}},
                     {bus::AgentId::kIngress, bus::AgentId::kEgress});
}

Outcome link(const Request &request) {
    const Json &links = request.view.document(request.moment)["links"];
    const auto found = links.find(std::to_string(request.number));
    if (found == links.end()) return problem(404, "no such link; /api/v1/links lists them");
    return with_ages(request, {{"link", *found}}, {bus::AgentId::kIngress, bus::AgentId::kEgress});
}

Outcome storage(const Request &request) {
    const Json &document = request.view.document(request.moment);
    Json pending = Json::array();
    for (const Json &each : document["pending"]) pending.push_back(each);
    return with_ages(request, {{"storage", document["storage"]}, {"pending", std::move(pending)}},
                     {bus::AgentId::kStorage});
}

Outcome endpoints(const Request &request) {
    Json list = Json::array();
    for (const Json &each : request.view.document(request.moment)["endpoints"])
        list.push_back(each);
    return json_answer({{"endpoints", std::move(list)}});
}

Outcome custody(const Request &request) {
    return json_answer(request.view.custody(request.moment));
}

}  // namespace farlink::telemetry::paths
