// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/control/ping_run.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/shared/control/control_client.hpp"
#include "apps/shared/options/old_names.hpp"
#include "common/base/seconds.hpp"
#include "common/base/time.hpp"
#include "common/ping/round_trips.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kNanosecondsPerMs = 1e6;

double milliseconds_of(std::uint64_t ns) {
    return static_cast<double>(ns) / kNanosecondsPerMs;
}

/// The time that the node has measured; empty: there was no reply.
std::optional<Duration> taken_of(const Json &reply) {
    if (!reply.value("answered", false)) return std::nullopt;
    return nanoseconds(std::llround(reply.value("milliseconds", 0.0) * kNanosecondsPerMs));
}

double mean_ms(const telemetry::LatencyRecord &times) {
    return milliseconds_of(times.sum()) / static_cast<double>(times.count());
}

/// Without a reply there are no times.
Json times_json(const telemetry::LatencyRecord &times) {
    if (times.count() == 0) return {{"min", nullptr}, {"avg", nullptr}, {"max", nullptr}};
    return {{"min", milliseconds_of(times.smallest())},
            {"avg", mean_ms(times)},
            {"max", milliseconds_of(times.largest())}};
}

void print(const Json &line) {
    std::puts(line.dump(-1, ' ', false, Json::error_handler_t::replace).c_str());
}

/// One request and its outcome.
void publish(bool json, const Json &reply, std::uint64_t sequence) {
    const std::string to = reply.value("destination", "");
    const bool answered = reply.value("answered", false);
    const double taken_ms = reply.value("milliseconds", 0.0);
    const auto bytes = reply.value("sizeBytes", std::uint64_t{0});
    if (json) {
        Json line{{"type", answered ? "reply" : "lost"}, {"sequence", sequence}, {"bytes", bytes}};
        if (answered)
            line["milliseconds"] = taken_ms;
        else
            line["why"] = reply.value("why", "");
        print(line);
    } else if (answered) {
        std::printf("%llu bytes from %s: seq=%llu time=%.3f ms\n",
                    static_cast<unsigned long long>(bytes), to.c_str(),
                    static_cast<unsigned long long>(sequence), taken_ms);
    } else {
        std::printf("no reply from %s: seq=%llu, %s\n", to.c_str(),
                    static_cast<unsigned long long>(sequence), reply.value("why", "").c_str());
    }
    std::fflush(stdout);
}

void publish_all(bool json, const std::string &to, const ping::RoundTrips &trips) {
    const telemetry::LatencyRecord &times = trips.times();
    if (json) {
        Json line{{"type", "summary"},
                  {"to", to},
                  {"sent", trips.sent()},
                  {"received", trips.received()},
                  {"lost", trips.lost()},
                  {"lostPercent", trips.lost_percent()},
                  {"milliseconds", times_json(times)}};
        add_old_names(line, {{"lostPercent", "lost_percent"}});
        return print(line);
    }
    std::printf("\n--- %s ---\n%llu sent, %llu received, %llu lost (%g %%)\n", to.c_str(),
                static_cast<unsigned long long>(trips.sent()),
                static_cast<unsigned long long>(trips.received()),
                static_cast<unsigned long long>(trips.lost()), trips.lost_percent());
    if (trips.received() > 0)
        std::printf("round trip in ms: min %.3f, avg %.3f, max %.3f\n",
                    milliseconds_of(times.smallest()), mean_ms(times),
                    milliseconds_of(times.largest()));
}

/// The pause between requests, which SIGINT and SIGTERM end.
class Waiter {
public:
    Waiter() {
        signals_.async_wait([this](const auto &error, int) {
            if (error) return;
            interrupted_ = true;
            io_.stop();
        });
    }
    void begin(Duration pause) { timer_.expires_after(pause); }
    void wait() {
        timer_.async_wait([this](const auto &error) {
            if (!error) io_.stop();
        });
        io_.restart();
        io_.run();
    }
    [[nodiscard]] bool interrupted() {
        io_.restart();
        io_.poll();
        return interrupted_;
    }

private:
    boost::asio::io_context io_;
    boost::asio::signal_set signals_{io_, SIGINT, SIGTERM};
    boost::asio::steady_timer timer_{io_};
    bool interrupted_ = false;
};

constexpr int kExitClean = 0;
constexpr int kExitFailed = 1;

int failed(const char *program, const std::string &why) {
    std::fprintf(stderr, "%s: %s\n", program, why.c_str());
    return kExitFailed;
}

}  // namespace

int ping_by(const std::string &socket, const PingArguments &with, bool json, const char *program) {
    const Json request{{"command", "ping"},
                       {"destination", with.destination},
                       {"sizeBytes", with.size_bytes},
                       {"timeoutSeconds", with.timeout_s},
                       {"version", with.version}};
    const Duration interval = from_seconds(with.interval_s);
    Waiter waiter;
    ping::RoundTrips trips(from_seconds(with.timeout_s));
    std::string to = with.destination;
    const auto goes_on = [&] {
        return !waiter.interrupted() && (with.count == 0 || trips.sent() < with.count);
    };
    while (goes_on()) {
        waiter.begin(interval);
        const auto reply = ask_node(socket, request);
        if (!reply && waiter.interrupted()) break;
        if (!reply) return failed(program, reply.error());
        if (reply->at("ok") != true) {
            if (json) print(*reply);
            return json ? kExitFailed
                        : failed(program, reply->value("error", "the node refused the request"));
        }
        to = reply->value("destination", to);
        publish(json, *reply, trips.add_measured(taken_of(*reply)));
        if (goes_on()) waiter.wait();
    }
    if (trips.sent() == 0) return kExitFailed;
    publish_all(json, to, trips);
    return trips.lost() == 0 ? kExitClean : kExitFailed;
}

}  // namespace farlink::ctl
