// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/traffic/verifier.hpp"

#include <algorithm>
#include <numeric>

#include "common/bp/base/slices.hpp"

namespace farlink::traffic {

namespace {

/// True when the payload after its header is the pattern.
bool matches(const Pattern &pattern, std::span<const ByteView> bundle, const bp::BundleView &view) {
    const std::uint64_t begin = view.payload_offset + PayloadHeader::kBytes;
    std::uint64_t offset = 0;
    bool same = true;
    bp::for_each_piece(bundle, begin, view.payload_offset + view.payload_length,
                       [&](ByteView piece) {
                           same = same && pattern.matches(piece, offset);
                           offset += piece.size();
                       });
    return same;
}

}  // namespace

void Verifier::handle_bundle(std::span<const ByteView> bundle, const Arrival &arrival) {
    const auto view = contiguous_.parse(bundle);
    if (!view) {
        ++malformed_[static_cast<std::size_t>(view.error())];
    } else if (view->destination != local_.view()) {
        ++misdelivered_;
    } else if (view->is_admin_record) {
        ++corrupt_;  // bpgen sends none
    } else if (view->is_fragment) {
        handle_fragment(*view, bundle, arrival);
    } else {
        handle_payload(*view, bundle, arrival);
    }
}

void Verifier::handle_large(LargeBundle &bundle, const Arrival &arrival) {
    if (const ByteView kept = bundle.kept(); !kept.empty())
        return handle_bundle({&kept, 1}, arrival);
    const auto view = bundle.finish();
    if (!view) {
        ++malformed_[static_cast<std::size_t>(view.error())];
        return;
    }
    if (view->destination != local_.view()) {
        ++misdelivered_;
        return;
    }
    const auto &header = bundle.header();
    if (header && header->is_ping && !view->is_admin_record)
        return handle_ping(*view, *header, bundle.matches(), arrival);
    Run *run = header && !view->is_admin_record ? run_of(*header) : nullptr;
    if (run == nullptr || view->sequence != header->sequence || !bundle.matches())
        ++corrupt_;
    else
        record(*view, *header, *run, arrival);
}

void Verifier::handle_fragment(const bp::BundleView &view, std::span<const ByteView> bundle,
                               const Arrival &arrival) {
    using Outcome = Reassembler::Outcome;
    constexpr std::uint64_t kNanosecondsPerMs = 1'000'000;
    constexpr std::uint64_t kDtnEpochUnixMs = 946'684'800'000;
    ++fragments_;
    const std::uint64_t unix_ms = arrival.unix_ns / kNanosecondsPerMs;
    const Outcome outcome =
        reassembler_.handle_fragment(view, bundle, unix_ms - std::min(unix_ms, kDtnEpochUnixMs));
    if (outcome == Outcome::kContradiction || outcome == Outcome::kNoSpace) ++corrupt_;
    if (outcome != Outcome::kComplete) return;
    ++joined_units_;
    const std::optional<Bytes> unit = reassembler_.poll_data_unit();
    const ByteView payload(*unit);
    bp::BundleView whole = view;
    whole.is_fragment = false;
    whole.payload_offset = 0;
    whole.payload_length = payload.size();
    handle_payload(whole, {&payload, 1}, arrival);
}

void Verifier::handle_payload(const bp::BundleView &view, std::span<const ByteView> bundle,
                              const Arrival &arrival) {
    std::array<std::uint8_t, PayloadHeader::kBytes> room;
    const ByteView front = bp::peek(bundle, view.payload_offset, room);
    const auto header = PayloadHeader::read(front, view.payload_length);
    if (header && header->is_ping)
        return handle_ping(view, *header, matches(Pattern(header->seed), bundle, view), arrival);
    Run *run = header ? run_of(*header) : nullptr;
    if (run == nullptr || view.sequence != header->sequence ||
        !matches(run->pattern, bundle, view)) {
        ++corrupt_;
        return;
    }
    record(view, *header, *run, arrival);
}

void Verifier::record(const bp::BundleView &view, const PayloadHeader &header, Run &run,
                      const Arrival &arrival) {
    run.tracker.note_total(header.sequence, header.total);
    switch (run.tracker.record(header.sequence)) {
        case SequenceTracker::Verdict::kDuplicate:
            return;
        case SequenceTracker::Verdict::kBeyondLimit:
            ++corrupt_;
            return;
        case SequenceTracker::Verdict::kNew:
            count(view, header, arrival);
    }
}

void Verifier::handle_ping(const bp::BundleView &view, const PayloadHeader &header, bool intact,
                           const Arrival &arrival) {
    if (!intact || view.sequence != header.sequence) {
        ++corrupt_;
        return;
    }
    const std::pair request{header.run, header.sequence};
    if (!pings_.insert(request).second) {
        ++repeated_pings_;
        return;
    }
    ping_order_.push_back(request);
    if (ping_order_.size() > kMaxPings) {
        pings_.erase(ping_order_.front());
        ping_order_.pop_front();
    }
    count(view, header, arrival);
}

void Verifier::count(const bp::BundleView &view, const PayloadHeader &header,
                     const Arrival &arrival) {
    if (latency_.count() == 0) first_ = arrival.at;
    last_ = arrival.at;
    payload_bytes_ += view.payload_length;
    // Clocks of two machines may disagree; a bundle never arrives before it was sent.
    latency_.add(std::max(arrival.unix_ns, header.sent_unix_ns) - header.sent_unix_ns);
}

Verifier::Run *Verifier::run_of(const PayloadHeader &header) {
    if (current_ == nullptr || current_->number != header.run) {
        const auto same = [&](const auto &run) { return run->number == header.run; };
        const auto found = std::ranges::find_if(runs_, same);
        if (found != runs_.end()) {
            current_ = found->get();
        } else if (runs_.size() < kMaxRuns) {
            runs_.push_back(std::make_unique<Run>(header.run, header.seed));
            current_ = runs_.back().get();
        } else {
            return nullptr;
        }
    }
    return current_->pattern.seed() == header.seed ? current_ : nullptr;
}

Totals Verifier::totals() const {
    Totals sum;
    sum.received = received();
    sum.payload_bytes = payload_bytes_;
    sum.corrupt = corrupt_;
    sum.malformed = std::accumulate(malformed_.begin(), malformed_.end(), std::uint64_t{0});
    sum.misdelivered = misdelivered_;
    sum.fragments = fragments_;
    sum.joined = joined_units_;
    sum.unjoined = reassembler_.pending();
    sum.runs = runs_.size();
    sum.complete = !runs_.empty();
    for (const auto &run : runs_) {
        sum.duplicates += run->tracker.duplicates();
        sum.lost += run->tracker.lost();
        sum.out_of_order += run->tracker.out_of_order();
        sum.complete = sum.complete && run->tracker.complete();
    }
    sum.duplicates += repeated_pings_;
    sum.first = first_;
    sum.last = last_;
    return sum;
}

}  // namespace farlink::traffic
