// SPDX-License-Identifier: Apache-2.0
// What connections use of Boost.Beast, and how answers become its messages.
// Part of the connections; nobody else includes it. Plain functions, any thread.
// Every answer has the headers that keep a browser from being used against the node.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <string>
#include <string_view>

#include "module/telemetry/api/call.hpp"
#include "module/telemetry/http/host.hpp"

namespace farlink::telemetry {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace websocket = boost::beast::websocket;

using HttpRequest = http::request<http::string_body>;
using HttpResponse = http::response<http::string_body>;

[[nodiscard]] inline std::string text_of(beast::string_view text) {
    return {text.data(), text.size()};
}

/// The body of a request to HEAD and of 304 is left out; its length is told.
[[nodiscard]] HttpResponse response_of(Answer answer, unsigned version, bool keep_alive, bool head);
/// What a request's head says, but for its body.
[[nodiscard]] Call call_of(const HttpRequest &request);
[[nodiscard]] Credentials credentials_of(const HttpRequest &request, const std::string &address);
/// Its body has a length or is chunked, and no more than that: what Beast takes for the next
/// request would be the body otherwise (RFC 9112 section 6.3).
[[nodiscard]] bool has_known_end(const HttpRequest &request);
/// The answer to a request that Beast could not read; 0: there is nobody to answer.
[[nodiscard]] unsigned status_of(const boost::system::error_code &error);

}  // namespace farlink::telemetry
