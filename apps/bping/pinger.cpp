// SPDX-License-Identifier: Apache-2.0
#include "apps/bping/pinger.hpp"

#include <algorithm>
#include <array>

#include "apps/shared/options/complain.hpp"
#include "apps/shared/traffic/tool_link.hpp"
#include "cla/factory/link_factory.hpp"
#include "common/bp/base/slices.hpp"
#include "common/bp/parse.hpp"
#include "common/config/fields/link_url.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::bping {
namespace {

constexpr Duration kCloseLimit = seconds(2);

}  // namespace

Pinger::Pinger(const PingOptions &options, traffic::LinkLoop &loop,
               traffic::BundleTemplate &bundles, const traffic::Pattern &pattern, std::uint64_t run,
               std::function<void(const Echo &)> on_echo,
               std::function<void(std::uint64_t)> on_lost)
    : options_(options),
      loop_(loop),
      group_(bundles, pattern),
      on_echo_(std::move(on_echo)),
      on_lost_(std::move(on_lost)),
      trips_(options.timeout),
      first_sequence_(run >> 33) {
    request_.length_bytes = static_cast<std::uint32_t>(options.bundle.payload_bytes);
    request_.run = run;
    request_.seed = pattern.seed();
    request_.is_ping = true;
    options_.via.id = kOutduct;
    outduct_ = cla::make_outduct(loop.resources(*this), options_.via, entropy_seed());
    if (!options_.listen) return;
    options_.listen->id = kInduct;
    induct_ = cla::make_induct(loop.resources(*this), *options_.listen);
}

std::string Pinger::run() {
    if (auto error = connect(); !error.empty()) {
        close();
        return error;
    }
    TimePoint next = monotonic_now();
    while (!loop_.stop_requested()) {
        const TimePoint now = monotonic_now();
        report_trouble(now);
        trips_.handle_timeout(now);
        while (const auto lost = trips_.poll_lost()) on_lost_(*lost);
        const bool more = options_.count == 0 || trips_.sent() < options_.count;
        if (!more && trips_.acknowledged()) break;
        const bool after_reply = options_.interval == Duration::zero();
        if (more && (after_reply ? trips_.acknowledged() : now >= next)) {
            send_request(now);
            // A late timer does not delay the next ones.
            next = std::max(next + options_.interval, now);
            continue;
        }
        const TimePoint due = more && !after_reply ? next : kNever;
        loop_.wait(std::min({due, trips_.next_timeout(), notice_.next_timeout()}));
    }
    close();
    return {};
}

std::string Pinger::connect() {
    const TimePoint give_up = monotonic_now() + options_.timeout;
    outduct_->open();
    while (state_ != cla::LinkState::kConnected && !loop_.stop_requested()) {
        const TimePoint now = monotonic_now();
        if (now >= give_up) break;
        report_trouble(now);
        loop_.wait(std::min(give_up, notice_.next_timeout()));
    }
    if (state_ != cla::LinkState::kConnected && !loop_.stop_requested())
        return traffic::cannot_connect(options_.via.url, trouble_);
    if (group_.max_bundle_bytes() > outduct_->max_bundle_bytes())
        return "the link accepts bundles of up to " + std::to_string(outduct_->max_bundle_bytes()) +
               " bytes";
    // A reply that waits for its connection would distort the round trip.
    if (induct_ && options_.listen->url.scheme != "udp")
        loop_.run_until([this] { return reachable_; }, give_up);
    return {};
}

void Pinger::report_trouble(TimePoint now) {
    if (notice_.look(state_ == cla::LinkState::kConnected, trouble_, now))
        complain(traffic::cannot_connect(options_.via.url, trouble_) + "; trying again", kExitOk);
}

// The link over UDP counts as connected before its peer has responded.
std::string Pinger::why_lost() const {
    const bool silent = trips_.sent() > 0 && trips_.received() == 0 && !answered_;
    if (!silent || !traffic::acknowledges(options_.via.url)) return {};
    return "the peer at " + config::to_string(options_.via.url) + " acknowledges nothing" +
           (trouble_.known() ? ": " + trouble_.why() : "");
}

// Without a connection a request counts as lost at once.
void Pinger::send_request(TimePoint now) {
    request_.sequence = first_sequence_ + trips_.handle_sent(now);
    if (state_ != cla::LinkState::kConnected || outduct_->transmit_credit() == 0) return;
    request_.sent_unix_ns = unix_nanoseconds();
    group_.clear();
    group_.add(request_, next_token_++);
    memory_.push_back(group_.release());
    outduct_->transmit(group_.bundles());
    outduct_->flush();
}

void Pinger::on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) {
    const TimePoint now = monotonic_now();
    for (const ReceivedBundle &bundle : received.bundles)
        handle_bundle(received.slices_of(bundle), now);
    cla::BundleSource &source =
        link == kOutduct ? static_cast<cla::BundleSource &>(*outduct_) : *induct_;
    source.acknowledge(from, received.first_transfer,
                       static_cast<std::uint32_t>(received.bundles.size()),
                       cla::TransferDisposition::kSafe);
    source.flush_acknowledgements();
}

void Pinger::handle_bundle(std::span<const ByteView> bundle, TimePoint now) {
    ByteView whole;
    if (bundle.size() > 1) {
        joined_.clear();
        for (const ByteView slice : bundle) append(joined_, slice);
        whole = joined_;
        bundle = {&whole, 1};
    }
    const auto view = bp::parse(bundle);
    if (!view || view->destination != options_.bundle.source || view->is_fragment) return;
    const ByteView payload = bundle[0].subspan(view->payload_offset, view->payload_length);
    const auto header = traffic::PayloadHeader::read(payload, payload.size());
    if (!header || !header->is_ping || header->run != request_.run) return;
    const std::uint64_t number = header->sequence - first_sequence_;
    if (const auto taken = trips_.handle_reply(number, now))
        on_echo_({number, payload.size(), *taken});
}

void Pinger::on_upstream_opened(LinkId link, UpstreamId, bool) {
    if (link == kInduct) reachable_ = true;
}

void Pinger::on_state(LinkId link, cla::LinkState state, cla::LinkFault fault) {
    if (link != kOutduct) return;
    state_ = state;
    trouble_.handle_state(fault);
    if (state != cla::LinkState::kConnecting) return;
    memory_.clear();
    first_token_ = next_token_;
}

void Pinger::on_transmitted(LinkId, std::uint64_t token) {
    answered_ = true;
    for (; first_token_ < token && !memory_.empty(); ++first_token_)
        group_.recycle(memory_.pop_front());
}

void Pinger::close() {
    outduct_->close();
    loop_.run_until([this] { return state_ == cla::LinkState::kClosed; },
                    monotonic_now() + kCloseLimit);
    if (induct_) induct_->close();
}

}  // namespace farlink::bping
