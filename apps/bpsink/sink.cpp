// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsink/sink.hpp"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/shared/traffic/rate_text.hpp"
#include "apps/shared/traffic/tool_link.hpp"
#include "cla/factory/link_factory.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::bpsink {
namespace {

constexpr Duration kProgressInterval = seconds(1);
/// Time to send the last acknowledgements, and for peers to end their sessions.
constexpr Duration kCloseLimit = seconds(2);
/// LTP repeats its reports meanwhile, and ends before.
constexpr Duration kCloseLimitOfLtp = seconds(10);

}  // namespace

Sink::Sink(const SinkOptions &options, traffic::LinkLoop &loop, traffic::Verifier &verifier)
    : options_(options),
      loop_(loop),
      verifier_(verifier),
      induct_(cla::make_induct(loop.resources(*this), options.listen)),
      answers_(loop) {
    if (options.custody) custody_signaller_.emplace(*options.custody, answers_);
    if (!options.echo) return;
    echo_.emplace(options.echo->local, entropy_seed() >> 33);
    if (options.echo->to) echo_to_ = answers_.add(*options.echo->to);
}

bool Sink::open() {
    listening_ = induct_->open();
    if (listening_) answers_.open(*induct_);
    return listening_;
}

void Sink::run() {
    TimePoint now = monotonic_now();
    next_progress_ = now + kProgressInterval;
    while (!loop_.stop_requested() && !done(now)) {
        const TimePoint answer = custody_signaller_ ? custody_signaller_->next_timeout() : kNever;
        loop_.wait(std::min({next_progress_, idle_end(), answer}));
        now = monotonic_now();
        if (custody_signaller_) custody_signaller_->handle_timeout(now);
        if (now >= next_progress_) report_progress(now);
    }
    close();
}

void Sink::on_upstream_opened(LinkId, UpstreamId, bool) {
    ++opened_;
    ++open_;
    // A datagram induct has no sessions; its one upstream exists from the start.
    if (listening_) std::cerr << "connection " << opened_ << '\n';
}

void Sink::on_bundles(LinkId, UpstreamId from, ReceivedBundles &received) {
    const traffic::Arrival arrival{monotonic_now(), unix_nanoseconds()};
    last_bundle_ = arrival.at;
    if (refuse(from, received)) return;
    const bool needs_time = custody_signaller_ || echo_ || options_.opener != nullptr;
    const DtnTime now_ms = needs_time ? read_wall_clock().dtn_ms : 0;
    for (const ReceivedBundle &bundle : received.bundles)
        if (bundle.is_piece())
            take_piece(from, bundle, received.slices_of(bundle), arrival);
        else
            take(from, received.slices_of(bundle), now_ms, arrival);
    const std::size_t whole = received.completed();
    if (whole == 0) return;
    induct_->acknowledge(from, received.first_transfer, static_cast<std::uint32_t>(whole),
                         cla::TransferDisposition::kSafe);
    induct_->flush_acknowledgements();
}

// Too many echoes wait: the sender offers its bundles again, if its layer has a way to refuse.
bool Sink::refuse(UpstreamId from, const ReceivedBundles &received) {
    if (!echo_ || !answers_.full() || !traffic::acknowledges(options_.listen.url)) return false;
    const std::size_t whole = received.completed();
    echoed_.refused += whole;
    induct_->acknowledge(from, received.first_transfer, static_cast<std::uint32_t>(whole),
                         cla::TransferDisposition::kNoResources);
    induct_->flush_acknowledgements();
    return true;
}

void Sink::take(UpstreamId from, std::span<const ByteView> bundle, DtnTime now_ms,
                const traffic::Arrival &arrival) {
    traffic::BundleOpener *const opener = options_.opener;
    verifier_.handle_bundle(opener == nullptr ? bundle : opener->open(bundle, now_ms), arrival);
    if (custody_signaller_) custody_signaller_->handle_bundle(from, bundle, now_ms, arrival.at);
    if (echo_) echo(from, bundle, now_ms);
}

void Sink::echo(UpstreamId from, std::span<const ByteView> bundle, DtnTime now_ms) {
    auto answer = echo_->handle_bundle(bundle, now_ms);
    if (!answer) return;
    const LinkId link = echo_to_ == kNoLink ? AnswerLinks::link_of(from) : echo_to_;
    if (!answers_.full() && answers_.send(link, std::move(*answer)))
        ++echoed_.sent;
    else
        ++echoed_.dropped;
}

