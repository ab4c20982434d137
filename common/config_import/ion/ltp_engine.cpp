// SPDX-License-Identifier: Apache-2.0
#include "common/config_import/ion/ltp_engine.hpp"

#include <algorithm>
#include <cmath>

#include "common/config/fields/config_error.hpp"
#include "common/config/fields/link_url.hpp"

namespace farlink::config {
namespace {

/// ION's segment includes LTP's header.
constexpr std::uint64_t kHeaderBytes = 40;
constexpr std::uint64_t kSmallestSegment = 128;
constexpr std::uint64_t kLargestSegment = 65'000;
constexpr std::uint64_t kMostSessions = 1'000'000;

/// The margin of one way: half of what both engines need.
std::uint64_t margin_ms(double own_s, double neighbour_s) {
    constexpr double kMillisecondsOfHalf = 500;
    constexpr double kLongest = 86'400'000;
    const double margin = std::clamp((own_s + neighbour_s) * kMillisecondsOfHalf, 1.0, kLongest);
    return static_cast<std::uint64_t>(std::llround(margin));
}

std::string url_of(const HostPort &at) {
    return to_string(LinkUrl{"ltp", at.host, at.port, {}});
}

}  // namespace

LtpEngineDraft::LtpEngineDraft(const NodeDraft &draft, CommandVerdicts &verdicts)
    : draft_(draft), verdicts_(verdicts) {
    for (const SpanDraft &span : draft.spans)
        if (span.engine != draft.node) join(settings_of(span));
    for (const SpanDraft &span : draft.spans)
        if (span.engine != draft.node) report_differences(span);
}

LtpEngineDraft::Settings LtpEngineDraft::settings_of(const SpanDraft &span) const {
    const std::uint64_t segment =
        span.segment_bytes > kHeaderBytes ? span.segment_bytes - kHeaderBytes : 0;
    return {std::clamp<std::uint64_t>(span.most_sent, 1, kMostSessions),
            std::clamp<std::uint64_t>(span.most_received, 1, kMostSessions),
            std::clamp(segment, kSmallestSegment, kLargestSegment),
            margin_ms(draft_.own_queuing_latency_s, span.queuing_latency_s), span.rate_bits};
}

void LtpEngineDraft::join(const Settings &other) {
    if (!settings_) {
        settings_ = other;
        return;
    }
    settings_->most_sent = std::max(settings_->most_sent, other.most_sent);
    settings_->most_received =
        std::min(settings_->most_received + other.most_received, kMostSessions);
    settings_->segment_bytes = std::min(settings_->segment_bytes, other.segment_bytes);
    settings_->margin_ms = std::max(settings_->margin_ms, other.margin_ms);
    const bool no_limit = settings_->rate_bits == 0 || other.rate_bits == 0;
    settings_->rate_bits = no_limit ? 0 : std::max(settings_->rate_bits, other.rate_bits);
}

void LtpEngineDraft::report_differences(const SpanDraft &span) {
    const Settings own = settings_of(span);
    std::string differing;
    const auto compare = [&](const char *key, std::uint64_t one, std::uint64_t all) {
        if (one != all)
            differing += (differing.empty() ? "" : ", ") + std::string(key) + ' ' +
                         std::to_string(all) + " for " + std::to_string(one);
    };
    compare("bundlePipelineLimit", own.most_sent, settings_->most_sent);
    compare("ltpDataSegmentMtu", own.segment_bytes, settings_->segment_bytes);
    compare("oneWayMarginTimeMs", own.margin_ms, settings_->margin_ms);
    compare("rateLimitBitsPerSec", own.rate_bits, settings_->rate_bits);
    if (!differing.empty())
        verdicts_.changed(span.command, "all neighbours share one engine: " + differing);
    if (span.segment_bytes != own.segment_bytes + kHeaderBytes)
        verdicts_.changed(span.command, "ltpDataSegmentMtu " + std::to_string(own.segment_bytes) +
                                            " for " + std::to_string(span.segment_bytes) +
                                            " with a header");
}

void LtpEngineDraft::write(Json &link) const {
    if (!settings_) return;
    link["ltpDataSegmentMtu"] = settings_->segment_bytes;
    link["ltpReportSegmentMtu"] = settings_->segment_bytes;
    link["oneWayMarginTimeMs"] = settings_->margin_ms;
    link["bundlePipelineLimit"] = settings_->most_sent;
    link["ltpMaxExpectedSimultaneousSessions"] = settings_->most_received;
    if (settings_->rate_bits > 0) link["rateLimitBitsPerSec"] = settings_->rate_bits;
}

LtpEngineDraft::Json LtpEngineDraft::induct(const SeatDraft &seat) const {
    Json link{{"url", url_of(seat.local)}};
    write(link);
    return link;
}

const SpanDraft *LtpEngineDraft::find(std::uint64_t engine) const {
    const auto found = std::ranges::find(draft_.spans, engine, &SpanDraft::engine);
    return found == draft_.spans.end() ? nullptr : &*found;
}

std::optional<LtpEngineDraft::Json> LtpEngineDraft::outduct(std::uint64_t node,
                                                            const PlanDuct &duct) {
    const auto engine = whole_number_of(duct.name);
    const SpanDraft *const span = engine ? find(*engine) : nullptr;
    if (span == nullptr) {
        verdicts_.refused(duct.command,
                          "no span of ltpadmin is to the engine " + in_quotes(duct.name));
        return std::nullopt;
    }
    if (*engine != node) {
        verdicts_.refused(duct.command, "the number of the neighbour's engine, " +
                                            std::to_string(*engine) +
                                            ", must be that of its "
                                            "node, " +
                                            std::to_string(node));
        return std::nullopt;
    }
    used_.insert(*engine);
    Json link{{"url", url_of(span->remote)}, {"nextHopNodeId", node}};
    if (draft_.seats.empty())
        write(link);
    else
        link["ltpSenderBoundPort"] = draft_.seats.front().local.port;
    verdicts_.changed(span->command,
                      "each bundle is a block of its own: `ltpAggregationSizeBytes` joins them");
    return link;
}

void LtpEngineDraft::report_unused() const {
    for (const SpanDraft &span : draft_.spans) {
        if (span.engine == draft_.node)
            verdicts_.noted(span.command, "the node delivers to itself without a link");
        else if (!used_.contains(span.engine))
            verdicts_.noted(span.command, "no plan uses it");
    }
}

}  // namespace farlink::config
