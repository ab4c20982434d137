// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/paths/storage_paths.hpp"

#include <optional>
#include <string>

#include "module/telemetry/api/request/problem.hpp"

namespace farlink::telemetry::paths {
namespace {

constexpr std::uint64_t kAnyNumber = ~std::uint64_t{0};

/// Adds the keys of a query to a request of the control socket; returns an error, or nothing. The
/// supervisor checks endpoints and limits.
std::optional<Answer> add_query(const Target &target, Json &request) {
    for (const auto &[key, value] : target.query) {
        if (key == "destination" || key == "id") {
            request[key] = value;
        } else if (key == "force") {
            if (value != "true" && value != "false")
                return problem(400, "`force`: expected true or false");
            request[key] = value == "true";
        } else if (const auto number = parse_number(value, kAnyNumber)) {
            // The number of a bundle is text, as in replies.
            if (key == "after")
                request[key] = value;
            else
                request[key] = *number;
        } else {
            return problem(400, '`' + key + "`: expected a whole number");
        }
    }
    return std::nullopt;
}

Command plain_change(const char *command) {
    return {to_text({{"command", command}}), command, kNoLink};
}

Command hold_command(const char *command, std::uint64_t node) {
    return {to_text({{"command", command}, {"destination", node}}),
            std::string(command) + ' ' + std::to_string(node), kNoLink};
}

}  // namespace

Outcome stored_bundles(const Request &request) {
    Json question{{"command", "storage list"}};
    if (auto wrong = add_query(request.target, question)) return std::move(*wrong);
    return Command{to_text(question), {}, kNoLink};
}

// Where a bundle is, or what became of it.
Outcome find_bundle(const Request &request) {
    Json question{{"command", "bundle find"}};
    if (auto wrong = add_query(request.target, question)) return std::move(*wrong);
    return Command{to_text(question), {}, kNoLink};
}

Outcome fragment_sets(const Request &request) {
    Json question{{"command", "storage sets"}};
    if (auto wrong = add_query(request.target, question)) return std::move(*wrong);
    return Command{to_text(question), {}, kNoLink};
}

Outcome stored_bundle(const Request &request) {
    return Command{
        to_text({{"command", "storage decode"}, {"bundle", std::to_string(request.number)}}),
        {},
        kNoLink};
}

// Payloads need another role than figures.
Outcome stored_octets(const Request &request) {
    Json question{{"command", "storage export"}, {"bundle", std::to_string(request.number)}};
    if (auto wrong = add_query(request.target, question)) return std::move(*wrong);
    return Command{to_text(question), {}, kNoLink};
}

Outcome delete_stored_bundle(const Request &request) {
    const std::string bundle = std::to_string(request.number);
    Json order{{"command", "storage delete"}, {"bundles", Json::array({bundle})}};
    if (auto wrong = add_query(request.target, order)) return std::move(*wrong);
    return Command{to_text(order), "storage delete " + bundle, kNoLink};
}

// A destination is required, so that a forgotten query deletes nothing.
Outcome delete_stored_bundles(const Request &request) {
    const auto destination = request.target.query.find("destination");
    if (destination == request.target.query.end() || destination->second.empty())
        return problem(400,
                       "`destination` is missing; expected an endpoint, such as ipn:20.* or "
                       "ipn:20.1");
    Json order{{"command", "storage delete"}};
    if (auto wrong = add_query(request.target, order)) return std::move(*wrong);
    return Command{to_text(order), "storage delete " + destination->second, kNoLink};
}

Outcome verification(const Request &) {
    return Command{to_text({{"command", "storage verify show"}}), {}, kNoLink};
}

Outcome verify(const Request &request) {
    Json order{{"command", "storage verify"}};
    if (auto wrong = add_query(request.target, order)) return std::move(*wrong);
    return Command{to_text(order), "storage verify", kNoLink};
}

Outcome cancel_verification(const Request &) {
    return plain_change("storage verify cancel");
}

Outcome compaction(const Request &) {
    return Command{to_text({{"command", "storage compact show"}}), {}, kNoLink};
}

Outcome compact(const Request &) {
    return plain_change("storage compact");
}

Outcome cancel_compaction(const Request &) {
    return plain_change("storage compact cancel");
}

Outcome holds(const Request &) {
    return Command{to_text({{"command", "storage holds"}}), {}, kNoLink};
}

Outcome hold(const Request &request) {
    return hold_command("storage hold", request.number);
}

Outcome release(const Request &request) {
    return hold_command("storage release", request.number);
}

}  // namespace farlink::telemetry::paths
