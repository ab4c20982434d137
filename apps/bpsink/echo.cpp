// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsink/echo.hpp"

#include <algorithm>

#include "common/bp/status_reports.hpp"
#include "common/bp/v6/primary.hpp"

namespace farlink::bpsink {
namespace {

constexpr std::uint32_t kMostHops = 255;

/// Of an echo; 0: none may be sent.
std::uint32_t hop_limit_of(const bp::BundleView &cause) {
    if (!cause.has_hop_count) return bp::kUsualHopLimit;
    return cause.hop_limit == 0 ? 0 : std::min(cause.hop_limit - 1, kMostHops);
}

}  // namespace

std::optional<Bytes> Echo::handle_bundle(std::span<const ByteView> bundle, DtnTime now_ms) {
    auto view = contiguous_.parse(bundle);
    if (!view || view->destination != local_.view()) return std::nullopt;
    if (!view->is_fragment || view->is_admin_record) return echo_of(*view, bundle, now_ms);
    using Outcome = traffic::Reassembler::Outcome;
    if (reassembler_.handle_fragment(*view, bundle, now_ms) != Outcome::kComplete)
        return std::nullopt;
    const std::optional<Bytes> unit = reassembler_.poll_data_unit();
    const ByteView payload(*unit);
    view->is_fragment = false;
    view->payload_offset = 0;
    view->payload_length = payload.size();
    return echo_of(*view, {&payload, 1}, now_ms);
}

std::optional<Bytes> Echo::echo_of(bp::BundleView view, std::span<const ByteView> octets,
                                   DtnTime now_ms) {
    const std::uint32_t hop_limit = hop_limit_of(view);
    bool sends = !view.is_admin_record && view.source != local_.view() && hop_limit > 0;
    if (view.version == bp::v6::kVersion) {
        const DtnTime expiry = view.expiry(now_ms);
        view.lifetime_ms = expiry > now_ms ? expiry - now_ms : 0;
        sends = sends && view.lifetime_ms >= bp::v6::kMsPerSecond;
    }
    auto echo = sends ? bp::make_echo_reply(view, octets, now_ms, sequence_ + 1, local_.view(),
                                            static_cast<std::uint8_t>(hop_limit))
                      : std::nullopt;
    if (echo) {
        ++sequence_;
        ++echoes_;
    } else {
        ++unanswered_;
    }
    return echo;
}

}  // namespace farlink::bpsink
