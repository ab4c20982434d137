// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/api/request/command_body.hpp"

#include "module/telemetry/api/request/problem.hpp"

namespace farlink::telemetry {

Result<std::string, Answer> command_of(const Call &call, const Json &front, const char *expected) {
    if (!is_json(call.content_type))
        return fail(problem(415, "expected a body with `Content-Type: application/json`"));
    const std::string_view body = call.body;
    const std::size_t open = body.find_first_not_of(" \t\r\n");
    if (open == std::string_view::npos || body[open] != '{')
        return fail(
            problem(400, "the body is not a JSON object; expected " + std::string(expected)));
    const std::string_view rest = body.substr(open + 1);
    const std::size_t next = rest.find_first_not_of(" \t\r\n");
    std::string text = to_text(front);
    text.pop_back();
    if (next != std::string_view::npos && rest[next] != '}') text += ',';
    return text.append(rest);
}

}  // namespace farlink::telemetry
