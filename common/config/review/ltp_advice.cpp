// SPDX-License-Identifier: Apache-2.0
#include "common/config/review/ltp_advice.hpp"

#include <algorithm>

namespace farlink::config {
namespace {

std::string milliseconds_text(Duration time) {
    return std::to_string(std::chrono::duration_cast<milliseconds>(time).count()) + " ms";
}

std::string advice(const char *key, std::uint64_t found, std::uint64_t needed, BitRate rate,
                   const LtpConfig &ltp, const std::string &condition = {}) {
    return std::string(key) + " is " + std::to_string(found) + ", too low for " +
           std::to_string(rate.value()) + " bit/s at a one-way light time of " +
           milliseconds_text(ltp.owlt) + " with a margin of " + milliseconds_text(ltp.margin) +
           ": " + condition + "it must be at least " + std::to_string(needed);
}

}  // namespace

Duration survivable_outage(const LtpConfig &ltp) {
    return 2 * (ltp.owlt + ltp.margin) * ltp.max_retries;
}

Duration closing_report_hold(const LtpConfig &ltp) {
    return survivable_outage(ltp) / 2;
}

Duration longest_pause(const NodeConfig &config) {
    Duration longest = config.max_pause;
    const auto limit = [&longest](const LinkOptions &link) {
        if (link.url.scheme == "ltp")
            longest = std::min(longest, closing_report_hold(link.ltp) / 2);
    };
    for (const InductConfig &induct : config.inducts)
        if (!induct.acknowledge_on_receipt) limit(induct);
    std::ranges::for_each(config.outducts, limit);
    return longest;
}

std::uint64_t bytes_to_fill(const LtpConfig &ltp, BitRate rate) {
    const double seconds = std::chrono::duration<double>(2 * (ltp.owlt + ltp.margin)).count();
    return static_cast<std::uint64_t>(seconds * static_cast<double>(rate.value()) / 8);
}

std::vector<std::string> pipeline_warnings(const LinkOptions &link, BitRate rate,
                                           std::uint64_t bundle_bytes) {
    std::vector<std::string> warnings;
    const std::uint64_t bytes = bytes_to_fill(link.ltp, rate);
    if (link.max_in_flight_bytes < bytes)
        warnings.push_back(advice("maxSumOfBundleBytesInPipeline", link.max_in_flight_bytes, bytes,
                                  rate, link.ltp));
    const std::uint64_t bundles = bytes / std::max<std::uint64_t>(1, bundle_bytes);
    if (link.max_in_flight_bundles < bundles)
        warnings.push_back(advice("maxNumberOfBundlesInPipeline", link.max_in_flight_bundles,
                                  bundles, rate, link.ltp,
                                  "for bundles of " + std::to_string(bundle_bytes) + " bytes "));
    const std::uint64_t block = std::max(bundle_bytes, link.ltp.aggregation_bytes);
    const std::uint64_t sessions = bytes / std::max<std::uint64_t>(1, block);
    if (link.ltp.max_send_sessions < sessions)
        warnings.push_back(advice("bundlePipelineLimit", link.ltp.max_send_sessions, sessions, rate,
                                  link.ltp,
                                  "for LTP blocks of " + std::to_string(block) + " bytes "));
    return warnings;
}

}  // namespace farlink::config
