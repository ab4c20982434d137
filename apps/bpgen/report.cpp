// SPDX-License-Identifier: Apache-2.0
#include "apps/bpgen/report.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

#include "apps/shared/options/old_names.hpp"
#include "apps/shared/traffic/rate_text.hpp"
#include "common/base/counted.hpp"

namespace farlink::bpgen {
namespace {

nlohmann::json custody_json(const CustodyReport &custody) {
    nlohmann::json json{{"accepted", custody.accepted},
                        {"outstanding", custody.outstanding},
                        {"refused", custody.refused},
                        {"refusedDepletedStorage", custody.depleted},
                        {"resent", custody.resent},
                        {"signals", custody.signals},
                        {"aggregateSignals", custody.aggregates},
                        {"seconds", custody.seconds}};
    add_old_names(json, {{"refusedDepletedStorage", "refused_depleted_storage"},
                         {"aggregateSignals", "aggregate_signals"}});
    return json;
}

/// "sent 3 bundles in 1.00 s: 3 bundles/s, 2.40 kbit/s of payload"
std::string sent_text(const GeneratorReport &report, std::uint64_t payload_bytes) {
    std::string text = "sent " + counted(report.bundles, "bundle");
    if (report.bundles == 0) return "nothing was sent";
    const std::uint64_t rated = report.rated_bundles;
    if (rated == 0 && report.bundles > 0) return text + ", none of them acknowledged";
    if (rated < report.bundles) text += ", " + std::to_string(rated) + " of them acknowledged";
    return text + " in " + traffic::time_text(report.seconds) + ": " +
           traffic::rates_text(rated, rated * payload_bytes, report.seconds);
}

}  // namespace

std::string report_json(const GeneratorReport &report, std::uint64_t payload_bytes) {
    nlohmann::json summary{{"run", report.run},
                           {"bundles", report.bundles},
                           {"fragments", report.fragments},
                           {"bundleBytes", report.bundle_bytes},
                           {"seconds", report.seconds},
                           {"acknowledged", report.acknowledged},
                           {"acknowledgedBundles", report.acknowledged_bundles},
                           {"resent", report.resent},
                           {"refused", report.refused},
                           {"sessions", report.sessions},
                           {"error", report.error}};
    traffic::add_rates(summary, report.rated_bundles, report.rated_bundles * payload_bytes,
                       report.seconds);
    add_old_names(summary, {{"bundleBytes", "bundle_bytes"},
                            {"bundlesPerSecond", "bundles_per_second"},
                            {"goodputBitsPerSec", "goodput_bps"},
                            {"acknowledgedBundles", "acknowledged_bundles"}});
    if (report.custody) summary["custody"] = custody_json(*report.custody);
    return summary.dump();
}

std::string report_text(const GeneratorReport &report, std::uint64_t payload_bytes) {
    std::ostringstream text;
    text << sent_text(report, payload_bytes) << "; " << report.acknowledged_bundles
         << " acknowledged, " << report.resent << " resent, " << report.refused << " refused";
    if (report.custody)
        text << "\ncustody: " << report.custody->accepted << " accepted, "
             << report.custody->refused << " refused, " << report.custody->outstanding
             << " outstanding, " << report.custody->resent << " resent";
    return text.str();
}

}  // namespace farlink::bpgen
