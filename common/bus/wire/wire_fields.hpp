// SPDX-License-Identifier: Apache-2.0
// The fields of every bus message in wire order, once for the writer and the reader alike.
// Included by wire.cpp and wire_batch.cpp only. Plain functions, any thread.
// Numbers are little-endian and of fixed width; lists begin with their length in 32 bits.
// Length: one function a message, in the order of messages.hpp.
#pragma once

#include <type_traits>

#include "common/bus/wire/wire.hpp"
#include "common/bus/wire/wire_io.hpp"

namespace farlink::bus {

template <>
inline constexpr AgentId kLastValue<AgentId> = AgentId::kApplications;
template <>
inline constexpr LinkDownReason kLastValue<LinkDownReason> = LinkDownReason::kRemoved;
template <>
inline constexpr ReportEvent kLastValue<ReportEvent> = ReportEvent::kDeleted;
template <>
inline constexpr BatchOwner kLastValue<BatchOwner> = BatchOwner::kApplications;
template <>
inline constexpr Outcome kLastValue<Outcome> = Outcome::kPartSent;
template <>
inline constexpr TransferDisposition kLastValue<TransferDisposition> =
    TransferDisposition::kNotAcceptable;
template <>
inline constexpr LinkVerb kLastValue<LinkVerb> = LinkVerb::kRemove;
template <>
inline constexpr CommandKind kLastValue<CommandKind> = CommandKind::kPlan;
template <>
inline constexpr StoreVerb kLastValue<StoreVerb> = StoreVerb::kFind;
template <>
inline constexpr StoredState kLastValue<StoredState> = StoredState::kTooLarge;
template <>
inline constexpr PieceFault kLastValue<PieceFault> = PieceFault::kTooMany;
template <>
inline constexpr StoreTask kLastValue<StoreTask> = StoreTask::kCompact;
template <>
inline constexpr TaskVerb kLastValue<TaskVerb> = TaskVerb::kCancel;
template <>
inline constexpr TaskState kLastValue<TaskState> = TaskState::kCancelled;
template <>
inline constexpr LinkKind kLastValue<LinkKind> = LinkKind::kSession;
template <>
inline constexpr DiskState kLastValue<DiskState> = DiskState::kSetAside;
template <>
inline constexpr LatencyKind kLastValue<LatencyKind> = LatencyKind::kStorageFlush;
template <>
inline constexpr Priority kLastValue<Priority> = Priority::kExpedited;

/// T as the fields of a message are handed to `Io`: read-only for a writer.
template <class Io, class T>
using Of = std::conditional_t<Io::kReads, T, const T>;

template <class Io>
void fields(Io &io, Of<Io, EventHeader> &header) {
    io(header.epoch, header.sequence);
}
template <class Io>
void fields(Io &io, Of<Io, ContactStart> &m) {
    io(m.header, m.link, m.neighbour, m.rate, m.owlt, m.ends);
}
template <class Io>
void fields(Io &io, Of<Io, ContactEnd> &m) {
    io(m.header, m.link, m.neighbour);
}
template <class Io>
void fields(Io &io, Of<Io, LinkUp> &m) {
    io(m.header, m.link, m.neighbour, m.rate, m.owlt, m.max_bundle_bytes, m.fragments,
       m.cuts_to_contact);
}
template <class Io>
void fields(Io &io, Of<Io, LinkDown> &m) {
    io(m.header, m.link, m.neighbour, m.reason);
}
template <class Io>
void fields(Io &io, Of<Io, LinkEntry> &m) {
    io(m.link, m.neighbour, m.rate, m.owlt, m.ends, m.planned, m.connected, m.max_bundle_bytes,
       m.enabled, m.next_contact, m.depleted_for, m.overridden, m.fragments, m.cuts_to_contact);
}
template <class Io>
void fields(Io &io, Of<Io, LinkSnapshot> &m) {
    io(m.header, m.links, m.id);
}
template <class Io>
void fields(Io &io, Of<Io, Contact> &m) {
    io(m.id, m.source, m.destination, m.start, m.end, m.rate, m.owlt);
}
template <class Io>
void fields(Io &io, Of<Io, ContactsUpdate> &m) {
    io(m.header, m.contacts);
}
template <class Io>
void fields(Io &io, Of<Io, RouteCandidate> &m) {
    io(m.next_hop, m.link, m.arrival, m.on_time_until, m.leave_by, m.octet_ps, m.room_bytes[0],
       m.room_bytes[1], m.room_bytes[2], m.delay_ms[0], m.delay_ms[1], m.delay_ms[2],
       m.booked_bytes[0], m.booked_bytes[1], m.booked_bytes[2], m.nodes, m.cuts_to_contact);
}
template <class Io>
void fields(Io &io, Of<Io, Route> &m) {
    io(m.destination, m.candidates, m.max_bundle_bytes, m.detour);
}
template <class Io>
void fields(Io &io, Of<Io, NeighbourLink> &m) {
    io(m.neighbour, m.link, m.up);
}
template <class Io>
void fields(Io &io, Of<Io, RouteUpdate> &m) {
    io(m.header, m.routes, m.neighbours, m.held, m.id);
}
template <class Io>
void fields(Io &io, Of<Io, LinkStatus> &m) {
    io(m.link, m.neighbour, m.connected, m.removed, m.max_bundle_bytes, m.fragments,
       m.cuts_to_contact);
}
template <class Io>
void fields(Io &io, Of<Io, SessionChange> &m) {
    io(m.link, m.neighbour, m.open, m.node_id, m.max_bundle_bytes, m.fault);
}
template <class Io>
void fields(Io &io, Of<Io, LinkPace> &m) {
    io(m.link, m.rate, m.owlt, m.owlt_known);
}
template <class Io>
void fields(Io &io, Of<Io, UpstreamChange> &m) {
    io(m.upstream, m.link, m.open, m.acknowledges, m.next_transfer);
}
template <class Io>
void fields(Io &io, Of<Io, UpstreamPause> &m) {
    io(m.upstream, m.paused);
}
template <class Io>
void fields(Io &io, Of<Io, DispositionRun> &m) {
    io(m.upstream, m.first, m.count, m.disposition);
}
template <class Io>
void fields(Io &io, Of<Io, TransferDispositions> &m) {
    io(m.runs);
}
template <class Io>
void fields(Io &io, Of<Io, CopyFate> &m) {
    io(m.arrival, m.flow, m.sent);
}
template <class Io>
void fields(Io &io, Of<Io, CopyOutcomes> &m) {
    io(m.fates, m.instance);
}
template <class Io>
void fields(Io &io, Of<Io, LinkChange> &m) {
    io(m.verb, m.link, m.outduct, m.config, m.id);
}
template <class Io>
void fields(Io &io, Of<Io, LinkChangeResult> &m) {
    io(m.link, m.error, m.port, m.id);
}
template <class Io>
void fields(Io &io, Of<Io, SnapshotRequest> &m) {
    io(m.publisher, m.from, m.id);
}
template <class Io>
void fields(Io &io, Of<Io, Backlog> &m) {
    io(m.flow, m.waiting);
    for (auto &count : m.taken) io(count);
}
template <class Io>
void fields(Io &io, Of<Io, StorageReady> &m) {
    io(m.restored, m.newest_received);
}
template <class Io>
void fields(Io &io, Of<Io, StorageReserve> &m) {
    io(m.memory_bytes);
}
template <class Io>
void fields(Io &io, Of<Io, ReportRequest> &m) {
    io(m.event, m.reason, m.head, m.payload_length);
}
template <class Io>
void fields(Io &io, Of<Io, CustodyRecord> &m) {
    io(m.source, m.record, m.sender);
}
template <class Io>
void fields(Io &io, Of<Io, OriginateRequest> &m) {
    io(m.destination, m.record, m.needed_until);
}
template <class Io>
void fields(Io &, Of<Io, ClockConfirm> &) {}
template <class Io>
void fields(Io &io, Of<Io, LinkAdmin> &m) {
    io(m.link, m.enabled);
}
template <class Io>
void fields(Io &io, Of<Io, LinkOverride> &m) {
    io(m.link, m.rate_given, m.rate, m.owlt_given, m.owlt);
}
template <class Io>
void fields(Io &io, Of<Io, DestinationHold> &m) {
    io(m.destination, m.held);
}
template <class Io>
void fields(Io &io, Of<Io, DrainMode> &m) {
    io(m.held);
}
template <class Io>
void fields(Io &io, Of<Io, StoreRequest> &m) {
    io(m.id, m.verb, m.destination, m.bundles, m.after, m.limit, m.force);
}
template <class Io>
void fields(Io &io, Of<Io, StoredBundle> &m) {
    io(m.bundle, m.state, m.priority, m.custody, m.disk, m.bytes, m.expires, m.destination, m.head);
}
template <class Io>
void fields(Io &io, Of<Io, MissingRange> &m) {
    io(m.from, m.to);
}
template <class Io>
void fields(Io &io, Of<Io, StoredSet> &m) {
    io(m.set, m.first, m.state, m.total_bytes, m.stored_bytes, m.fragments, m.gaps, m.missing);
}
template <class Io>
void fields(Io &io, Of<Io, StoreReply> &m) {
    io(m.id, m.error, m.bundles, m.more, m.last, m.deleted, m.deleted_bytes, m.kept,
       m.kept_in_custody, m.sets);
}
template <class Io>
void fields(Io &io, Of<Io, BundlePieceRequest> &m) {
    io(m.id, m.bundle, m.stripe, m.offset, m.limit);
}
template <class Io>
void fields(Io &io, Of<Io, BundlePiece> &m) {
    io(m.id, m.fault, m.bundle_bytes, m.stripes, m.stripe_bytes, m.crc32c, m.octets);
}
template <class Io>
void fields(Io &io, Of<Io, StoreTaskRequest> &m) {
    io(m.id, m.task, m.verb, m.rate_bytes_per_s);
}
template <class Io>
void fields(Io &io, Of<Io, RecordDamage> &m) {
    io(m.bundle, m.disk, m.record, m.bytes, m.io_error);
}
template <class Io>
void fields(Io &io, Of<Io, LostFile> &m) {
    io(m.disk, m.file, m.records, m.cut, m.bytes, m.expected_bytes);
}
template <class Io>
void fields(Io &io, Of<Io, StoreTaskReply> &m) {
    io(m.id, m.task, m.refused, m.state, m.started, m.ended, m.rate_bytes_per_s, m.bundles, m.bytes,
       m.bundles_in_all, m.bytes_in_all, m.damaged, m.damages, m.files, m.freed_bytes,
       m.lost_files);
}
template <class Io>
void fields(Io &io, Of<Io, PingRequest> &m) {
    io(m.id, m.destination, m.payload_bytes, m.lifetime, m.version);
}
template <class Io>
void fields(Io &io, Of<Io, PingReply> &m) {
    io(m.id, m.error, m.taken);
}
template <class Io>
void fields(Io &io, Of<Io, LogChange> &m) {
    io(m.logger, m.level);
}
template <class Io>
void fields(Io &io, Of<Io, SettingsChange> &m) {
    io(m.settings);
}
template <class Io>
void fields(Io &io, Of<Io, ReloadReport> &m) {
    io(m.done, m.text, m.shown);
}
template <class Io>
void fields(Io &io, Of<Io, CommandReport> &m) {
    io(m.kind, m.link, m.number);
}
template <class Io>
void fields(Io &io, Of<Io, EndpointEntry> &m) {
    io(m.link, m.endpoint, m.up, m.removed);
}
template <class Io>
void fields(Io &io, Of<Io, EndpointsChange> &m) {
    io(m.whole, m.endpoints);
}
template <class Io>
void fields(Io &io, Of<Io, EndpointReport> &m) {
    io(m.link, m.endpoint, m.configured, m.removed, m.receivers, m.connections, m.waiting,
       m.waiting_bytes, m.leased, m.delivered, m.delivered_bytes, m.sent, m.sent_bytes);
}
template <class Io>
void fields(Io &io, Of<Io, StateRequest> &m) {
    io(m.id, m.target);
}
template <class Io>
void fields(Io &io, Of<Io, StateReply> &m) {
    io(m.id, m.status, m.body);
}
template <class Io>
void fields(Io &io, Of<Io, NeighbourDepleted> &m) {
    io(m.neighbour, m.pause);
}
template <class Io>
void fields(Io &io, Of<Io, PlanReplace> &m) {
    io(m.dry_run, m.contacts, m.id);
}
template <class Io>
void fields(Io &io, Of<Io, PlanChange> &m) {
    io(m.removed, m.added, m.id);
}
template <class Io>
void fields(Io &io, Of<Io, ContactsChange> &m) {
    io(m.removed, m.added, m.id);
}
template <class Io>
void fields(Io &io, Of<Io, ContactsProposal> &m) {
    io(m.contacts, m.id);
}
template <class Io>
void fields(Io &io, Of<Io, RouteDifference> &m) {
    io(m.destination, m.before, m.after);
}
template <class Io>
void fields(Io &io, Of<Io, RoutesPreview> &m) {
    io(m.differences, m.id);
}
template <class Io>
void fields(Io &io, Of<Io, LinkReport> &m) {
    io(m.module, m.link, m.neighbour, m.values);
}
template <class Io>
void fields(Io &io, Of<Io, LinkInfo::Refused> &m) {
    io(m.node_id, m.reason);
}
template <class Io>
void fields(Io &io, Of<Io, LinkInfo> &m) {
    io(m.module, m.kind, m.connected, m.removed, m.link, m.neighbour, m.url, m.reason,
       m.claimed_name, m.refused);
}
template <class Io>
void fields(Io &io, Of<Io, DiskReport> &m) {
    io(m.path, m.state, m.used_bytes, m.capacity_bytes);
}
template <class Io>
void fields(Io &io, Of<Io, PendingReport> &m) {
    io(m.destination, m.bundles, m.bytes, m.custody_bundles, m.next_expiry, m.name);
}
template <class Io>
void fields(Io &io, Of<Io, StorageReport> &m) {
    io(m.disks, m.pending, m.destinations, m.reserve_missing);
}
template <class Io>
void fields(Io &io, Of<Io, HistogramReport> &m) {
    io(m.module, m.kind, m.count, m.sum_ns, m.p50_ns, m.p90_ns, m.p99_ns, m.p999_ns, m.max_ns);
}
template <class Io>
void fields(Io &io, Of<Io, ProcessReport> &m) {
    io(m.module, m.process, m.cpu_ns, m.resident_bytes, m.threads, m.descriptors);
}
template <class Io>
void fields(Io &io, Of<Io, ApiRequest> &m) {
    io(m.id, m.caller, m.request);
}
template <class Io>
void fields(Io &io, Of<Io, ApiReply> &m) {
    io(m.id, m.reply);
}
template <class Io>
void fields(Io &io, Of<Io, CounterReport> &m) {
    io(m.module, m.sequence, m.values, m.last);
}
template <class Io>
void fields(Io &io, Of<Io, WaitingBytes> &m) {
    io(m.node, m.priority, m.bytes, m.head_bytes);
}
template <class Io>
void fields(Io &io, Of<Io, BacklogReport> &m) {
    io(m.module, m.waiting, m.id);
}
template <class Io>
void fields(Io &io, Of<Io, ModuleReady> &m) {
    io(m.module, m.failed, m.ports, m.waiting);
}
template <class Io>
void fields(Io &io, Of<Io, ModuleEnded> &m) {
    io(m.module);
}
template <class Io>
void fields(Io &io, Of<Io, ModuleLost> &m) {
    io(m.module);
}
template <class Io>
void fields(Io &io, Of<Io, ModuleBack> &m) {
    io(m.module);
}
template <class Io>
void fields(Io &io, Of<Io, LocalDelivery> &m) {
    io(m.from, m.number, m.bundle, m.neighbour);
}
template <class Io>
void fields(Io &io, Of<Io, LocalDelivered> &m) {
    io(m.number);
}
template <class Io>
void fields(Io &io, Of<Io, Stop> &m) {
    io(m.drain);
}

}  // namespace farlink::bus
