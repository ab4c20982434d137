// SPDX-License-Identifier: Apache-2.0
#include "module/storage/core/custody/custodian.hpp"

#include <algorithm>
#include <memory>

#include "common/bp/status_reports.hpp"
#include "common/bp/v6/custody.hpp"
#include "common/bp/v6/primary.hpp"
#include "module/storage/core/index/endpoint_label.hpp"

namespace farlink::storage {
namespace {

using bp::v6::CustodyReason;

constexpr std::uint32_t kHeadSlabBytes = 16 * 1024;
/// A bundle without an answer is sent again at intervals that double so often.
constexpr unsigned kMostDoublings = 4;

/// One custodian's time with a bundle: taking custody again gives another custody id.
Tenure tenure_of(const bp::BundleView &view, ByteView head) {
    constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15ULL;
    const auto id = bp::v6::custody_id_of(view, head);
    const std::uint64_t mixed = (bp::hash(view.custodian) ^ (id.value_or(0) * kOdd)) * kOdd;
    return static_cast<Tenure>(mixed >> 32) | 1;
}

/// The node in a dtn name: what stands between its slashes.
std::string_view dtn_node(std::string_view name) {
    const std::size_t begin = name.find_first_not_of('/');
    if (begin == std::string_view::npos) return {};
    name.remove_prefix(begin);
    return name.substr(0, name.find('/'));
}

/// Memory for `count` views.
constexpr std::size_t views_bound(std::size_t count) {
    return (count + 1) * sizeof(ByteView);
}

}  // namespace

Custodian::Custodian(StorageContext &context, const CustodyOptions &options, bool reports,
                     DtnTime started)
    : context_(context),
      local_(bp::ipn_eid(options.node.value(), 0)),
      config_(options.config),
      reports_wanted_(reports),
      ids_(started),
      signals_(bp::Eid(local_),
               {config_.acs_aware, config_.acs_max_fills, config_.acs_send_period}),
      heads_(kHeadSlabBytes, std::numeric_limits<std::uint64_t>::max() / 2) {
    for (const std::string &text : config_.signals_from)
        if (const auto pattern = bp::EidPattern::parse(text)) trusted_.push_back(*pattern);
}

// ---- taking custody

Custodian::Octets Custodian::take_over(HeadSpace &space, const Batch &batch, std::uint32_t place,
                                       const bp::BundleView &view) {
    if (!space.slab) {
        std::size_t bytes = 0;
        for (std::size_t at = place; at < batch.bundles.size(); ++at) {
            const BatchedBundle &bundle = batch.bundles[at];
            if (takes(bundle))
                bytes += bp::v6::custody_head_bound(bundle.head_end, local_) +
                         views_bound(bundle.slice_count + 1);
        }
        space.slab = bytes <= kHeadSlabBytes
                         ? heads_.acquire()
                         : heads_.acquire_sized(static_cast<std::uint32_t>(bytes));
    }
    const BatchedBundle &bundle = batch.bundles[place];
    const auto received = batch.slices_of(bundle);
    const MutableBytes room{space.slab->data + space.used, space.slab->capacity - space.used};
    const auto id = config_.acs_aware ? std::optional(ids_.next(view.source)) : std::nullopt;
    const ByteView old_head = received.front().first(view.head_end);
    const std::size_t head = bp::v6::write_custody_head(old_head, local_, id, room);

    constexpr std::size_t kAlign = alignof(ByteView);
    std::size_t used = (space.used + head + kAlign - 1) / kAlign * kAlign;
    auto *const views = reinterpret_cast<ByteView *>(space.slab->data + used);
    used += (received.size() + 1) * sizeof(ByteView);
    FARLINK_INVARIANT(used <= space.slab->capacity);
    std::construct_at(views, room.data(), head);
    std::construct_at(views + 1, received.front().subspan(view.head_end));
    std::uninitialized_copy(received.begin() + 1, received.end(), views + 2);
    space.used = used;
    return {{views, received.size() + 1}, bundle.size - old_head.size() + head};
}

void Custodian::answer(const bp::BundleView &view, ByteView octets, bp::v6::CustodyAnswer with,
                       TimePoint now) {
    signals_.add(view, octets.first(view.head_end), with, context_.dtn_at(now), now);
}

void Custodian::accepted(EntryIndex index, const bp::BundleView &view, ByteView octets,
                         TimePoint now) {
    context_.counters.increment(StorageCounter::kCustodyAccepted);
    context_.custody.set_tenure(index, tenure_of(view, octets.first(view.head_end)));
    answer(view, octets, {}, now);
    report_acceptance(view, now);
}

// RFC 5050 section 5.10.1: the report that the bundle's flags request (section 6.1.1).
void Custodian::report_acceptance(const bp::BundleView &view, TimePoint now) {
    const bool wanted = reports_wanted_ && (view.flags & bp::v6::kReportCustodyFlag) != 0;
    if (!wanted || !bp::can_report(view)) return;
    constexpr std::size_t kCustodyAccepted = 1;
    bp::v6::StatusReport report;
    report.times[kCustodyAccepted] = bp::v6::time_of(context_.dtn_at(now));
    report.subject = bp::v6::subject_of(view);
    const std::string to = bp::to_string(view.report_to);
    context_.send(bus::AgentId::kIngress,
                  bus::OriginateRequest{{to.begin(), to.end()}, encode(report), kDtnNever});
}

void Custodian::refused(const bp::BundleView &view, ByteView octets, TimePoint now) {
    context_.counters.increment(StorageCounter::kCustodyRefused);
    answer(view, octets, {false, CustodyReason::kDepletedStorage}, now);
}

// No custodian has to keep the bundle (compare repeated()): its destination has it.
void Custodian::arrived_before(const bp::BundleView &view, ByteView octets, TimePoint now) {
    context_.counters.increment(StorageCounter::kCustodyRedundant);
    answer(view, octets, {false, CustodyReason::kRedundantReception}, now);
}

// A redundant reception lets the other custodian release the bundle. It must not be a custodian
// that has the bundle from this node: when its own answer comes later, this node would release the
// bundle as well, and it would be lost. So the signal is sent only while no custodian can have the
// bundle from this node, or to the custodian that it came from, in the same tenure. After a restart
// neither is known.
void Custodian::repeated(EntryIndex held, const bp::BundleView &view, ByteView octets,
                         TimePoint now) {
    if (!context_.inventory.entry(held).in_custody()) return;
    const Tenure tenure = tenure_of(view, octets.first(view.head_end));
    if (context_.custody.tenure(held) != tenure && may_have_from_here(view.custodian, held)) {
        (void)context_.critical.note_tenure(held, tenure);
        return;
    }
    context_.counters.increment(StorageCounter::kCustodyRedundant);
    answer(view, octets, {false, CustodyReason::kRedundantReception}, now);
}

// Of a bundle that has gone to its destination alone, other custodians have copies from elsewhere:
// a destination passes nothing on. In a mesh they are its neighbours, and wait for this answer.
bool Custodian::may_have_from_here(const bp::EidView &custodian, EntryIndex held) {
    if (context_.custody.tenure(held) == 0) return true;  // this node has been restarted
    const CustodyTable::Sent *const sent = context_.custody.find(held);
    if (sent == nullptr) return false;
    const FlowIndex flow = context_.inventory.entry(held).flow;
    if (sent->released || flow == kNoFlow) return true;
    const NodeNumber destination = context_.inventory.destinations().node_of(flow);
    if (destination == NodeNumber{} || custodian.node_number() == destination) return true;
    const PotentialCustodians &all = context_.custody.potential_custodians();
    return !all.covers_only(sent->potential_custodians, destination);
}

// In a mesh other custodians send their copies while this node is being answered. Without an answer
// they keep the bundle, and are answered by another node, or send it again.
bool Custodian::leaves_unanswered(const Hash128 &identity, const bp::BundleView &view,
                                  ByteView octets) {
    return !view.custodian.is_null() &&
           context_.critical.note_tenure(identity, tenure_of(view, octets.first(view.head_end)));
}

// ---- giving it away

bool Custodian::lend(EntryIndex index, NodeNumber neighbour, const bp::BundleView &view,
                     ByteView octets) {
    if (!context_.inventory.entry(index).in_custody()) return true;
    if (const auto *sent = context_.custody.find(index); sent != nullptr && sent->released)
        return false;
    const auto id = bp::v6::custody_id_of(view, octets.first(view.head_end));
    if (id) ids_.stay_above_id(*id);
    way_.clear();
    context_.inventory.destinations().add_nodes_by(neighbour, context_.inventory.entry(index).flow,
                                                   way_);
    context_.custody.lend(index, id, way_);
    return true;
}

bool Custodian::set_outcome(EntryIndex index, Outcome outcome, Duration owlt, TimePoint now) {
    if (!context_.inventory.entry(index).in_custody()) return false;
    CustodyTable::Sent *const sent = context_.custody.find(index);
    FARLINK_INVARIANT(sent != nullptr);
    if (outcome == Outcome::kSent) count_sent(*sent);
    if (sent->released) {
        context_.discard(index, StorageCounter::kCustodyReleased);
        return true;
    }
    if (outcome != Outcome::kSent) return false;
    context_.inventory.enter_custody(index);
    context_.custody.await(index, now + patience(*sent, owlt));
    if (sent->attempts < kMostDoublings) ++sent->attempts;
    return true;
}

void Custodian::count_sent(const CustodyTable::Sent &sent) {
    context_.counters.increment(StorageCounter::kCustodySent);
    if (sent.attempts > 0) context_.counters.increment(StorageCounter::kCustodyRetransmissions);
}

void Custodian::set_copy_sent(EntryIndex index, Duration owlt, TimePoint now) {
    const CustodyTable::Sent *const sent = context_.custody.find(index);
    FARLINK_INVARIANT(sent != nullptr);
    count_sent(*sent);
    if (!sent->released || destination_may_answer(index))
        context_.custody.await(index, now + patience(*sent, owlt));
}

// In a mesh its copies come back from other custodians before its destination has answered. A node
// that has released the bundle by then takes it for a new one, and the bundle loops endlessly.
bool Custodian::destination_may_answer(EntryIndex index) {
    const Entry &entry = context_.inventory.entry(index);
    return !context_.critical.has_arrived(index) &&
           context_.critical.went_to(index, context_.inventory.destinations().node_of(entry.flow));
}

bool Custodian::awaits_destination(EntryIndex index) {
    if (!context_.inventory.entry(index).in_custody()) return false;
    const CustodyTable::Sent *const sent = context_.custody.find(index);
    return sent != nullptr && sent->due != kNever && destination_may_answer(index);
}

bool Custodian::holds(EntryIndex index) {
    if (!context_.inventory.entry(index).in_custody()) return false;
    const CustodyTable::Sent *const sent = context_.custody.find(index);
    return sent == nullptr || !sent->released;
}

/// How long an answer may take (RFC 5050 section 5.10.1: the countdown interval is ours to find).
Duration Custodian::patience(const CustodyTable::Sent &sent, Duration owlt) const {
    return 2 * owlt + config_.retransmit_after * (1U << sent.attempts);
}

EntryIndex Custodian::poll_overdue(TimePoint now) {
    for (;;) {
        const EntryIndex index = context_.custody.pop_due(now);
        if (index == kNoEntry) return kNoEntry;
        const EntryState state = context_.inventory.entry(index).state();
        if (state == EntryState::kInCustody) return index;
        if (state != EntryState::kCritical) continue;
        CustodyTable::Sent &sent = *context_.custody.find(index);
        if (sent.released) {  // its destination has not answered, but another custodian has it
            context_.critical.look_at(index);
            continue;
        }
        if (sent.attempts < kMostDoublings) ++sent.attempts;
        return index;
    }
}

// ---- signals

std::optional<NodeNumber> Custodian::handle(const bus::CustodyRecord &message, TimePoint now) {
    found_.clear();
    strange_ = false;
    const auto named = bp::Eid::parse(as_text(message.source));
    const bp::EidView source = named ? named->view() : bp::EidView{};
    const auto signal = read(message.record, source);
    if (!signal) {
        context_.counters.increment(StorageCounter::kCustodySignalsMalformed);
        return std::nullopt;
    }
    const bool ipn = source.scheme == bp::EidScheme::kIpn;
    const NodeNumber by = ipn ? source.node_number() : NodeNumber{};
    const bool unproven =
        config_.signal_proof == config::SignalProof::kLink && (!ipn || message.sender != by);
    if (unproven || strange_) ignore(message, ipn, unproven);
    if (unproven) found_.clear();
    // RFC 5050 section 5.12: a custodian that has received it twice has it.
    constexpr auto kHasIt = static_cast<std::uint8_t>(CustodyReason::kRedundantReception);
    constexpr auto kDepleted = static_cast<std::uint8_t>(CustodyReason::kDepletedStorage);
    if (signal->succeeded || signal->reason == kHasIt) {
        for (const EntryIndex index : found_) release(index, by);
        return std::nullopt;
    }
    std::erase_if(found_, [&](EntryIndex index) { return !postpone(index, signal->reason, now); });
    if (signal->reason != kDepleted || found_.empty() || !ipn) return std::nullopt;
    return by;
}

std::optional<Custodian::Signal> Custodian::read(ByteView record, const bp::EidView &source) {
    if (const auto many = bp::v6::decode_aggregate_custody_signal(record)) {
        context_.counters.increment(StorageCounter::kCustodyAggregatesReceived);
        for (const bp::v6::CustodyRange &range : many->ranges) find_range(range, source);
        return Signal{many->succeeded, many->reason};
    }
    const auto one = bp::v6::decode_custody_signal(record);
    if (!one) return std::nullopt;
    context_.counters.increment(StorageCounter::kCustodySignalsReceived);
    find_subject(one->subject);
    strange_ =
        std::erase_if(found_, [&](EntryIndex index) { return !may_answer(source, index); }) > 0;
    return Signal{one->succeeded, one->reason};
}

// A range may be as wide as 64 bits: what costs is only what is outstanding, and for a node that
// may answer for nothing not even that.
void Custodian::find_range(const bp::v6::CustodyRange &range, const bp::EidView &source) {
    const CustodyTable &table = context_.custody;
    const bool known = source.scheme != bp::EidScheme::kIpn || is_trusted(source) ||
                       table.potential_custodians().any_covers(source.node_number());
    if (!known) {
        strange_ |= table.any(range.first, range.last);
        return;
    }
    const std::size_t before = found_.size();
    table.collect(range.first, range.last, found_);
    const auto strangers =
        std::ranges::remove_if(found_.begin() + static_cast<std::ptrdiff_t>(before), found_.end(),
                               [&](EntryIndex index) { return !may_answer(source, index); });
    strange_ |= !strangers.empty();
    found_.erase(strangers.begin(), strangers.end());
}

bool Custodian::is_trusted(const bp::EidView &source) const {
    return std::ranges::any_of(
        trusted_, [&](const bp::EidPattern &pattern) { return pattern.matches(source); });
}

// A custodian may be several hops on: nodes that take no custody pass a bundle on as it is.
bool Custodian::may_answer(const bp::EidView &source, EntryIndex index) {
    const CustodyTable::Sent *const sent = context_.custody.find(index);
    FARLINK_INVARIANT(sent != nullptr);
    if (source.scheme == bp::EidScheme::kIpn &&
        context_.custody.potential_custodians().covers(sent->potential_custodians,
                                                       source.node_number()))
        return true;
    if (is_trusted(source)) return true;
    if (source.scheme != bp::EidScheme::kDtn) return false;
    DestinationTable &destinations = context_.inventory.destinations();
    const Entry &entry = context_.inventory.entry(index);
    if (entry.flow == kNoFlow) return false;
    const auto destination = decode_label(destinations.label_of(entry.flow));
    return destination && destination->scheme == source.scheme &&
           dtn_node(destination->name) == dtn_node(source.name);
}

void Custodian::ignore(const bus::CustodyRecord &message, bool ipn, bool unproven) {
    context_.counters.increment(unproven ? StorageCounter::kCustodySignalsUnproven
                                         : StorageCounter::kCustodySignalsOfStrangers);
    ignored_ = {std::string(as_text(message.source)), ipn, message.sender, unproven,
                !unproven && !found_.empty()};
}

// An answer to a bundle that was not sent since the start is about an earlier time that it was
// here; it must not release the bundle now.
void Custodian::find_subject(const bp::v6::Subject &subject) {
    const bp::Eid source = subject.source;
    bp::BundleView named;
    named.version = bp::v6::kVersion;
    named.source = source.view();
    named.creation_time = subject.creation_time_s;
    named.sequence = subject.sequence;
    if (subject.fragment) {
        named.is_fragment = true;
        named.fragment_offset = subject.fragment->offset;
        named.payload_length = subject.fragment->length;
    }
    const EntryIndex index = context_.inventory.find(identity_of_(named));
    if (index != kNoEntry && context_.custody.find(index) != nullptr) found_.push_back(index);
}

void Custodian::release(EntryIndex index, NodeNumber by) {
    const Entry &entry = context_.inventory.entry(index);
    switch (entry.state()) {
        case EntryState::kWaiting:
        case EntryState::kInCustody:
            return context_.discard(index, StorageCounter::kCustodyReleased);
        case EntryState::kCritical:
            // It is still sent to the other neighbours, unless it has arrived.
            if (by == context_.inventory.destinations().node_of(entry.flow))
                context_.critical.arrived(index);
            if (!destination_may_answer(index)) context_.custody.stop_waiting(index);
            context_.critical.look_at(index);
            [[fallthrough]];
        case EntryState::kReading:
        case EntryState::kReleased:
            context_.custody.find(index)->released = true;
            return;
        default:
            return;  // its lifetime has ended
    }
}

// It waits again when its time is over and not at once, so that a node which refuses everything is
// not flooded. A transmission is refused once: further signals must not postpone the next one for
// ever.
bool Custodian::postpone(EntryIndex index, std::uint8_t reason, TimePoint now) {
    CustodyTable::Sent *const sent = context_.custody.find(index);
    FARLINK_INVARIANT(sent != nullptr);
    if (std::exchange(sent->refused, true)) {
        context_.counters.increment(StorageCounter::kCustodyFailuresRepeated);
        return false;
    }
    context_.counters.increment(StorageCounter::kCustodyFailures);
    const bool depleted = reason == static_cast<std::uint8_t>(CustodyReason::kDepletedStorage);
    if (depleted && config_.depleted_delay > Duration::zero() &&
        context_.inventory.entry(index).state() == EntryState::kInCustody)
        context_.custody.await(index, now + config_.depleted_delay);
    return true;
}

void Custodian::send_signals(TimePoint now) {
    while (auto signal = signals_.poll(now)) {
        context_.counters.increment(signal->aggregate ? StorageCounter::kCustodyAggregatesSent
                                                      : StorageCounter::kCustodySignalsSent);
        const std::string to = signal->destination.to_string();
        context_.send(bus::AgentId::kIngress,
                      bus::OriginateRequest{
                          {to.begin(), to.end()}, std::move(signal->record), signal->needed_until});
    }
}

void Custodian::expedite() {
    signals_.expedite();
    send_signals(TimePoint{});
}

TimePoint Custodian::next_timeout() const {
    return std::min(signals_.next_timeout(), context_.custody.next_timeout());
}

}  // namespace farlink::storage
