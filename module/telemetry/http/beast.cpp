// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/http/beast.hpp"

#include <algorithm>

namespace farlink::telemetry {
namespace {

constexpr const char *kPolicy =
    "default-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

}  // namespace

HttpResponse response_of(Answer answer, unsigned version, bool keep_alive, bool head) {
    HttpResponse response{http::int_to_status(answer.status), version};
    response.set("Content-Security-Policy", kPolicy);
    response.set("X-Content-Type-Options", "nosniff");
    response.set("Referrer-Policy", "no-referrer");
    response.set("Cross-Origin-Resource-Policy", "same-origin");
    response.set("Cross-Origin-Opener-Policy", "same-origin");
    response.set(http::field::cache_control, "no-store");
    if (!answer.content_type.empty()) response.set(http::field::content_type, answer.content_type);
    for (const auto &[name, value] : answer.headers) response.set(name, value);
    response.keep_alive(keep_alive);
    const std::uint64_t length = answer.octets ? answer.octets->size() : answer.body.size();
    if (!head) response.body() = std::move(answer.body);
    if (answer.status != 304) response.content_length(length);
    return response;
}

Call call_of(const HttpRequest &request) {
    Call call;
    call.method = text_of(request.method_string());
    call.target = text_of(request.target());
    call.host = text_of(request[http::field::host]);
    call.origin = text_of(request[http::field::origin]);
    call.content_type = text_of(request[http::field::content_type]);
    call.if_none_match = text_of(request[http::field::if_none_match]);
    call.idempotency_key = text_of(request["Idempotency-Key"]);
    call.takes_gzip = http::token_list{request[http::field::accept_encoding]}.exists("gzip");
    // A repeated field is ambiguous.
    if (request.count(http::field::host) != 1) call.host.clear();
    return call;
}

Credentials credentials_of(const HttpRequest &request, const std::string &address) {
    return {address, text_of(request[http::field::authorization]),
            text_of(request[http::field::sec_websocket_protocol])};
}

bool has_known_end(const HttpRequest &request) {
    const auto codings = request.equal_range(http::field::transfer_encoding);
    return std::all_of(codings.first, codings.second,
                       [](const auto &field) { return beast::iequals(field.value(), "chunked"); });
}

unsigned status_of(const boost::system::error_code &error) {
    if (error == http::error::header_limit) return 431;
    if (error == http::error::body_limit) return 413;
    if (error == beast::error::timeout) return 408;
    const bool gone = error == http::error::end_of_stream || error == http::error::partial_message;
    const bool parser = error.category() == make_error_code(http::error::bad_method).category();
    return parser && !gone ? 400 : 0;
}

}  // namespace farlink::telemetry
