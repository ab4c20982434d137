// SPDX-License-Identifier: Apache-2.0
// One HTTP request and its answer (RFC 9112), with or without TLS, on a connection of its own.
// An exchange is owned by its caller and by its handlers; the loop's thread only.
// Errors are texts for people.
#pragma once

#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "common/base/result.hpp"
#include "common/base/time.hpp"

namespace farlink::http {

struct Server {
    std::string host;  ///< a name or an IP address, without brackets
    std::string port;  ///< in digits
    bool tls = false;
    std::string ca_file{};  ///< PEM, certificates to trust; empty: those of the system
};

struct Request {
    const char *method = "GET";
    std::string target = "/";  ///< path and query
    std::string body{};        ///< JSON; empty: none
    std::string token{};       ///< sent as a bearer token (RFC 6750); empty: none
    std::uint64_t most_answer_bytes = 65'536;
};

struct Answer {
    unsigned status = 0;
    std::string body{};
};

using AnswerOrError = Result<Answer, std::string>;

class Exchange {
public:
    Exchange() = default;
    Exchange(const Exchange &) = delete;
    Exchange &operator=(const Exchange &) = delete;
    virtual ~Exchange() = default;

    /// Ends the exchange; `done` is not called any more.
    virtual void abandon() = 0;
};

/// `done` is called once, from the loop: by `limit` at the latest, also while a name is looked up.
/// `io` is borrowed.
[[nodiscard]] std::shared_ptr<Exchange> begin(boost::asio::io_context &io, const Server &server,
                                              const Request &request, Duration limit,
                                              std::function<void(AnswerOrError)> done);

/// The same, on a loop of its own; waits.
[[nodiscard]] AnswerOrError ask(const Server &server, const Request &request, Duration limit);

}  // namespace farlink::http
