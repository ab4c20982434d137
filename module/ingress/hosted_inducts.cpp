// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/hosted_inducts.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "cla/factory/link_factory.hpp"
#include "common/config/fields/link_url.hpp"
#include "common/config/link/link_from_json.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::ingress {
namespace {

/// How long a removed induct is kept at least, so that its sessions end as their layer provides:
/// longer than a handshake, a termination and the wait for the peer's end.
constexpr seconds kRetiredFor{10};

}  // namespace

bool HostedInducts::open_configured() {
    bool all = true;
    for (const config::InductConfig &config : config_.inducts)
        if (placement_.instance_of(config.id) == instance_ && !open(config)) all = false;
    outducts_.note_configured();
    return all;
}

bool HostedInducts::open(const config::InductConfig &config) {
    HostedInductPtr &hosted = inducts_[config.id];
    hosted = std::make_unique<HostedInduct>();
    hosted->config = config;
    hosted->induct = cla::make_induct(resources_, config);
    hosted->tally = &reports_.tally_of(config.id);
    hosted->induct->set_receiving(receiving_);
    const bool opened = hosted->induct->open();
    reports_.publish_state(*hosted, opened);
    return opened;
}

std::string HostedInducts::change(const bus::LinkChange &change) {
    std::string error = change.outduct ? outducts_.change(change) : change_induct(change);
    if (error.empty()) changed_.insert(change.link);
    return error;
}

std::string HostedInducts::change_induct(const bus::LinkChange &change) {
    const bool there = inducts_.contains(change.link);
    const std::string name = "induct " + std::to_string(change.link.value());
    if (there && change.verb == bus::LinkVerb::kAdd) return name + " already exists";
    if (!there && change.verb != bus::LinkVerb::kAdd) return "there is no " + name;
    if (change.verb == bus::LinkVerb::kRemove) {
        retire(take(change.link));
        forget(change.link);
        outducts_.handle_induct_removed(change.link);
        return {};
    }
    auto config =
        config::induct_from_json(as_text(change.config), {config_.node, config_.buffer_bytes, {}});
    if (!config) return config.error().to_string();
    if (auto fault = cla::check_link(*config)) return std::move(*fault);
    config->id = change.link;
    outducts_.add_to(*config);
    return replace(*config);
}

void HostedInducts::restore() {
    for (const LinkId outduct : outducts_.remove_changed(changed_)) changed_.erase(outduct);
    for (const LinkId link : std::exchange(changed_, {})) {
        const auto configured = std::ranges::find(config_.inducts, link, &config::InductConfig::id);
        if (configured == config_.inducts.end()) {
            if (auto hosted = take(link)) retire(std::move(hosted));
            forget(link);
        } else if (const std::string error = replace(*configured); !error.empty()) {
            log_.error("link {}: cannot restore the configured induct: {}", link.value(), error);
        }
    }
    const auto here = [this](LinkId link) { return placement_.instance_of(link) == instance_; };
    outducts_.restore_configured(here, log_);
}

// Two inducts cannot listen on the same port, so the old one leaves first; it comes back when the
// new one cannot open.
std::string HostedInducts::replace(const config::InductConfig &config) {
    HostedInductPtr before = take(config.id);
    std::optional<config::InductConfig> retired;
    if (before && before->induct->port() == config.url.port) {
        retired = before->config;
        retired->url.port = config.url.port;  // which the system may have chosen
        retire(std::move(before));
    }
    if (open(config)) {
        if (before) retire(std::move(before));
        return {};
    }
    const std::string why = find(config.id)->induct->failure();
    (void)take(config.id);
    if (before) inducts_[config.id] = std::move(before);
    if (retired && !open(*retired)) (void)take(config.id);
    if (const HostedInduct *left = find(config.id))
        reports_.publish_state(*left, true);
    else
        forget(config.id);
    return "cannot listen on " + config::to_string(config.url) +
           (why.empty() ? "; see the log" : ": " + why);
}

