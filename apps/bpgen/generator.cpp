// SPDX-License-Identifier: Apache-2.0
#include "apps/bpgen/generator.hpp"

#include <algorithm>
#include <iostream>
#include <limits>

#include "apps/shared/options/complain.hpp"
#include "apps/shared/traffic/rate_text.hpp"
#include "apps/shared/traffic/tool_link.hpp"
#include "cla/factory/link_factory.hpp"
#include "common/base/counted.hpp"
#include "common/bp/parse.hpp"
#include "common/config/fields/link_url.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::bpgen {
namespace {

/// At a rate, bundles that are due within this time are sent together.
constexpr Duration kTick = milliseconds(1);
/// Bytes given to the link between two turns of the event loop.
constexpr std::uint64_t kWriteBytes = 256 * 1024;
/// Time for the peer to end the connection after everything is acknowledged.
constexpr Duration kCloseLimit = seconds(2);
constexpr Duration kProgressInterval = seconds(1);
/// A link that takes no pieces of a bundle has it in memory.
constexpr std::uint64_t kMostInMemory = 0xffff'0000;
constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

}  // namespace

Generator::Generator(const GeneratorOptions &options, traffic::LinkLoop &loop,
                     traffic::BundleTemplate &bundles, const traffic::Pattern &pattern,
                     std::uint64_t run)
    : options_(options),
      loop_(loop),
      group_(bundles, pattern),
      window_(options.via.max_in_flight_bytes, options.via.max_in_flight_bundles),
      fragments_(bundles, pattern, options.fragments),
      pieces_(bundles, pattern),
      wanted_(options.bundles > 0 ? options.bundles * fragments_.per_bundle() : kUnlimited) {
    next_.length_bytes = static_cast<std::uint32_t>(options.bundle.payload_bytes);
    next_.run = run;
    next_.total = options.bundles;
    next_.seed = pattern.seed();
    const bp::EidView &source = options.bundle.source;
    if (options.bundle.custody != traffic::Custody::kNone)
        custody_.emplace(bp::Eid(source), options.bundle.first_custody_id, options.custody_timeout);
    if (options.sealer != nullptr) sealed_.emplace(bundles, pattern, *options.sealer);
    options_.via.id = kOutduct;
    outduct_ = cla::make_outduct(loop.resources(*this), options_.via, entropy_seed());
    const bool in_pieces = outduct_->takes_pieces() && !fragments_.makes_fragments() && !sealed_ &&
                           group_.max_bundle_bytes() > traffic::BundlePieces::kAbove;
    if (in_pieces) tokens_per_bundle_ = pieces_.per_bundle();
    if (!options_.listen) return;
    options_.listen->id = kInduct;
    induct_ = cla::make_induct(loop.resources(*this), *options_.listen);
}

GeneratorReport Generator::run() {
    GeneratorReport report;
    report.run = next_.run;
    report.error = connect();
    if (report.error.empty()) {
        first_hand_over_ = monotonic_now();
        report.error = send_all();
        report.acknowledged = report.error.empty();
    }
    report.bundles = next_.sequence / fragments_.per_bundle();
    measure(report);
    close();
    if (fragments_.makes_fragments()) report.fragments = next_.sequence;
    report.bundle_bytes = bundle_bytes_;
    report.acknowledged_bundles = window_.acknowledged();
    report.resent = window_.resent();
    report.refused = window_.refused();
    report.sessions = sessions_;
    report.custody = custody_report();
    return report;
}

// With custody, bundles that are sent again are acknowledged again.
void Generator::measure(GeneratorReport &report) const {
    const bool acknowledges = traffic::acknowledges(options_.via.url);
    const TimePoint end =
        acknowledges ? last_acknowledged_ : std::max(last_hand_over_, last_acknowledged_);
    report.seconds = std::chrono::duration<double>(end - first_hand_over_).count();
    report.rated_bundles =
        acknowledges ? std::min(report.bundles, window_.acknowledged() / fragments_.per_bundle())
                     : report.bundles;
}

std::optional<CustodyReport> Generator::custody_report() const {
    if (!custody_) return std::nullopt;
    CustodyReport report;
    report.accepted = custody_->accepted();
    report.outstanding = custody_->outstanding();
    report.refused = custody_->refused();
    report.depleted = custody_->depleted();
    report.resent = custody_->resent();
    report.signals = custody_->signals();
    report.aggregates = custody_->aggregates();
    if (report.accepted > 0)
        report.seconds = std::chrono::duration<double>(last_acceptance_ - first_hand_over_).count();
    return report;
}

