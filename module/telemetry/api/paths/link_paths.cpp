// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/paths/link_paths.hpp"

#include <optional>

#include "module/telemetry/api/request/command_body.hpp"
#include "module/telemetry/api/request/problem.hpp"

namespace farlink::telemetry::paths {
namespace {

/// A ping may wait for a minute.
constexpr seconds kPingPatience{70};

Answer only_link(const Json &reply) {
    const auto link = reply.find("link");
    return link == reply.end() ? problem(503, "the reply of the supervisor has no link")
                               : json_answer({{"link", *link}});
}

/// The number in the path as a link; nothing when it is too large.
std::optional<LinkId> link_of(std::uint64_t number) {
    constexpr std::uint64_t kLargest = 0xffffffff;
    if (number > kLargest) return std::nullopt;
    return LinkId{static_cast<std::uint32_t>(number)};
}

Answer no_such_link() {
    return problem(404, "no such link; /api/v1/links lists them");
}

std::string change_of(const char *command, LinkId link) {
    return std::string(command) + ' ' + std::to_string(link.value());
}

Outcome link_command(const char *command, std::uint64_t number,
                     Answer (*render)(const Json &) = only_link) {
    const auto link = link_of(number);
    if (!link) return no_such_link();
    return Command{to_text({{"command", command}, {"link", number}}), change_of(command, *link),
                   *link, render};
}

/// The same with the members of the body.
Outcome link_command(const char *command, const Call &call, std::uint64_t number,
                     const char *expected, Answer (*render)(const Json &)) {
    const auto link = link_of(number);
    if (!link) return no_such_link();
    auto request = command_of(call, {{"command", command}, {"link", number}}, expected);
    if (!request) return std::move(request.error());
    return Command{std::move(*request), change_of(command, *link), *link, render};
}

}  // namespace

Outcome link_up(const Request &request) {
    return link_command("link up", request.number);
}

Outcome link_down(const Request &request) {
    return link_command("link down", request.number);
}

Outcome add_link(const Request &request) {
    auto text = command_of(request.call, {{"command", "link add"}},
                           R"({"direction": "outduct", "config": {"url": ...}})");
    if (!text) return std::move(text.error());
    return Command{std::move(*text), "link add", kNoLink};
}

Outcome change_link(const Request &request) {
    return link_command("link change", request.call, request.number, R"({"config": {"url": ...}})",
                        nullptr);
}

Outcome remove_link(const Request &request) {
    return link_command("link remove", request.number, nullptr);
}

Outcome override_link(const Request &request) {
    return link_command("link set", request.call, request.number,
                        R"({"rateBitsPerSec": 1000000, "owlt": null})", only_link);
}

Outcome ping(const Request &request) {
    auto text =
        command_of(request.call, {{"command", "ping"}}, R"({"destination": "ipn:20.2047"})");
    if (!text) return std::move(text.error());
    Command command{std::move(*text), "ping", kNoLink};
    command.patience = kPingPatience;
    return command;
}

}  // namespace farlink::telemetry::paths
