// SPDX-License-Identifier: Apache-2.0
// Both forms of the client as a program for tests: client_probe FORM ADDRESS COUNT WINDOW BYTES
// sends COUNT messages from service 1 to service 2, receives and accepts them there, and prints how
// many were accepted by the node, refused, and received, and whether each came once and in order.
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <farlink/client/asio.hpp>
#include <farlink/client/endpoint.hpp>

namespace {

using namespace farlink::client;
using namespace std::chrono_literals;

struct Task {
    std::string address;
    std::size_t count = 0;
    std::uint32_t window = 1;
    std::size_t bytes = 0;
};

/// The number that a text begins with; 0: none.
std::size_t number_in(std::string_view text) {
    std::size_t number = 0;
    std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

struct Tally {
    std::size_t accepted = 0;
    std::size_t refused = 0;
    std::size_t received = 0;
    bool in_order = true;
    std::string reason{};

    void add(const Sent &sent) {
        (sent.error ? refused : accepted) += 1;
        if (sent.error) reason = sent.error->reason;
    }
    void add(const Adu &adu) {
        in_order = in_order && number_in(text_of(adu.payload)) == received;
        ++received;
    }
    void print() const {
        std::printf(
            "{\"accepted\":%zu,\"refused\":%zu,\"received\":%zu,\"inOrder\":%s,"
            "\"reason\":\"%s\"}\n",
            accepted, refused, received, in_order ? "true" : "false", reason.c_str());
    }
};

ConnectOptions options_of(const Task &task, const char *service) {
    ConnectOptions options;
    options.address = task.address;
    options.registration.endpoint = service;
    options.registration.secret = "probe";
    options.registration.window = task.window;
    options.retry = 5s;
    return options;
}

std::string payload_of(const Task &task, std::size_t number) {
    std::string text = std::to_string(number) + ' ';
    text.resize(std::max(text.size(), task.bytes), 'x');
    return text;
}

int fail(const Error &error) {
    Tally tally;
    tally.reason = error.reason;
    tally.print();
    return 1;
}

int blocking(const Task &task) {
    auto near = Endpoint::connect(options_of(task, "1"));
    if (!near) return fail(near.error());
    auto far = Endpoint::connect(options_of(task, "2"));
    if (!far) return fail(far.error());
    Tally tally;
    std::thread sender([&] {
        std::vector<std::string> payloads;
        std::vector<Message> messages;
        for (std::size_t at = 0; at < task.count; ++at) payloads.push_back(payload_of(task, at));
        for (const std::string &each : payloads) messages.push_back({far->id(), octets_of(each)});
        for (const Sent &sent : near->send_many(messages, 20s)) tally.add(sent);
    });
    while (tally.received < task.count) {
        const auto adus = far->receive_many(64, 3s);
        if (!adus) break;
        for (const Adu &adu : *adus) tally.add(adu);
        far->accept_many(*adus);
    }
    sender.join();
    // What comes now would be a repeat.
    if (const auto more = far->receive(200ms)) ++tally.received;
    tally.print();
    return 0;
}

class AsioRun {
public:
    explicit AsioRun(const Task &task)
        : task_(task),
          near_(context_.get_executor(), options_of(task, "1")),
          far_(context_.get_executor(), options_of(task, "2")),
          timer_(context_) {}

    int run() {
        for (std::size_t at = 0; at < task_.count; ++at) {
            const std::string text = payload_of(task_, at);
            near_.async_send("ipn:10.2", {text.begin(), text.end()}, {},
                             [this](const Sent &sent) { tally_.add(sent); });
        }
        receive();
        context_.run_for(20s);
        tally_.print();
        return 0;
    }

private:
    void receive() {
        far_.async_receive([this](const Result<Adu> &adu) {
            if (!adu) return;
            tally_.add(*adu);
            far_.accept(*adu);
            if (tally_.received == task_.count) end_soon();
            receive();
        });
    }
    void end_soon() {
        timer_.expires_after(200ms);
        timer_.async_wait([this](const boost::system::error_code &) {
            near_.close();
            far_.close();
        });
    }

    Task task_;
    boost::asio::io_context context_;
    AsioEndpoint near_;
    AsioEndpoint far_;
    boost::asio::steady_timer timer_;
    Tally tally_;
};

}  // namespace

int main(int argc, char **argv) {
    if (argc != 6) return 2;
    const Task task{argv[2], number_in(argv[3]), static_cast<std::uint32_t>(number_in(argv[4])),
                    number_in(argv[5])};
    return std::string(argv[1]) == "asio" ? AsioRun(task).run() : blocking(task);
}