std::string Generator::connect() {
    const std::string where = config::to_string(options_.via.url);
    const TimePoint give_up = monotonic_now() + options_.connect_timeout;
    outduct_->open();
    while (state_ != cla::LinkState::kConnected && !loop_.stop_requested()) {
        const TimePoint now = monotonic_now();
        if (now >= give_up) break;
        report_trouble(now);
        loop_.wait(std::min(give_up, notice_.next_timeout()));
    }
    if (state_ != cla::LinkState::kConnected && loop_.stop_requested())
        return "stopped before the link was connected" +
               (trouble_.known() ? ": " + trouble_.why() : std::string());
    if (state_ != cla::LinkState::kConnected)
        return traffic::cannot_connect(options_.via.url, trouble_);
    if (fragments_.makes_fragments()) return {};  // the link refuses those that are too large
    std::uint64_t most = outduct_->max_bundle_bytes();
    if (!outduct_->takes_pieces() || sealed_) most = std::min(most, kMostInMemory);
    if (most_bytes() > most)
        return "bundles of up to " + std::to_string(most_bytes()) + " bytes are too large for " +
               where + ", which accepts " + std::to_string(most);
    return {};
}

std::uint64_t Generator::most_bytes() const {
    return group_.max_bundle_bytes() + (sealed_ ? traffic::BundleSealer::kMostAdded : 0);
}

std::string Generator::send_all() {
    const TimePoint start = first_hand_over_;
    const TimePoint end = options_.duration ? start + *options_.duration : kNever;
    if (options_.bundle_rate > 0)
        pacer_.emplace(options_.bundle_rate * static_cast<double>(fragments_.per_bundle()), start);
    last_progress_ = last_hand_over_ = last_acknowledged_ = start;
    if (options_.progress) next_progress_ = start + kProgressInterval;

    while (failure_.empty() && !done()) {
        if (loop_.abort_requested()) return unfinished("before the second signal");
        const TimePoint now = monotonic_now();
        if (now >= next_progress_) report_progress(now);
        report_trouble(now);
        if (!ending_ && (now >= end || loop_.stop_requested())) end_run();
        if (transmit(now)) {
            loop_.poll();
            continue;
        }
        if (!failure_.empty()) break;
        const TimePoint give_up = give_up_at();
        if (now >= give_up) return unfinished("in time");
        TimePoint wake =
            std::min({give_up, next_progress_, notice_.next_timeout(), ending_ ? kNever : end});
        if (pacer_ && !all_handed_over() && window_.room(most_bytes()) > 0)
            wake = std::min(wake, std::max(pacer_->next_due(), now + kTick));
        if (const TimePoint again = next_resend(); again > now) wake = std::min(wake, again);
        loop_.wait(wake);
    }
    if (failure_.empty() && window_.failed() > 0)
        failure_ = counted(window_.failed(), "bundle") +
                   (window_.failed() == 1 ? " was" : " were") +
                   " refused permanently by the next hop";
    return failure_;
}

std::string Generator::unfinished(const std::string &when) const {
    if (all_handed_over() && window_.empty())
        return "no node accepted custody of " + counted(custody_->outstanding(), "bundle") + ' ' +
               when;
    const std::uint64_t repeats = custody_ ? custody_->resent() : 0;
    const std::string why = state_ == cla::LinkState::kConnected
                                ? std::string()
                                : "; " + traffic::cannot_connect(options_.via.url, trouble_);
    const std::uint64_t left = next_.sequence + repeats - window_.acknowledged();
    return counted(left, "bundle") + (left == 1 ? " was" : " were") + " not acknowledged " + when +
           why;
}

TimePoint Generator::next_resend() const {
    return std::min(window_.next_resend(), custody_ ? custody_->next_resend() : kNever);
}

