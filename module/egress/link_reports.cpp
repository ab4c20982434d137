// SPDX-License-Identifier: Apache-2.0
#include "module/egress/link_reports.hpp"

#include <string>
#include <utility>

namespace farlink::egress {
namespace {

/// Of the reason that the peer or a library gives for the end of a session.
constexpr std::size_t kLongestDetail = 200;
constexpr const char *kCannotConnect = "cannot connect: ";

std::string name_of(LinkId id, const HostedLink &link) {
    return "link " + std::to_string(id.value()) + " to node " +
           std::to_string(link.neighbour.value());
}

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

void LinkReports::handle_connected(LinkId id, HostedLink &link, TimePoint now) {
    link.lines.log(log_, LogLevel::kInfo, name_of(id, link) + ": connected via " + link.name, now);
    link.unreachable.clear();
    publish_state(id, link);
}

void LinkReports::handle_disconnected(LinkId id, HostedLink &link, bool was_up,
                                      cla::LinkFault fault, TimePoint now) {
    const std::string detail = std::exchange(link.detail, {}).substr(0, kLongestDetail);
    std::string why;
    if (fault == cla::LinkFault::kConnectFailed && link.published.starts_with(kCannotConnect))
        why = link.published;  // which says more
    else if (fault != cla::LinkFault::kNone)
        why = cla::in_words(fault, detail);
    publish_state(id, link, why);
    if (was_up) {
        if (why.empty()) why = cla::in_words(fault);
        link.lines.log(log_, LogLevel::kInfo, name_of(id, link) + ": disconnected: " + why, now);
        return;
    }
    if (!why.empty()) warn_once(id, link, "no session with", why, now);
}

void LinkReports::handle_unreachable(LinkId id, HostedLink &link, std::string_view why,
                                     TimePoint now) {
    const std::string reason = kCannotConnect + std::string(why);
    if (link.published != reason) publish_state(id, link, reason);
    warn_once(id, link, "cannot connect to", why, now);
}

// An outduct tries again and again: the same reason in a row is logged once.
void LinkReports::warn_once(LinkId id, HostedLink &link, std::string_view what,
                            std::string_view why, TimePoint now) {
    if (link.unreachable == why) return;
    link.unreachable = why;
    link.lines.log(log_, LogLevel::kWarn,
                   name_of(id, link) + ": " + std::string(what) + ' ' + link.name + ": " +
                       std::string(why) + "; trying again",
                   now);
}

}  // namespace farlink::egress
