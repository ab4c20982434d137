// SPDX-License-Identifier: Apache-2.0
#include "module/egress/link_reports.hpp"

#include <string>
#include <utility>

#include "common/runtime/log/suppressed_lines.hpp"

namespace farlink::egress {
namespace {

/// Of the reason that the peer or a library gives for the end of a session.
constexpr std::size_t kLongestDetail = 200;

}  // namespace

// Ingress publishes the sessions that neighbours have opened.
void LinkReports::publish_state(LinkId id, HostedLink &link, std::string_view reason) {
    if (link.relayed != nullptr) return;
    link.published = reason;
    send_(bus::LinkInfo{.module = self_,
                        .kind = bus::LinkKind::kOutduct,
                        .connected = link.state == cla::LinkState::kConnected,
                        .link = id,
                        .neighbour = link.neighbour,
                        .url = {link.name.begin(), link.name.end()},
                        .reason = {reason.begin(), reason.end()}});
}

void LinkReports::publish_removed(LinkId id) {
    send_(bus::LinkInfo{
        .module = self_, .kind = bus::LinkKind::kOutduct, .removed = true, .link = id});
}

// A link that comes and goes has few lines, and many links together have few a second.
std::optional<std::uint64_t> LinkReports::admit_change(HostedLink &link, TimePoint now) {
    const auto of_link = link.changes.admit(now);
    if (!of_link) return std::nullopt;
    const auto of_all = limiter_.admit(now);
    return of_all ? std::optional(*of_link + *of_all) : std::nullopt;
}

void LinkReports::handle_connected(LinkId id, HostedLink &link, TimePoint now) {
    if (const auto suppressed = admit_change(link, now))
        log_.info("link {} to node {}: connected via {}{}", id.value(), link.neighbour.value(),
                  link.name, suppressed_lines_text(*suppressed));
    link.unreachable.clear();
    publish_state(id, link);
}

void LinkReports::handle_disconnected(LinkId id, HostedLink &link, bool was_up,
                                      cla::LinkFault fault, TimePoint now) {
    std::string why(fault == cla::LinkFault::kNone ? "" : cla::in_words(fault));
    if (const std::string detail = std::exchange(link.detail, {}); !detail.empty())
        why += ": " + detail.substr(0, kLongestDetail);
    publish_state(id, link, why);
    if (was_up) {
        if (const auto suppressed = admit_change(link, now))
            log_.info("link {} to node {}: disconnected: {}{}", id.value(), link.neighbour.value(),
                      why.empty() ? cla::in_words(fault) : why, suppressed_lines_text(*suppressed));
        return;
    }
    if (!why.empty()) warn_once(id, link, "no session with", why, now);
}

void LinkReports::handle_unreachable(LinkId id, HostedLink &link, std::string_view why,
                                     TimePoint now) {
    const std::string reason = "cannot connect: " + std::string(why);
    if (link.published != reason) publish_state(id, link, reason);
    warn_once(id, link, "cannot connect to", why, now);
}

// An outduct tries again and again: the same reason is logged once.
void LinkReports::warn_once(LinkId id, HostedLink &link, std::string_view what,
                            std::string_view why, TimePoint now) {
    if (link.unreachable == why) return;
    const auto suppressed = limiter_.admit(now);
    if (!suppressed) return;
    link.unreachable = why;
    log_.warn("link {} to node {}: {} {}: {}; trying again{}", id.value(), link.neighbour.value(),
              what, link.name, why, suppressed_lines_text(*suppressed));
}

}  // namespace farlink::egress
