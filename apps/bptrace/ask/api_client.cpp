// SPDX-License-Identifier: Apache-2.0
#include "apps/bptrace/ask/api_client.hpp"

#include <utility>

#include "common/base/host_port.hpp"

namespace farlink::bptrace {
namespace {

using Json = nlohmann::ordered_json;

/// 1,000 records with long names.
constexpr std::uint64_t kMostAnswerBytes = 16 * 1024 * 1024;
constexpr unsigned kOk = 200;

/// What a refusal says: the `detail` of a problem (RFC 9457).
std::string refusal_of(unsigned status, const Json &answer) {
    std::string text = "the node replied with HTTP status " + std::to_string(status);
    const auto detail = answer.is_object() ? answer.find("detail") : answer.end();
    if (answer.is_object() && detail != answer.end() && detail->is_string())
        text += ": " + detail->get<std::string>();
    return text;
}

}  // namespace

Result<http::Server, std::string> parse_api_address(std::string_view url) {
    const std::string wrong =
        "found " + std::string(url) + "; expected https://host:port or http://host:port";
    http::Server address;
    if (url.starts_with("https://")) {
        address.tls = true;
        url.remove_prefix(8);
    } else if (url.starts_with("http://")) {
        url.remove_prefix(7);
    } else {
        return fail(wrong);
    }
    if (url.ends_with('/')) url.remove_suffix(1);
    const auto found = split_host_port(url);
    if (!found || found->host.find_first_of("/?#@ ") != std::string_view::npos) return fail(wrong);
    address.host = found->host;
    address.port = std::to_string(found->port);
#if !FARLINK_TLS
    if (address.tls) return fail("this build has no TLS");
#endif
    return address;
}

Result<Json, std::string> get_json(const http::Server &server, const std::string &token,
                                   const std::string &target, Duration limit) {
    http::Request request;
    request.target = target;
    request.token = token;
    request.most_answer_bytes = kMostAnswerBytes;
    const auto reply = http::ask(server, request, limit);
    if (!reply) return fail(reply.error());
    Json answer = Json::parse(reply->body, nullptr, false);
    if (reply->status != kOk) return fail(refusal_of(reply->status, answer));
    if (!answer.is_object()) return fail(std::string("the reply is not a JSON object"));
    return answer;
}

}  // namespace farlink::bptrace
