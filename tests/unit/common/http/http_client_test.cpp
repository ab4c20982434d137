// SPDX-License-Identifier: Apache-2.0
// Against a server on the same loop; the webhook's test has the rest.
#include "common/http/http_client.hpp"

#include <gtest/gtest.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>

namespace farlink::http::http_client_test {
namespace {

namespace asio = boost::asio;
using Error = boost::system::error_code;

/// Answers one request.
class OneAnswer {
public:
    OneAnswer(asio::io_context &io, std::string answer)
        : acceptor_(io, {asio::ip::make_address("127.0.0.1"), 0}),
          socket_(io),
          answer_(std::move(answer)) {
        acceptor_.async_accept(socket_, [this](const Error &error) {
            if (!error) read();
        });
    }
    [[nodiscard]] Server server() const {
        return {"127.0.0.1", std::to_string(acceptor_.local_endpoint().port())};
    }
    std::string request;

private:
    void read() {
        asio::async_read_until(socket_, asio::dynamic_buffer(request), "\r\n\r\n",
                               [this](const Error &error, std::size_t) {
                                   if (!error) write();
                               });
    }
    void write() {
        asio::async_write(socket_, asio::buffer(answer_), [this](const Error &, std::size_t) {
            Error ignored;
            socket_.close(ignored);
        });
    }

    asio::ip::tcp::acceptor acceptor_;
    asio::ip::tcp::socket socket_;
    std::string answer_;
};

/// The result of one exchange.
AnswerOrError result_of(asio::io_context &io, const Server &server, const Request &request) {
    AnswerOrError result = fail(std::string("nothing was called"));
    const auto exchange = begin(io, server, request, seconds(10),
                                [&](AnswerOrError given) { result = std::move(given); });
    io.run();
    return result;
}

TEST(HttpClient, AsksWithItsToken) {
    asio::io_context io;
    OneAnswer other(io, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    Request request;
    request.target = "/api/v1/status";
    request.token = "secret";
    const auto answer = result_of(io, other.server(), request);
    ASSERT_TRUE(answer) << answer.error();
    EXPECT_EQ(answer->status, 200U);
    EXPECT_EQ(answer->body, "{}");
    EXPECT_TRUE(other.request.starts_with("GET /api/v1/status HTTP/1.1\r\n")) << other.request;
    EXPECT_NE(other.request.find("Authorization: Bearer secret\r\n"), std::string::npos);
}

TEST(HttpClient, RefusesAnAnswerAboveTheBound) {
    asio::io_context io;
    OneAnswer other(io, "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n0123456789a");
    Request request;
    request.most_answer_bytes = 10;
    const auto answer = result_of(io, other.server(), request);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error(), "body limit exceeded");
}

TEST(HttpClient, AbandonedItCallsNobody) {
    asio::io_context io;
    OneAnswer other(io, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    bool called = false;
    const auto exchange =
        begin(io, other.server(), {}, seconds(10), [&](const auto &) { called = true; });
    exchange->abandon();
    io.run_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(called);
}

#if FARLINK_TLS
TEST(HttpClient, NamesTheFileOfCertificatesThatIsMissing) {
    const Server server{"127.0.0.1", "1", true, "/nonexistent/ca.pem"};
    const auto answer = ask(server, {}, seconds(5));
    ASSERT_FALSE(answer);
    EXPECT_TRUE(answer.error().starts_with("/nonexistent/ca.pem: ")) << answer.error();
}
#endif

}  // namespace
}  // namespace farlink::http::http_client_test
