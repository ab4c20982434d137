// SPDX-License-Identifier: Apache-2.0
#include "module/ingress/core/receive/bundle_receiver.hpp"

#include <algorithm>

#include "common/bp/eid/reserved.hpp"
#include "common/bp/forwarding_editor.hpp"
#include "common/bp/parse.hpp"
#include "common/bp/v7/missing_age_block.hpp"
#include "module/ingress/core/receive/slabs_of_slices.hpp"

namespace farlink::ingress {
namespace {

/// The octets of `arrival` with as many of the first of them as fit in `head` in one slice.
void gather_beginning(const Arrival &arrival, const SlabRef &head, std::vector<ByteView> &slices,
                      std::vector<SlabRef> &slabs) {
    const std::size_t most = std::min<std::uint64_t>(head->capacity, arrival.size);
    std::uint8_t *to = head->data;
    slices.emplace_back(head->data, most);
    for (const ByteView slice : arrival.slices) {
        const auto left = most - static_cast<std::size_t>(to - head->data);
        const std::size_t copied = std::min(slice.size(), left);
        to = std::copy_n(slice.begin(), copied, to);
        if (copied < slice.size()) slices.push_back(slice.subspan(copied));
    }
    slabs.assign(arrival.slabs.begin(), arrival.slabs.end());
    slabs.push_back(head);
}

bp::ReportReason deletion_reason(bp::ParseError error) {
    return error == bp::ParseError::kHopLimitExceeded ? bp::ReportReason::kHopLimitExceeded
                                                      : bp::ReportReason::kBlockUnintelligible;
}

}  // namespace

void BundleReceiver::receive(UpstreamId from, const ReceivedBundles &received, TimePoint now) {
    Upstreams &upstreams = context_.upstreams;
    const UpstreamId waiting = upstreams.acknowledges(from) ? from : kNoUpstream;
    auto transfer = static_cast<std::uint32_t>(received.first_transfer);
    if (waiting != kNoUpstream) upstreams.arrived(from, received.completed(), now);
    const NodeNumber sender = upstreams.neighbour(from);
    // Only a piece begins a spool.
    const bool in_pieces = received.has_pieces || spooler_.active();
    std::uint64_t bytes = 0;
    for (const ReceivedBundle &bundle : received.bundles) {
        bytes += bundle.size;
        const Arrival arrival{received.slices_of(bundle),
                              received.slabs_of(bundle),
                              bundle.size,
                              from,
                              waiting,
                              transfer,
                              nullptr,
                              sender};
        if (!bundle.more) ++transfer;
        if (in_pieces)
            accept_piece({from, bundle.channel}, arrival, bundle.more, bundle.is_further, now);
        else
            accept(arrival, now);
    }
    context_.counters.add(IngressCounter::kReceived, received.begun());
    context_.counters.add(IngressCounter::kReceivedBytes, bytes);
    receive_originated(now);
}

void BundleReceiver::receive(BatchPtr lent, TimePoint now) {
    const Batch &batch = *lent;
    const UpstreamId from = batch.upstream;
    Upstreams &upstreams = context_.upstreams;
    const UpstreamId waiting = upstreams.acknowledges(from) ? from : kNoUpstream;
    if (waiting != kNoUpstream)
        upstreams.arrived(from, batch.piece.last() ? batch.bundles.size() : 0, now);
    if (batch.piece.first()) context_.counters.add(IngressCounter::kReceived, batch.bundles.size());
    context_.counters.add(IngressCounter::kReceivedBytes, batch.bytes);
    const NodeNumber sender = upstreams.neighbour(from);
    const SpoolChannel in{from, batch.piece.present() ? batch.piece.channel() : 0};
    if (batch.piece.present() && batch.bundles.empty()) spooler_.abandon(in, now);
    const std::span<const SlabRef> slabs = borrowed_.borrow(std::move(lent));
    std::vector<SlabRef> under;
    for (const BatchedBundle &bundle : batch.bundles) {
        const auto slices = batch.slices_of(bundle);
        slabs_of_slices(slabs, slices, under);
        Arrival arrival{slices,  under,           bundle.size, from,
                        waiting, bundle.transfer, nullptr,     sender};
        if (batch.owner == BatchOwner::kApplications) {
            arrival.asked = asked_priority(bundle.flow);
            arrival.made_here = true;
        }
        if (batch.piece.present() || spooler_.active())
            accept_piece(in, arrival, !batch.piece.last(), !batch.piece.first(), now);
        else
            accept(arrival, now);
    }
    receive_originated(now);
    under.clear();
    borrowed_.let_go();
}

// They travel like bundles that arrived, and may lead to more.
void BundleReceiver::receive_originated(TimePoint now) {
    while (const auto made = local_.poll_originated()) {
        context_.counters.increment(IngressCounter::kOriginated);
        const SlabRef slab = context_.pool.acquire_sized(static_cast<std::uint32_t>(made->size()));
        if (!slab) {
            context_.counters.increment(IngressCounter::kDeletedTooLarge);
            continue;
        }
        std::copy(made->begin(), made->end(), slab->data);
        const ByteView slice{slab->data, made->size()};
        accept({.slices = {&slice, 1}, .slabs = {&slab, 1}, .size = made->size()}, now);
    }
}

void BundleReceiver::return_borrowed() {
    while (BatchPtr batch = borrowed_.poll_returned()) {
        batch->uniform = Outcome::kSent;
        const auto owner = batch->owner == BatchOwner::kApplications ? bus::AgentId::kApplications
                                                                     : bus::AgentId::kEgress;
        context_.send(owner, bus::BatchOutcome{std::move(batch)});
    }
}

// Part of accept() in any case: without rules of security there is no further call.
[[gnu::always_inline]] inline void BundleReceiver::pass_on(const bp::BundleView &view,
                                                           const Arrival &arrival, Here here,
                                                           TimePoint now) {
    if (discard_unforwardable(view, arrival, now))
        return context_.acknowledge(arrival, TransferDisposition::kSafe, now);
    const bool joined_here = here.node && dispatcher_.joins(view) && local_.serves(view);
    if (here.node && !here.application && !joined_here) return deliver(view, arrival, now);
    if (repeats_.active() && repeats_.absorb(view, arrival, now)) return;
    if (view.trailing_blocks) return process_trailing_blocks(arrival, now);
    if (view.lacks_age && arrival.from != kNoUpstream) return add_age_block(view, arrival, now);
    dispatcher_.dispatch(view, arrival, now);
}

void BundleReceiver::accept(const Arrival &arrival, TimePoint now) {
    const auto view =
        arrival.made_here ? bp::parse_again(arrival.slices) : bp::parse(arrival.slices);
    if (!view) {
        if (view.error() == bp::ParseError::kHeadNotContiguous && arrival.slices.size() > 1)
            return accept_joined(arrival, now);
        return reject(view.error(), arrival, now);
    }
    if (deviates(*view) && arrival.from != kNoUpstream)
        if (const auto fault = deviations_.find_fault(*view, arrival.from,
                                                      context_.upstreams.policy(arrival.from)))
            return reject(*fault, arrival, now);
    const bool for_application = context_.endpoints.find(view->destination).has_value();
    const Here here{for_application, for_application || is_for_this_node(*view)};
    if (!here.node && context_.upstreams.rejects(arrival.waiting))
        return reject_while_draining(*view, arrival, now);
    if (guard_.active()) [[unlikely]]
        return accept_guarded(*view, arrival, here, now);
    pass_on(*view, arrival, here, now);
}

// Nothing of a bundle counts before it is verified: no block, and no request for a report.
void BundleReceiver::accept_guarded(const bp::BundleView &view, const Arrival &arrival, Here here,
                                    TimePoint now) {
    const auto passed = guard_.judge(view, arrival, here.node, now);
    if (!passed) return;
    if (!passed->changed) return pass_on(view, arrival, here, now);
    const auto changed = bp::parse_again(passed->arrival.slices);
    // What was decrypted may be no bundle.
    if (!changed) return reject(changed.error(), passed->arrival, now);
    pass_on(*changed, passed->arrival, here, now);
}

void BundleReceiver::accept_piece(SpoolChannel in, const Arrival &piece, bool more, bool is_further,
                                  TimePoint now) {
    if (!is_further || piece.size == 0) spooler_.abandon(in, now);
    if (!is_further && !more) return accept(piece, now);
    if (!is_further) return begin_spool(in, piece, now);
    spooler_.take(in, piece, more, now);
}

// The head decides whether the bundle is stored; its session gets the answer with the last piece.
void BundleReceiver::begin_spool(SpoolChannel in, const Arrival &first, TimePoint now) {
    Arrival unanswered = first;
    unanswered.waiting = kNoUpstream;
    std::vector<ByteView> slices;
    std::vector<SlabRef> slabs;
    bp::ArrivingBundle bundle;
    auto view = bundle.begin(first.slices);
    if (!view && view.error() == bp::ParseError::kHeadNotContiguous) {
        // The beginning is copied, the rest stays where it is.
        const SlabRef head = context_.pool.acquire();
        if (!head) return spooler_.begin_refused(in, TransferDisposition::kNoResources);
        gather_beginning(first, head, slices, slabs);
        unanswered.slices = slices;
        unanswered.slabs = slabs;
        view = bundle.begin(slices);
    }
    if (!view) {
        reject(view.error(), unanswered, now);
        return spooler_.begin_refused(in, TransferDisposition::kNotAcceptable);
    }
    if (const auto ending = ending_of(*view, unanswered, now))
        return spooler_.begin_refused(in, *ending);
    const auto stored = dispatcher_.describe_spooled(*view, unanswered, now);
    if (!stored) return spooler_.begin_refused(in, TransferDisposition::kSafe);
    spooler_.begin(in, stored->bundle, stored->sender, bundle);
    unanswered.waiting = first.waiting;
    spooler_.take(in, unanswered, true, now);
}

// What becomes of a bundle that is not stored, of which the first piece is here.
std::optional<TransferDisposition> BundleReceiver::ending_of(const bp::BundleView &view,
                                                             const Arrival &first, TimePoint now) {
    const auto malformed = [&](bp::ParseError why) {
        reject(why, first, now);
        return TransferDisposition::kNotAcceptable;
    };
    if (deviates(view))
        if (const auto fault =
                deviations_.find_fault(view, first.from, context_.upstreams.policy(first.from)))
            return malformed(*fault);
    if (view.lacks_age) return malformed(bp::ParseError::kAgeMissing);
    const bool here = !leads_nowhere(view, first) &&
                      (is_for_this_node(view) || context_.endpoints.find(view.destination));
    if (guard_.active() && !guard_.admits(view, first, here, now))
        return first.made_here ? TransferDisposition::kNotAcceptable : TransferDisposition::kSafe;
    if (here) {
        // No service, and no application, of this node takes a bundle of this size.
        context_.counters.increment(IngressCounter::kDeletedTooLarge);
        context_.record(view, view.size, first.sender, history::Ending::kDeleted,
                        bp::ReportReason::kDestinationUnavailable, now);
        return TransferDisposition::kNotAcceptable;
    }
    if (context_.upstreams.acknowledges(first.from) && context_.upstreams.rejects(first.from)) {
        context_.counters.increment(IngressCounter::kDeletedDrained);
        context_.record(view, view.size, first.sender, history::Ending::kRefused,
                        bp::ReportReason::kDepletedStorage, now);
        return TransferDisposition::kNoResources;
    }
    if (discard_unforwardable(view, first, now)) return TransferDisposition::kSafe;
    return std::nullopt;
}

// A repeat of a bundle that is still here is no new bundle.
void BundleReceiver::reject_while_draining(const bp::BundleView &view, const Arrival &arrival,
                                           TimePoint now) {
    if (repeats_.active() && repeats_.absorb(view, arrival, now)) return;
    context_.counters.increment(IngressCounter::kDeletedDrained);
    context_.record(view, arrival.size, arrival.sender, history::Ending::kRefused,
                    bp::ReportReason::kDepletedStorage, now);
    context_.acknowledge(arrival, TransferDisposition::kNoResources, now);
}

// A bundle whose head came in pieces: rare, so one copy is cheaper than a parser of pieces.
void BundleReceiver::accept_joined(const Arrival &arrival, TimePoint now) {
    const SlabRef whole = join(arrival, now);
    if (!whole) return;
    const ByteView slice{whole->data, arrival.size};
    Arrival joined = arrival;
    joined.slices = {&slice, 1};
    joined.slabs = {&whole, 1};
    accept(joined, now);
}

void BundleReceiver::deliver(const bp::BundleView &view, const Arrival &arrival, TimePoint now) {
    if (arrival.slices.size() == 1)
        return local_.deliver(view, arrival.slices.front(), arrival, now);
    const SlabRef whole = join(arrival, now);
    if (whole) local_.deliver(view, {whole->data, arrival.size}, arrival, now);
}

// BPv6 blocks behind the payload whose flags ask to delete or mark them (RFC 5050 section 5.6
// step 3).
void BundleReceiver::process_trailing_blocks(const Arrival &arrival, TimePoint now) {
    const SlabRef whole = join(arrival, now);
    if (!whole) return;
    const Bytes edited = bp::apply_trailing_blocks({whole->data, arrival.size});
    FARLINK_INVARIANT(edited.size() <= whole->capacity);  // flags keep their length
    std::copy(edited.begin(), edited.end(), whole->data);
    const ByteView slice{whole->data, edited.size()};
    const auto view = bp::parse({&slice, 1});
    FARLINK_INVARIANT(view.has_value());
    Arrival joined = arrival;
    joined.slices = {&slice, 1};
    joined.slabs = {&whole, 1};
    joined.size = edited.size();
    dispatcher_.dispatch(*view, joined, now);
}

// RFC 9171 section 4.4.2: the bundle's age counts from here.
void BundleReceiver::add_age_block(const bp::BundleView &view, const Arrival &arrival,
                                   TimePoint now) {
    const ByteView head = arrival.slices.front().first(view.head_end);
    const Bytes age = bp::v7::make_age_block(head.subspan(view.primary_end));
    if (age.empty()) return reject(bp::ParseError::kAgeMissing, arrival, now);
    const SlabRef whole = join(arrival, now, age, view.primary_end);
    if (!whole) return;
    const ByteView slice{whole->data, arrival.size + age.size()};
    const auto aged = bp::parse({&slice, 1});
    FARLINK_INVARIANT(aged.has_value());
    Arrival joined = arrival;
    joined.slices = {&slice, 1};
    joined.slabs = {&whole, 1};
    joined.size = slice.size();
    dispatcher_.dispatch(*aged, joined, now);
}

// One slab with the whole bundle, and `inserted` at place `at` of its first slice. Without memory
// for it the bundle ends here; a sender that gets refusals sends it again.
SlabRef BundleReceiver::join(const Arrival &arrival, TimePoint now, ByteView inserted,
                             std::size_t at) {
    SlabRef whole =
        context_.pool.acquire_sized(static_cast<std::uint32_t>(arrival.size + inserted.size()));
    if (!whole) {
        context_.counters.increment(arrival.waiting == kNoUpstream
                                        ? IngressCounter::kDeletedTooLarge
                                        : IngressCounter::kDeletedNoResources);
        context_.record_unparsed(
            arrival,
            arrival.waiting == kNoUpstream ? history::Ending::kDeleted : history::Ending::kRefused,
            bp::ReportReason::kDepletedStorage, now);
        context_.acknowledge(arrival, TransferDisposition::kNoResources, now);
        return whole;
    }
    const ByteView first = arrival.slices.front();
    std::uint8_t *to = std::copy_n(first.begin(), at, whole->data);
    to = std::copy(inserted.begin(), inserted.end(), to);
    to = std::copy(first.begin() + static_cast<std::ptrdiff_t>(at), first.end(), to);
    for (const ByteView slice : arrival.slices.subspan(1))
        to = std::copy(slice.begin(), slice.end(), to);
    return whole;
}

// True when the bundle goes no further; it is counted and reported here.
bool BundleReceiver::discard_unforwardable(const bp::BundleView &view, const Arrival &arrival,
                                           TimePoint now) {
    const auto report_reception = [&](bp::ReportReason reason) {
        local_.report(bus::ReportEvent::kReceived, reason,
                      arrival.slices.front().first(view.head_end), view.payload_length, now);
    };
    if ((view.requests & kReportReception) != 0) report_reception(bp::ReportReason::kNone);
    if (view.unknown.present) {
        // RFC 9171 section 5.6 step 4
        if (view.unknown.report) report_reception(bp::ReportReason::kBlockUnsupported);
        if (view.unknown.delete_bundle) {
            context_.counters.increment(IngressCounter::kDeletedUnprocessableBlock);
            context_.notices.rejected =
                Rejected{arrival.from, context_.upstreams.link(arrival.from), arrival.sender,
                         "the flags of an unknown block require deletion"};
            report_deleted(view, arrival, bp::ReportReason::kBlockUnsupported, now);
            return true;
        }
    }
    if (leads_nowhere(view, arrival)) {
        context_.counters.increment(IngressCounter::kDeletedReservedEndpoint);
        context_.notices.rejected =
            Rejected{arrival.from, context_.upstreams.link(arrival.from), arrival.sender,
                     bp::leads_nowhere(view.destination)
                         ? "its destination is the null endpoint (dtn:none or ipn:0.S)"
                         : "its source or destination is the local node (ipn:!), which is valid "
                           "inside of one node only"};
        report_deleted(view, arrival, bp::ReportReason::kDestinationUnavailable, now);
        return true;
    }
    if (view.expiry(context_.clock.dtn_at(now)) <= context_.clock.expiry_time(now)) {
        context_.counters.increment(IngressCounter::kExpired);
        report_deleted(view, arrival, bp::ReportReason::kLifetimeExpired, now);
        return true;
    }
    return false;
}

// RFC 9758: nothing is delivered to the null endpoint, and a bundle from or to the local node never
// leaves the node on which it was made. In a bundle from another node the local node is that node.
bool BundleReceiver::leads_nowhere(const bp::BundleView &view, const Arrival &arrival) const {
    if (bp::leads_nowhere(view.destination)) return true;
    const bool from_local = bp::is_local_node(view.source);
    if (!from_local && !bp::is_local_node(view.destination)) return false;
    const bool made_here = arrival.made_here || arrival.from == kNoUpstream;
    return !made_here || (from_local && !is_for_this_node(view));
}

void BundleReceiver::deliver_released(const Batch &batch, TimePoint now) {
    for (const BatchedBundle &bundle : batch.bundles) {
        Bytes octets;
        octets.reserve(bundle.size);
        for (const ByteView slice : batch.slices_of(bundle)) append(octets, slice);
        const ByteView whole(octets);
        if (const auto view = bp::parse_again({&whole, 1}))
            local_.deliver_stored(*view, whole, now);
    }
    receive_originated(now);
}

bool BundleReceiver::is_for_this_node(const bp::BundleView &view) const {
    return view.destination.scheme == bp::EidScheme::kIpn &&
           (view.destination.node_number() == context_.config.node ||
            bp::is_local_node(view.destination));
}

// "Not acceptable" makes a sender that waits for the acknowledgement give the bundle up.
void BundleReceiver::reject(bp::ParseError why, const Arrival &arrival, TimePoint now) {
    context_.counters.increment(IngressCounter::kMalformed, static_cast<std::size_t>(why));
    context_.notices.rejected = Rejected{arrival.from, context_.upstreams.link(arrival.from),
                                         arrival.sender, in_words(why)};
    context_.record_unparsed(arrival, history::Ending::kDeleted, deletion_reason(why), now);
    if (!arrival.slices.empty()) report_malformed(arrival.slices.front(), why, now);
    context_.acknowledge(arrival, TransferDisposition::kNotAcceptable, now);
}

// The report-to endpoint counts only in a primary block that is readable, with a correct CRC where
// the version has one. The length of a malformed fragment is not known, so it is not reported.
void BundleReceiver::report_malformed(ByteView octets, bp::ParseError error, TimePoint now) {
    const auto view = bp::parse_primary(octets);
    if (!view || view->primary_without_crc || view->is_fragment) return;
    if ((view->requests & kReportDeletion) == 0) return;
    local_.report(bus::ReportEvent::kDeleted, deletion_reason(error),
                  octets.first(view->primary_end), 0, now);
}

void BundleReceiver::report_deleted(const bp::BundleView &view, const Arrival &arrival,
                                    bp::ReportReason reason, TimePoint now) {
    const auto ending = reason == bp::ReportReason::kLifetimeExpired ? history::Ending::kExpired
                                                                     : history::Ending::kDeleted;
    context_.record(view, view.size, arrival.sender, ending, reason, now);
    if ((view.requests & kReportDeletion) != 0)
        local_.report(bus::ReportEvent::kDeleted, reason,
                      arrival.slices.front().first(view.head_end), view.payload_length, now);
}

}  // namespace farlink::ingress
