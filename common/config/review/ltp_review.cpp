// SPDX-License-Identifier: Apache-2.0
#include "common/config/review/ltp_review.hpp"

#include <algorithm>
#include <array>
#include <cstdio>

#include "common/base/bit_rate.hpp"
#include "common/config/fields/config_error.hpp"
#include "common/config/review/ltp_advice.hpp"

namespace farlink::config {
namespace {

/// A flush takes some milliseconds, and a block is reported only when it is safe.
constexpr Duration kLeastMargin = milliseconds(20);

std::string seconds_text(Duration time) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%g", std::chrono::duration<double>(time).count());
    return text.data();
}

std::string ms_text(Duration time) {
    return std::to_string(std::chrono::duration_cast<milliseconds>(time).count());
}

bool is_ltp(const LinkOptions &link) {
    return link.url.scheme == "ltp";
}

/// A rate and a light time of a link during a contact.
struct Pace {
    BitRate rate;
    Duration owlt{};
};

class LtpReview {
public:
    LtpReview(const NodeConfig &config, const ContactPlan *plan) : config_(config), plan_(plan) {}

    std::vector<std::string> run() {
        for (std::size_t i = 0; i < config_.inducts.size(); ++i)
            if (is_ltp(config_.inducts[i])) {
                review_margin(config_.inducts[i], item_path("inductsConfig", i));
                if (!config_.inducts[i].acknowledge_on_receipt)
                    review_pause(config_.inducts[i], item_path("inductsConfig", i));
            }
        for (std::size_t i = 0; i < config_.outducts.size(); ++i)
            if (is_ltp(config_.outducts[i]))
                review_outduct(config_.outducts[i], item_path("outductsConfig", i));
        return std::move(lines_);
    }

private:
    void warn(const std::string &path, const std::string &text) {
        lines_.push_back(path + ": warning: " + text);
    }

    void review_margin(const LinkOptions &link, const std::string &path) {
        if (link.ltp.margin < kLeastMargin)
            warn(path, "oneWayMarginTimeMs is " + ms_text(link.ltp.margin) +
                           ", too short to flush a bundle to disk: blocks are sent again "
                           "and cancelled; it must be " +
                           ms_text(kLeastMargin) + " or more");
    }

    // Blocks are not acknowledged while their bundles wait for an outduct.
    void review_pause(const LinkOptions &link, const std::string &path) {
        const Duration hold = closing_report_hold(link.ltp);
        if (config_.max_pause <= hold) return;
        warn(path, "maxPauseMilliseconds is " + ms_text(config_.max_pause) +
                       ", but a sender of LTP blocks with these settings needs a report after " +
                       ms_text(hold) + " ms: bundles are held back for " +
                       ms_text(longest_pause(config_)) +
                       " ms at most; a larger oneWayMarginTimeMs or "
                       "ltpMaxRetriesPerSerialNumber allows more");
    }

    [[nodiscard]] std::vector<Pace> paces_of(const OutductConfig &outduct) const {
        std::vector<Pace> paces;
        if (plan_ != nullptr)
            for (const PlanContact &contact : plan_->contacts)
                if (contact.source == config_.node && contact.destination == outduct.next_hop)
                    paces.push_back({slower_of(outduct.rate_limit, contact.rate),
                                     contact.owlt == Duration{} ? outduct.ltp.owlt : contact.owlt});
        if (paces.empty()) paces.push_back({outduct.rate_limit, outduct.ltp.owlt});
        return paces;
    }

    void review_outduct(const OutductConfig &outduct, const std::string &path) {
        const std::vector<Pace> paces = paces_of(outduct);
        LinkOptions link = outduct;
        const auto at = [&link](const Pace &pace) -> LinkOptions & {
            link.ltp.owlt = pace.owlt;
            return link;
        };
        const Pace nearest = *std::ranges::min_element(paces, {}, &Pace::owlt);
        const std::uint64_t given = outduct.ltp.remote_engine_id;
        const std::uint64_t engine = given != 0 ? given : outduct.next_hop.value();
        lines_.push_back(path + ": LTP engine " + std::to_string(engine) +
                         ", survives an outage of " +
                         seconds_text(survivable_outage(at(nearest).ltp)) + " s");
        const Pace widest = *std::ranges::max_element(
            paces, {}, [&](const Pace &pace) { return bytes_to_fill(at(pace).ltp, pace.rate); });
        if (widest.rate.value() != 0)
            for (const std::string &warning :
                 pipeline_warnings(at(widest), widest.rate, kTypicalBundleBytes))
                warn(path, warning);
        if (outduct.max_in_flight_bytes < outduct.ltp.data_segment_mtu)
            warn(path, "maxSumOfBundleBytesInPipeline is " +
                           std::to_string(outduct.max_in_flight_bytes) +
                           ", less than a segment: only one bundle is in flight at a time");
        if (engine == outduct.ltp.engine_id)
            warn(path, "the neighbour's LTP engine has the same number as that of this node, " +
                           std::to_string(engine));
        review_margin(outduct, path);
        review_pause(outduct, path);
        const Pace farthest = *std::ranges::max_element(paces, {}, &Pace::owlt);
        review_way_back(outduct, farthest.owlt, path);
    }

    // An induct has timers of its own, unless an outduct to that neighbour uses its port.
    void review_way_back(const OutductConfig &outduct, Duration owlt, const std::string &path) {
        for (std::size_t i = 0; i < config_.inducts.size(); ++i) {
            const InductConfig &induct = config_.inducts[i];
            const bool follows_plan =
                plan_ != nullptr && std::ranges::any_of(induct.neighbours, [&](const auto &known) {
                    return known.node == outduct.next_hop;
                });
            if (!is_ltp(induct) || follows_plan) continue;
            if (owlt <= induct.ltp.owlt + induct.ltp.margin) continue;
            warn(item_path("inductsConfig", i),
                 "oneWayLightTimeMs is " + ms_text(induct.ltp.owlt) + ", but the neighbour of " +
                     path + " is " + ms_text(owlt) +
                     " ms away: reports to it are repeated and abandoned before it can answer");
        }
    }

    const NodeConfig &config_;
    const ContactPlan *plan_;
    std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> review_ltp(const NodeConfig &config, const ContactPlan *plan) {
    return LtpReview(config, plan).run();
}

}  // namespace farlink::config
