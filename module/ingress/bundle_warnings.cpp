// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/bundle_warnings.hpp"

#include <string_view>

#include "common/base/counted.hpp"
#include "common/runtime/log/suppressed_lines.hpp"

namespace farlink::ingress {
namespace {

std::string text_of(const SecurityFailed &failed) {
    if (failed.rule.empty()) return "no rule matches (security.default)";
    return "fails the rule \"" + failed.rule + "\": " + std::string(failed.fault);
}

}  // namespace

void BundleWarnings::log(const BundleNotices &notices, TimePoint now) {
    if (const auto &bundle = notices.exceeds_contacts)
        if (const auto suppressed = exceeding_.admit(now))
            log_.warn(
                "a bundle of {} bytes for node {} is larger than every contact on its routes (at "
                "most {} bytes); the bundle waits in storage for a plan with a larger contact, "
                "unless a policy sends it{}",
                bundle->size_bytes, bundle->destination.value(), bundle->max_bundle_bytes,
                suppressed_lines_text(*suppressed));
    if (const auto &bundle = notices.hop_limit_exceeded)
        if (const auto suppressed = without_hops_.admit(now))
            log_.warn(
                "deleted a bundle from {} to {}: hop limit {} exceeded; check whether the routes "
                "contain a loop or more hops than this limit{}",
                bundle->source, bundle->destination, bundle->hop_limit,
                suppressed_lines_text(*suppressed));
    if (const auto &bundle = notices.rejected)
        if (const auto suppressed = rejected_.admit(now))
            log_.warn("deleted a bundle{}: {}{}",
                      origin_of(bundle->from, bundle->link, bundle->neighbour), bundle->why,
                      suppressed_lines_text(*suppressed));
    if (const auto &failed = notices.security_failed)
        if (const auto suppressed = security_.admit(now))
            log_.warn("security: {} a bundle from {} to {} that {}{}",
                      failed->deleted ? "deleted" : "passed", failed->source, failed->destination,
                      text_of(*failed), suppressed_lines_text(*suppressed));
    if (const auto &bundle = notices.returned_in_loop)
        if (const auto suppressed = loops_.admit(now))
            log_.warn(
                "a bundle to {}{} has returned to this node, whose next hop for it is {}: the "
                "policies, static routes, default gateways or detours around lost links of several "
                "nodes form a loop, or several neighbours send the same bundle; the bundle waits "
                "in storage, longer each time{}",
                bundle->destination, origin_of(bundle->from, bundle->link, bundle->sender),
                bundle->next_hop == NodeNumber{}
                    ? "not known now"
                    : "node " + std::to_string(bundle->next_hop.value()),
                suppressed_lines_text(*suppressed));
    if (const auto &withheld = notices.reports_withheld) {
        withheld_.add(withheld->count);
        withheld_from_ = withheld->report_to;
        log_withheld(now);
    }
}

void BundleWarnings::log_withheld(TimePoint now) {
    if (const auto count = withheld_.poll(now))
        log_.warn(
            "{} not sent, most recently to {}: more than `statusReportsPerSecond` to one node in a "
            "second",
            counted(*count, "status report"), withheld_from_);
}

// Some implementations freeze for good after a few refusals.
void BundleWarnings::log_stalled(const config::InductConfig &induct,
                                 const Upstreams::StalledByRefusals &stalled, TimePoint now) {
    const std::string_view advice =
        induct.on_no_resources == config::NoResources::kPause
            ? "raise `maxUnsettledBytes` of this induct above the window of the peer, or set "
              "`onNoResources` to `disconnect`"
            : "set `onNoResources` of this induct to `pause` or `disconnect`";
    if (const auto suppressed = stalled_.admit(now))
        log_.warn(
            "link {}: a peer stopped sending after this node refused {} for lack of storage or "
            "memory; if the peer does not support refusals, {}{}",
            induct.id.value(), counted(stalled.refused, "bundle"), advice,
            suppressed_lines_text(*suppressed));
}

void BundleWarnings::handle_second(TimePoint now) {
    log_withheld(now);
    refused_.handle_second(now);
}

std::string BundleWarnings::announced_name(UpstreamId session) const {
    const auto found = names_.find(session);
    return found == names_.end() ? std::string{} : found->second;
}

// A session of UDP has no peer.
std::string BundleWarnings::origin_of(UpstreamId session, LinkId link, NodeNumber neighbour) const {
    const std::string from = " received from ";
    if (const std::string name = announced_name(session); !name.empty()) return from + name;
    if (neighbour != NodeNumber{}) return from + "node " + std::to_string(neighbour.value());
    if (link != kNoLink) return " received by link " + std::to_string(link.value());
    return session == kNoUpstream ? "" : from + "session " + std::to_string(session.value());
}

}  // namespace farlink::ingress
