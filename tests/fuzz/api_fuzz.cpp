// SPDX-License-Identifier: Apache-2.0
// Any text as a request to the API's own handlers: method, target, Host, Origin, role and body on a
// line each; the same text as a WebSocket client's message and as a file of tokens.
#include "common/base/bytes.hpp"
#include "common/base/invariant.hpp"
#include "common/config/node/load_node_config.hpp"
#include "module/telemetry/api/api.hpp"
#include "module/telemetry/api/client_message.hpp"
#include "module/telemetry/api/header_checks.hpp"
#include "module/telemetry/api/token_table.hpp"

namespace {

using namespace farlink;
using namespace farlink::telemetry;

constexpr const char *kNode = R"({"myNodeId":10,
    "outductsConfig":[{"url":"stcp://127.0.0.1:1","nextHopNodeId":20}],
    "api":{"listen":"127.0.0.1:0"}})";

std::string next_line(std::string_view &rest) {
    const std::size_t end = rest.find('\n');
    std::string line(rest.substr(0, end));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    return line;
}

void check_answer(const Answer &answer) {
    FARLINK_INVARIANT(answer.status >= 200 && answer.status < 600);
    if (answer.content_type.ends_with("json")) FARLINK_INVARIANT(Json::accept(answer.body));
    if (answer.status >= 400 && answer.status != 503)
        FARLINK_INVARIANT(answer.content_type == "application/problem+json");
}

void check_command(const Command &command, Role role) {
    if (!command.change.empty()) FARLINK_INVARIANT(role == Role::kOperate);
    // A body that is no JSON is found by who reads it; what stands in front of it is ours.
    FARLINK_INVARIANT(command.request.starts_with(R"({"co)"));
    check_answer(Api::answer_of(command, command.request));
    check_answer(Api::answer_of(command, R"({"ok":true,"link":1})"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    static const config::NodeConfig config = config::parse_node_config(kNode).value();
    static TelemetryCore core;
    static NodeView view(config, "fuzz", core, TimePoint{});
    static Api api(view, config.shown);
    static const HeaderChecks checks(config.api);
    const std::string_view text = as_text({data, size});
    (void)parse_client_message(text);
    if (const auto tokens = parse_tokens(text))
        FARLINK_INVARIANT(parse_tokens(write_tokens(*tokens)).has_value());
    std::string_view rest = text;
    Call call;
    call.method = next_line(rest);
    call.target = next_line(rest);
    call.host = next_line(rest);
    call.origin = next_line(rest);
    const std::string who = next_line(rest);
    call.role = who == "operate" ? Role::kOperate : who == "read" ? Role::kRead : Role::kNone;
    call.content_type = "application/json";
    call.body = rest;
    if (const auto refusal = checks.refusal(call)) check_answer(*refusal);
    (void)HeaderChecks::bearer(who);
    (void)HeaderChecks::offered_token(who);
    const telemetry::Outcome outcome = api.handle(call, {TimePoint{seconds(1)}, 800'000'000'000});
    if (const auto *answer = std::get_if<Answer>(&outcome)) check_answer(*answer);
    if (const auto *command = std::get_if<Command>(&outcome)) check_command(*command, call.role);
    return 0;
}