void Generator::report_progress(TimePoint now) {
    next_progress_ = now + kProgressInterval;
    const std::uint64_t fresh = next_.sequence - published_bundles_;
    published_bundles_ = next_.sequence;
    constexpr double kBits = 8;
    const double bits = kBits * static_cast<double>(fresh * options_.bundle.payload_bytes);
    std::cerr << std::chrono::duration_cast<std::chrono::seconds>(now - first_hand_over_).count()
              << " s: " << next_.sequence << " sent, " << window_.acknowledged()
              << " acknowledged; " << fresh << " bundles/s, " << traffic::bit_rate_text(bits)
              << " of payload" << (state_ == cla::LinkState::kConnected ? "" : "; not connected")
              << '\n';
}

void Generator::report_trouble(TimePoint now) {
    if (notice_.look(state_ == cla::LinkState::kConnected, trouble_, now))
        complain(traffic::cannot_connect(options_.via.url, trouble_) + "; trying again", kExitOk);
}

// A run that ends by time or signal sends one more bundle with the number of bundles. One that is
// sent in fragments is finished before.
void Generator::end_run() {
    ending_ = true;
    pacer_.reset();
    const std::uint64_t pieces = fragments_.per_bundle();
    next_.total = (next_.sequence + pieces - 1) / pieces + 1;
    wanted_ = next_.total * pieces;
    last_progress_ = monotonic_now();
}

// While bundles remain to be sent, a peer may delay the run without limit. Without a connection, or
// when only acknowledgements are missing, a time without progress ends the run.
TimePoint Generator::give_up_at() const {
    const bool waits = state_ != cla::LinkState::kConnected || ending_ || all_handed_over();
    return waits ? last_progress_ + options_.acknowledge_timeout : kNever;
}

// One write for many groups. True when there may be more to send at once.
bool Generator::transmit(TimePoint now) {
    std::uint64_t bytes = 0;
    while (bytes < kWriteBytes) {
        const std::uint64_t taken = transmit_group(now);
        if (taken == 0) break;
        bytes += taken;
    }
    if (bytes > 0) outduct_->flush();
    return bytes > 0;
}

std::uint64_t Generator::transmit_group(TimePoint now) {
    if (state_ != cla::LinkState::kConnected) return 0;
    if (pieces_.under_way()) return transmit_piece();
    const std::uint64_t room = window_.room(most_bytes());
    const std::uint64_t credit = outduct_->transmit_credit();
    if (room == 0 || credit == 0) return 0;
    const std::uint64_t before = next_.sequence;
    const auto stretch = next_stretch(std::min(room, group_.bundles_within(credit)), now);
    if (!stretch) return 0;
    const bool again = next_.sequence == before;

    group_.clear();
    group_.recycle(window_.poll_memory());
    traffic::PayloadHeader header = next_;
    header.sent_unix_ns = stretch->sent_unix_ns;
    header.total = stretch->total;
    if (tokens_per_bundle_ > 1) {
        header.sequence = stretch->first;
        return begin_in_pieces(header, *stretch, again);
    }
    for (std::uint64_t i = 0; i < stretch->count; ++i) {
        header.sequence = stretch->first + i;
        if (!add_bundle(header, window_.next_token() + i)) return 0;
    }
    // Retransmissions are no progress; only an accepted custody is.
    if (window_.empty() && !again) last_progress_ = now;
    if (!again) bundle_bytes_ += group_.bytes();
    window_.handle_sent(*stretch, group_.bytes(), group_.release());
    outduct_->transmit(group_.bundles());
    return group_.bytes();
}

// False ends the run: the bundle cannot be sealed.
bool Generator::add_bundle(const traffic::PayloadHeader &header, std::uint64_t token) {
    if (fragments_.makes_fragments()) {
        group_.add_whole(Bytes(fragments_.fragment(header, header.sequence)), token);
    } else if (sealed_) {
        auto bundle = sealed_->make(header);
        if (!bundle) failure_ = "cannot sign or encrypt a bundle: " + bundle.error();
        if (!bundle) return false;
        group_.add_whole(std::move(*bundle), token);
    } else {
        group_.add(header, token);
    }
    return true;
}

std::uint64_t Generator::begin_in_pieces(const traffic::PayloadHeader &header,
                                         const traffic::Stretch &stretch, bool again) {
    pieces_.begin(header, window_.next_token() * tokens_per_bundle_);
    if (!again) bundle_bytes_ += pieces_.bundle_bytes();
    window_.handle_sent(stretch, pieces_.bundle_bytes(), nullptr);
    return transmit_piece();
}