std::optional<Sink::Echoed> Sink::echoed() const {
    if (!echo_) return std::nullopt;
    Echoed echoed = echoed_;
    echoed.unanswered = echo_->unanswered();
    // Custody signals that are lost with a connection count here, too: both share their links.
    echoed.dropped += answers_.lost();
    return echoed;
}

// The bundle before one that begins has no last piece any more.
void Sink::take_piece(UpstreamId from, const ReceivedBundle &piece,
                      std::span<const ByteView> octets, const traffic::Arrival &arrival) {
    const std::pair in{from, piece.channel};
    if (!piece.is_further || piece.breaks_off()) large_.erase(in);
    if (piece.breaks_off()) return;
    traffic::LargeBundle &bundle = large_[in];
    bundle.add(octets);
    if (piece.more) return;
    verifier_.handle_large(bundle, arrival);
    large_.erase(in);
}

void Sink::on_upstream_closed(LinkId, UpstreamId from, cla::LinkFault fault) {
    --open_;
    std::erase_if(large_, [from](const auto &each) { return each.first.first == from; });
    if (custody_signaller_) custody_signaller_->handle_closed(from);
    answers_.handle_closed(from);
    if (fault == cla::LinkFault::kTruncatedBundle) ++cut_off_;
    if (fault != cla::LinkFault::kNone && fault != cla::LinkFault::kPeerClosed &&
        fault != cla::LinkFault::kPeerTerminated)
        std::cerr << "bpsink: session ended: " << cla::in_words(fault) << '\n';
}

void Sink::on_deviation(LinkId, const cla::PeerIdentity &, cla::ProtocolDeviation deviation) {
    ++deviations_[static_cast<std::size_t>(deviation)];
}

bool Sink::done(TimePoint now) const {
    const std::uint64_t count = echo_ ? echoed_.sent : verifier_.received();
    if (options_.bundles > 0 && count >= options_.bundles) return true;
    if (options_.until_complete && verifier_.totals().complete) return true;
    return now >= idle_end();
}

TimePoint Sink::idle_end() const {
    if (!options_.idle_exit || last_bundle_ == kNever) return kNever;
    return last_bundle_ + *options_.idle_exit;
}

// Sends the acknowledgements, signals and echoes that peers wait for before the end.
void Sink::close() {
    if (custody_signaller_) custody_signaller_->expedite(monotonic_now());
    loop_.run_until([this] { return answers_.all_sent(); }, monotonic_now() + kCloseLimit);
    answers_.close();
    induct_->finish();
    if (!traffic::acknowledges(options_.listen.url)) return;
    const bool ltp = options_.listen.url.scheme == "ltp";
    loop_.run_until([this] { return open_ == 0; },
                    monotonic_now() + (ltp ? kCloseLimitOfLtp : kCloseLimit));
}

// Prints no line while no bundle arrives.
void Sink::publish_progress(const traffic::Totals &totals) {
    const traffic::Totals before = std::exchange(published_, totals);
    if (totals.received == before.received) return;
    constexpr double kBits = 8;
    const auto bits = kBits * static_cast<double>(totals.payload_bytes - before.payload_bytes);
    std::cerr << totals.received << " received, " << totals.lost << " missing; "
              << totals.received - before.received << " bundles/s, " << traffic::bit_rate_text(bits)
              << " of payload\n";
}

void Sink::report_progress(TimePoint now) {
    next_progress_ = now + kProgressInterval;
    if (!options_.progress && !options_.progress_text) return;
    const traffic::Totals totals = verifier_.totals();
    if (options_.progress_text) return publish_progress(totals);
    const Duration since = totals.received > 0 ? now - totals.first : Duration{};
    const nlohmann::json line{{"seconds", std::chrono::duration<double>(since).count()},
                              {"received", totals.received},
                              {"duplicates", totals.duplicates},
                              {"missing", totals.lost},
                              {"corrupt", totals.corrupt + totals.malformed},
                              {"connections", open_}};
    std::cerr << line.dump() << '\n';
}

}  // namespace farlink::bpsink
