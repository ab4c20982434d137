// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsink/report.hpp"

#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "apps/shared/options/old_names.hpp"
#include "apps/shared/traffic/rate_text.hpp"

namespace farlink::bpsink {
namespace {

constexpr const char *kNothing = "nothing was received\n";

/// Without a bundle there are no times.
nlohmann::json latency_json(const telemetry::LatencyRecord &latency) {
    const auto milliseconds_of = [&latency](std::uint64_t ns) {
        return latency.count() > 0 ? nlohmann::json(static_cast<double>(ns) * 1e-6)
                                   : nlohmann::json();
    };
    return {{"mean", milliseconds_of(latency.mean())},
            {"p50", milliseconds_of(latency.percentile(50))},
            {"p90", milliseconds_of(latency.percentile(90))},
            {"p95", milliseconds_of(latency.percentile(95))},
            {"p99", milliseconds_of(latency.percentile(99))},
            {"p999", milliseconds_of(latency.percentile(99.9))},
            {"max", milliseconds_of(latency.largest())}};
}

nlohmann::json malformed_json(const traffic::Verifier &verifier) {
    nlohmann::json by_reason = nlohmann::json::object();
    for (std::size_t i = 0; i < bp::kParseErrorCount; ++i) {
        const auto reason = static_cast<bp::ParseError>(i);
        if (const std::uint64_t count = verifier.malformed(reason); count > 0)
            by_reason[std::string(bp::to_string(reason))] = count;
    }
    return by_reason;
}

nlohmann::json departures_json(const Sink &sink) {
    nlohmann::json by_name = nlohmann::json::object();
    for (std::size_t i = 0; i < sink.deviations().size(); ++i)
        if (const std::uint64_t count = sink.deviations()[i]; count > 0)
            by_name[std::string(cla::to_string(static_cast<cla::ProtocolDeviation>(i)))] = count;
    return by_name;
}

nlohmann::json custody_json(const CustodySignaller &answers) {
    nlohmann::json custody{{"accepted", answers.accepted()},
                           {"signals", answers.signals()},
                           {"aggregateSignals", answers.aggregates()},
                           {"signalsDropped", answers.dropped()}};
    add_old_names(custody, {{"aggregateSignals", "aggregate_signals"},
                            {"signalsDropped", "signals_dropped"}});
    return custody;
}

nlohmann::json echo_json(const Sink::Echoed &echoed) {
    return {{"sent", echoed.sent},
            {"unanswered", echoed.unanswered},
            {"dropped", echoed.dropped},
            {"refused", echoed.refused}};
}

nlohmann::json security_json(const traffic::OpenTotals &totals) {
    nlohmann::json by_fault = nlohmann::json::object();
    for (const auto &[fault, count] : totals.faults) by_fault[std::string(fault)] = count;
    return {{"verified", totals.verified},
            {"decrypted", totals.decrypted},
            {"failed", totals.failed},
            {"missing", totals.missing},
            {"faults", by_fault}};
}

/// Not even bundles of others.
bool is_empty(const nlohmann::json &report) {
    return !report.contains("echo") && report["malformed"] == 0 && report["misdelivered"] == 0 &&
           report["fragments"] == 0;
}

/// What an echo server promises: it need not be bpgen's bundles, nor runs that are complete.
bool echoed_all(const traffic::Totals &totals, const Sink::Echoed &echoed) {
    return echoed.unanswered == 0 && echoed.dropped == 0 && totals.malformed == 0 &&
           totals.misdelivered == 0;
}

}  // namespace

nlohmann::json report_json(const traffic::Verifier &verifier, const Sink &sink) {
    const traffic::Totals totals = verifier.totals();
    const double seconds = std::chrono::duration<double>(totals.last - totals.first).count();
    nlohmann::json report{{"ok", totals.flawless()},
                          {"complete", totals.complete},
                          {"received", totals.received},
                          {"lost", totals.lost},
                          {"duplicates", totals.duplicates},
                          {"outOfOrder", totals.out_of_order},
                          {"corrupt", totals.corrupt},
                          {"malformed", totals.malformed},
                          {"malformedByReason", malformed_json(verifier)},
                          {"misdelivered", totals.misdelivered},
                          {"fragments", totals.fragments},
                          {"joinedBundles", totals.joined},
                          {"incompleteBundles", totals.unjoined},
                          {"runs", totals.runs},
                          {"connections", sink.connections()},
                          {"connectionsCutOff", sink.cut_off()},
                          {"departures", departures_json(sink)},
                          {"payloadBytes", totals.payload_bytes},
                          {"seconds", seconds},
                          {"latencyMilliseconds", latency_json(verifier.latency())}};
    traffic::add_rates(report, totals.received, totals.payload_bytes, seconds);
    add_old_names(report, {{"outOfOrder", "out_of_order"},
                           {"malformedByReason", "malformed_by_reason"},
                           {"connectionsCutOff", "connections_cut_off"},
                           {"payloadBytes", "payload_bytes"},
                           {"bundlesPerSecond", "bundles_per_second"},
                           {"goodputBitsPerSec", "goodput_bps"},
                           {"latencyMilliseconds", "latency_ms"}});
    if (const auto echoed = sink.echoed()) {
        report["echo"] = echo_json(*echoed);
        report["ok"] = echoed_all(totals, *echoed);
        // What is echoed need not be part of a run.
        report["complete"] = totals.complete || totals.runs == 0;
    }
    if (const traffic::BundleOpener *const opener = sink.opener(); opener != nullptr) {
        report["security"] = security_json(opener->totals());
        report["ok"] = report["ok"].get<bool>() && opener->totals().flawless();
    }
    if (sink.answers() != nullptr) report["custody"] = custody_json(*sink.answers());
    return report;
}

std::string report_text(const nlohmann::json &report) {
    std::ostringstream text;
    text << "received " << report["received"] << " bundles, " << report["lost"] << " lost, "
         << report["duplicates"] << " duplicates, " << report["outOfOrder"] << " out of order, "
         << report["corrupt"] << " corrupt, " << report["malformed"] << " malformed, "
         << report["misdelivered"] << " misdelivered\n";
    if (report["fragments"] != 0)
        text << "joined " << report["joinedBundles"] << " bundles from " << report["fragments"]
             << " fragments, " << report["incompleteBundles"] << " incomplete\n";
    if (const auto security = report.find("security"); security != report.end())
        text << "security: " << (*security)["verified"] << " bundles verified, "
             << (*security)["decrypted"] << " decrypted, " << (*security)["failed"] << " failed, "
             << (*security)["missing"] << " without protection\n";
    if (const auto echo = report.find("echo"); echo != report.end())
        text << "echoed " << (*echo)["sent"] << " bundles, " << (*echo)["unanswered"]
             << " without an echo, " << (*echo)["dropped"] << " echoes dropped\n";
    else if (!report["complete"])
        text << "run incomplete\n";
    if (report["received"] == 0) return text.str() + (is_empty(report) ? kNothing : "");
    const double seconds = report["seconds"].get<double>();
    text << traffic::rates_text(report["received"].get<std::uint64_t>(),
                                report["payloadBytes"].get<std::uint64_t>(), seconds)
         << ", in " << traffic::time_text(seconds) << '\n';
    constexpr double kMilliseconds = 1e-3;
    text << "latency: ";
    for (const char *const name : {"mean", "p50", "p90", "p95", "p99", "max"}) {
        const double taken = report["latencyMilliseconds"][name].get<double>() * kMilliseconds;
        text << name << ' ' << traffic::time_text(taken)
             << (std::string_view(name) == "max" ? "\n" : ", ");
    }
    return text.str();
}

}  // namespace farlink::bpsink
