// SPDX-License-Identifier: Apache-2.0
// The parts of Boost.Beast that connections use, and answers as its messages.
// Included by connections only. Plain functions, any thread.
// Every answer has the security headers for browsers.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <string>
#include <string_view>

#include "module/telemetry/api/request/call.hpp"
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

/// Answers to HEAD and with status 304 have no body, but its length.
[[nodiscard]] HttpResponse response_of(Answer answer, unsigned version, bool keep_alive, bool head);
/// The call of a request without its body.
[[nodiscard]] Call call_of(const HttpRequest &request);
[[nodiscard]] Credentials credentials_of(const HttpRequest &request, const std::string &address);
/// True when the body has a length or is chunked, and nothing else; otherwise the body could be
/// read as the next request (RFC 9112 section 6.3).
[[nodiscard]] bool has_known_end(const HttpRequest &request);
/// The status for a request that Beast could not read; 0: the connection has ended.
[[nodiscard]] unsigned status_of(const boost::system::error_code &error);

}  // namespace farlink::telemetry