std::uint64_t Generator::transmit_piece() {
    if (outduct_->transmit_credit() == 0) return 0;
    const TxBundle piece = pieces_.next();
    outduct_->transmit({&piece, 1});
    last_progress_ = last_hand_over_ = monotonic_now();
    return piece.size;
}

// Retransmissions go first, so that the oldest bundle is not delayed without limit.
std::optional<traffic::Stretch> Generator::next_stretch(std::uint64_t at_most, TimePoint now) {
    if (auto again = window_.poll_resend(at_most, now)) return again;
    if (auto again = custody_ ? custody_->poll_resend(at_most, now) : std::nullopt) {
        custody_->handle_sent(*again, now);
        return again;
    }
    std::uint64_t count = std::min(at_most, wanted_ - next_.sequence);
    if (pacer_) count = std::min(count, pacer_->due(now));
    if (count == 0) return std::nullopt;
    const traffic::Stretch fresh{next_.sequence, count, unix_nanoseconds(), next_.total};
    if (pacer_) pacer_->spend(count);
    next_.sequence += count;
    last_hand_over_ = now;
    if (custody_) custody_->handle_sent(fresh, now);
    return fresh;
}

void Generator::on_state(LinkId link, cla::LinkState state, cla::LinkFault fault) {
    if (link != kOutduct) return;
    const bool was_connected = state_ == cla::LinkState::kConnected;
    state_ = state;
    trouble_.handle_state(fault);
    if (state == cla::LinkState::kConnected) ++sessions_;
    if (!was_connected || state == cla::LinkState::kClosing) return;
    pieces_.break_off();
    if (custody_ || traffic::acknowledges(options_.via.url))
        window_.handle_lost(monotonic_now());
    else if (!done())
        failure_ = "the connection was lost before all bundles were acknowledged: " +
                   std::string(cla::in_words(fault));
}

void Generator::on_transmitted(LinkId, std::uint64_t token) {
    const std::uint64_t before = window_.acknowledged();
    window_.handle_transmitted(token / tokens_per_bundle_);
    if (tokens_per_bundle_ > 1) last_progress_ = monotonic_now();
    // At the end of a run with custody, only retransmissions remain; only an acceptance is
    // progress.
    const bool repeats = custody_ && all_handed_over();
    if (window_.acknowledged() == before) return;
    last_acknowledged_ = monotonic_now();
    if (!repeats) last_progress_ = last_acknowledged_;
}

void Generator::on_refused(LinkId, std::uint64_t token, cla::Refusal refusal) {
    window_.handle_refused(token / tokens_per_bundle_, refusal, monotonic_now());
}

// The generator accepts custody signals only; other bundles are refused with no resources.
void Generator::on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) {
    cla::BundleSource &source =
        link == kOutduct ? static_cast<cla::BundleSource &>(*outduct_) : *induct_;
    std::uint64_t transfer = received.first_transfer;
    for (const ReceivedBundle &bundle : received.bundles) {
        const bool wanted = custody_ && take_signal(received.slices_of(bundle));
        source.acknowledge(
            from, transfer++, 1,
            wanted ? cla::TransferDisposition::kSafe : cla::TransferDisposition::kNoResources);
    }
    source.flush_acknowledgements();
}

bool Generator::take_signal(std::span<const ByteView> bundle) {
    ByteView whole = bundle.front();
    if (bundle.size() > 1) {
        joined_.clear();
        for (const ByteView slice : bundle) append(joined_, slice);
        whole = joined_;
    }
    const auto view = bp::parse({&whole, 1});
    const bp::EidView administrator = bp::ipn_eid(options_.bundle.source.node, 0);
    if (!view || !view->is_admin_record || view->destination != administrator) return false;
    const std::uint64_t before = custody_->accepted();
    if (!custody_->handle_record(whole.subspan(view->payload_offset, view->payload_length)))
        return false;
    if (custody_->accepted() > before) last_progress_ = last_acceptance_ = monotonic_now();
    return true;
}

// Ends the session where the convergence layer has a message for it.
void Generator::close() {
    outduct_->close();
    loop_.run_until([this] { return state_ == cla::LinkState::kClosed; },
                    monotonic_now() + kCloseLimit);
    if (induct_) induct_->close();
}

}  // namespace farlink::bpgen
