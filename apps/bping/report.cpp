// SPDX-License-Identifier: Apache-2.0
#include "apps/bping/report.hpp"

#include <iomanip>
#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/shared/options/old_names.hpp"

namespace farlink::bping {
namespace {

double milliseconds_of(std::uint64_t ns) {
    return static_cast<double>(ns) * 1e-6;
}

double milliseconds_of(Duration taken) {
    return milliseconds_of(static_cast<std::uint64_t>(taken.count()));
}

}  // namespace

std::string echo_text(const Echo &echo, const std::string &from) {
    std::ostringstream text;
    text << echo.payload_bytes << " bytes from " << from << ": seq=" << echo.sequence
         << " time=" << std::fixed << std::setprecision(3) << milliseconds_of(echo.taken) << " ms";
    return text.str();
}

std::string echo_json(const Echo &echo) {
    return nlohmann::json{{"type", "reply"},
                          {"sequence", echo.sequence},
                          {"bytes", echo.payload_bytes},
                          {"milliseconds", milliseconds_of(echo.taken)}}
        .dump();
}

std::string lost_text(std::uint64_t sequence, const std::string &from, Duration timeout) {
    std::ostringstream text;
    text << "no reply from " << from << ": seq=" << sequence << " within "
         << std::chrono::duration<double>(timeout).count() << " s";
    return text.str();
}

std::string lost_json(std::uint64_t sequence, Duration timeout) {
    return nlohmann::json{{"type", "lost"},
                          {"sequence", sequence},
                          {"timeoutSeconds", std::chrono::duration<double>(timeout).count()}}
        .dump();
}

std::string summary_text(const Summary &summary) {
    const ping::RoundTrips &trips = summary.trips;
    std::ostringstream text;
    text << "\n--- " << summary.to << " ---\n"
         << trips.sent() << " sent, " << trips.received() << " received, " << trips.lost()
         << " lost (" << trips.lost_percent() << " %)";
    if (trips.unexpected() > 0) text << ", " << trips.unexpected() << " duplicate or late";
    if (summary.refused > 0) text << ", " << summary.refused << " refused";
    if (trips.received() == 0) return text.str();
    const telemetry::LatencyRecord &times = trips.times();
    text << std::fixed << std::setprecision(3) << "\nround trip in ms: min "
         << milliseconds_of(times.smallest()) << ", avg " << milliseconds_of(times.mean())
         << ", max " << milliseconds_of(times.largest()) << ", p50 "
         << milliseconds_of(times.percentile(50)) << ", p95 "
         << milliseconds_of(times.percentile(95)) << ", p99 "
         << milliseconds_of(times.percentile(99));
    return text.str();
}

std::string summary_json(const Summary &summary) {
    const ping::RoundTrips &trips = summary.trips;
    const telemetry::LatencyRecord &times = trips.times();
    // Without a reply there are no times.
    const auto time = [&times](std::uint64_t ns) {
        return times.count() > 0 ? nlohmann::json(milliseconds_of(ns)) : nlohmann::json();
    };
    nlohmann::json line{{"type", "summary"},
                        {"to", summary.to},
                        {"sent", trips.sent()},
                        {"received", trips.received()},
                        {"lost", trips.lost()},
                        {"lostPercent", trips.lost_percent()},
                        {"unexpected", trips.unexpected()},
                        {"refused", summary.refused},
                        {"milliseconds",
                         {{"min", time(times.smallest())},
                          {"avg", time(times.mean())},
                          {"max", time(times.largest())},
                          {"p50", time(times.percentile(50))},
                          {"p95", time(times.percentile(95))},
                          {"p99", time(times.percentile(99))}}},
                        {"error", summary.error}};
    add_old_names(line, {{"lostPercent", "lost_percent"}});
    return line.dump();
}

}  // namespace farlink::bping