HostedInductPtr HostedInducts::take(LinkId link) {
    const auto found = inducts_.find(link);
    if (found == inducts_.end()) return nullptr;
    HostedInductPtr taken = std::move(found->second);
    inducts_.erase(found);
    return taken;
}

void HostedInducts::retire(HostedInductPtr hosted) {
    const std::size_t closing = closing_;
    hosted->induct->close();
    // A convergence layer without session termination reports no state: its sessions end here.
    if (closing_ == closing) end_sessions(*hosted);
    retired_.push_back({monotonic_now() + kRetiredFor, std::move(hosted)});
}

void HostedInducts::end_sessions(const HostedInduct &hosted) {
    std::vector<UpstreamId> ended;
    for (const auto &[session, induct] : of_session_)
        if (induct == &hosted) ended.push_back(session);
    for (const UpstreamId session : ended)
        resources_.host.on_upstream_closed(hosted.config.id, session, cla::LinkFault::kNone);
}

// Sessions of a removed induct may last for a while; their bundles are not counted for the link.
void HostedInducts::forget(LinkId link) {
    for (Retired &retired : retired_)
        if (retired.hosted->config.id == link) retired.hosted->tally = nullptr;
    reports_.publish_removed(link);
}

void HostedInducts::close_all() {
    for (auto &[link, hosted] : inducts_) hosted->induct->finish();
}

void HostedInducts::set_receiving(bool receiving) {
    if (std::exchange(receiving_, receiving) == receiving) return;
    for_each([&](HostedInduct &hosted) {
        if (hosted.induct->listens()) return;
        hosted.induct->set_receiving(receiving);
        reports_.publish_state(hosted, true);
        if (!hosted.induct->listens()) return;
        config::LinkUrl url = hosted.config.url;
        url.port = hosted.induct->port();
        log_.info("link {}: listens on {}://{} now: the reserve of the store is complete",
                  hosted.config.id.value(), url.scheme, config::authority_of(url));
    });
}

void HostedInducts::delete_retired(TimePoint now) {
    std::erase_if(retired_, [&](const Retired &retired) {
        return retired.until <= now && std::ranges::none_of(of_session_, [&](const auto &session) {
                   return session.second == retired.hosted.get();
               });
    });
}

// Only current inducts get new sessions.
HostedInduct &HostedInducts::add_session(LinkId link, UpstreamId session) {
    HostedInduct &hosted = *inducts_.at(link);
    of_session_[session] = &hosted;
    return hosted;
}

HostedInduct *HostedInducts::of_session(UpstreamId session) {
    const auto found = of_session_.find(session);
    return found == of_session_.end() ? nullptr : found->second;
}

void HostedInducts::handle_state(cla::LinkState state) {
    if (state == cla::LinkState::kClosing) ++closing_;
    if (state == cla::LinkState::kClosed) --closing_;
}

HostedInduct *HostedInducts::find(LinkId link) const {
    const auto found = inducts_.find(link);
    return found == inducts_.end() ? nullptr : found->second.get();
}

std::vector<std::uint16_t> HostedInducts::ports() const {
    std::vector<std::uint16_t> ports;
    for (const config::InductConfig &config : config_.inducts) {
        const HostedInduct *hosted = find(config.id);
        ports.push_back(hosted == nullptr ? std::uint16_t{0} : hosted->induct->port());
    }
    return ports;
}

std::vector<std::uint16_t> HostedInducts::waiting() const {
    std::vector<std::uint16_t> places;
    for (std::size_t at = 0; at < config_.inducts.size(); ++at) {
        const HostedInduct *hosted = find(config_.inducts[at].id);
        if (hosted != nullptr && hosted->induct->port() != 0 && !hosted->induct->listens())
            places.push_back(static_cast<std::uint16_t>(at));
    }
    return places;
}

}  // namespace farlink::ingress
