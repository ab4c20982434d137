// SPDX-License-Identifier: Apache-2.0
// Every message that modules exchange: one plain struct each, one variant.
// A message is a value: its holder owns it; the bus moves it.
// wire.hpp encodes it between processes.
// Values without behaviour; any thread, one at a time.
// Length: all messages between modules are in one place.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "common/base/bytes.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/bp/admin.hpp"
#include "common/buffer/batch.hpp"
#include "common/buffer/transfer_disposition.hpp"
#include "common/bus/agent_id.hpp"

namespace farlink::bus {

/// Joins a reply to its request: the requester chooses it, and the reply repeats it. Numbers rise,
/// also over a restart, so that a reply to an earlier process matches nothing.
using RequestId = Strong<struct RequestIdTag, std::uint64_t>;
/// Of a message that is no reply, and of a request whose reply is an event like any other.
inline constexpr RequestId kNoRequest{};

// ---- data: batches, sent PUSH-PULL, never dropped ----------------------------------------------

/// Ingress to egress: bundles to pass on at once (cut-through).
struct ForwardBatch {
    BatchPtr batch;
};
/// Ingress to storage: bundles to keep.
struct StoreBatch {
    BatchPtr batch;
};
/// Storage to egress: bundles whose link has come up.
struct ReleaseBatch {
    BatchPtr batch;
};
/// Egress to ingress: what a neighbour has sent by a link that egress hosts; sizes, slices and
/// transfers are set. It comes back when ingress needs the octets no more.
struct ArrivedBatch {
    BatchPtr batch;
};
/// Egress to ingress: bundles that leave by a session that ingress hosts (a neighbour has opened
/// it). The first slice of each is its rendered head.
struct TransmitBatch {
    BatchPtr batch;
};
/// Back to the batch's owner: every bundle has its outcome.
struct BatchOutcome {
    BatchPtr batch;
};

// ---- events: published with an epoch and a running number, so that a gap is seen ----------------

/// `epoch` changes when the publisher restarts; `sequence` counts its events from 1.
struct EventHeader {
    std::uint64_t epoch = 0;
    std::uint64_t sequence = 0;
};

enum class LinkDownReason : std::uint8_t {
    kContactEnded = 0,
    kConnectionLost = 1,
    kAdministrative = 2,
};

/// Scheduler: a contact begins; egress opens the link.
struct ContactStart {
    EventHeader header;
    LinkId link = kNoLink;
    NodeNumber neighbour;
    BitRate rate;
    Duration owlt{};
    DtnTime ends = kDtnNever;
};
/// Scheduler: a contact ends; egress finishes the bundle begun and closes the link.
struct ContactEnd {
    EventHeader header;
    LinkId link = kNoLink;
    NodeNumber neighbour;
};
/// Scheduler: the link can be used now (planned and connected).
struct LinkUp {
    EventHeader header;
    LinkId link = kNoLink;
    NodeNumber neighbour;
    BitRate rate;
    Duration owlt{};
    std::uint64_t max_bundle_bytes = ~std::uint64_t{0};  ///< larger ones need another link
};
/// Scheduler: the link can no longer be used.
struct LinkDown {
    EventHeader header;
    LinkId link = kNoLink;
    NodeNumber neighbour;
    LinkDownReason reason = LinkDownReason::kContactEnded;
};
/// One link in a LinkSnapshot.
struct LinkEntry {
    LinkId link = kNoLink;
    NodeNumber neighbour;
    BitRate rate;
    Duration owlt{};
    DtnTime ends = kDtnNever;
    bool planned = false;    ///< a contact is open
    bool connected = false;  ///< egress reports a connection
    std::uint64_t max_bundle_bytes = ~std::uint64_t{0};
    bool enabled = true;               ///< the operator has not taken it down; else not `planned`
    DtnTime next_contact = kDtnNever;  ///< when the next contact begins, this one apart
    Duration depleted_for{};           ///< its neighbour has no room, for so long from now on
    bool overridden = false;           ///< the operator has set the rate or the light time
};
/// Scheduler: all links; `header` is that of its last event. An event, and the reply to
/// SnapshotRequest, PlanReplace and PlanChange.
struct LinkSnapshot {
    EventHeader header;
    std::vector<LinkEntry> links;
    RequestId id{};
};

/// One contact of the plan in absolute DTN milliseconds, half open: start <= t < end.
struct Contact {
    std::uint64_t id = 0;
    NodeNumber source;
    NodeNumber destination;
    DtnTime start = 0;
    DtnTime end = 0;
    BitRate rate;
    Duration owlt{};
    friend bool operator==(const Contact &, const Contact &) = default;
};
/// Scheduler to router: the whole plan, at the start and when it is asked.
struct ContactsUpdate {
    EventHeader header;
    std::vector<Contact> contacts;
};

inline constexpr std::uint64_t kAnyBytes = ~std::uint64_t{0};

/// One way towards a destination; candidates are ordered, best first.
struct RouteCandidate {
    NodeNumber next_hop;
    LinkId link = kNoLink;
    DtnTime arrival = 0;  ///< earliest arrival of a bundle of size zero, nothing before it
    /// A bundle that leaves by then arrives so early; what leaves later arrives later, too.
    DtnTime on_time_until = kDtnNever;
    DtnTime leave_by = kDtnNever;  ///< the last moment at which a first octet can leave
    /// Picoseconds of sending for each octet, all hops together: a bundle arrives by `arrival` and
    /// this for its size.
    std::uint64_t octet_ps = 0;
    /// The bytes that are free for a bundle of that priority, behind those that wait.
    std::array<std::uint64_t, kPriorityCount> room_bytes{kAnyBytes, kAnyBytes, kAnyBytes};
    /// How much later a bundle of that priority arrives, for those that wait for the first hop.
    std::array<std::uint64_t, kPriorityCount> delay_ms{};
    /// What of the bytes that wait for the destination in storage is laid onto this way.
    std::array<std::uint64_t, kPriorityCount> booked_bytes{};
    /// The nodes between the next hop and the destination; each may accept custody.
    std::vector<NodeNumber> nodes{};
};
struct Route {
    NodeNumber destination;
    std::vector<RouteCandidate> candidates;
    /// What the largest contact of the best series of contacts can carry: a larger bundle never
    /// arrives.
    std::uint64_t max_bundle_bytes = ~std::uint64_t{0};
};
/// The link that leads to a neighbour now.
struct NeighbourLink {
    NodeNumber neighbour;
    LinkId link = kNoLink;
    bool up = false;
    friend bool operator==(const NeighbourLink &, const NeighbourLink &) = default;
};
/// Router: the whole table; a destination that is absent has no route. An event, and the reply to
/// SnapshotRequest.
struct RouteUpdate {
    EventHeader header;
    std::vector<Route> routes;
    std::vector<NeighbourLink> neighbours{};
    /// The operator holds bundles for these nodes: they stay in storage, even with a route.
    std::vector<NodeNumber> held{};
    RequestId id{};
};

// ---- reports and requests, sent PUSH-PULL ------------------------------------------------------

/// Egress to scheduler: the state of a link's connection. The scheduler adds a link that it does
/// not have yet, and removes one that is `removed`.
struct LinkStatus {
    LinkId link = kNoLink;
    NodeNumber neighbour;
    bool connected = false;
    bool removed = false;
    std::uint64_t max_bundle_bytes = ~std::uint64_t{0};
};
/// Ingress to egress: a neighbour whose node number is certain has opened a session that bundles
/// can leave by, known as `link` from now on; or that session is gone.
struct SessionChange {
    LinkId link = kNoLink;
    NodeNumber neighbour;
    bool open = false;
    Bytes node_id;  ///< what this node calls itself in the session, as text
};
/// Egress to ingress: how the contact paces a link that a session of ingress carries, this one and
/// those that follow.
struct LinkPace {
    LinkId link = kNoLink;
    BitRate rate;  ///< 0: as fast as it goes
    Duration owlt{};
    bool owlt_known = false;  ///< false: no contact has set it
};
/// Egress to ingress: bundles may come from a session on a link that egress hosts, or no more.
struct UpstreamChange {
    UpstreamId upstream = kNoUpstream;
    LinkId link = kNoLink;
    bool open = false;
    bool acknowledges = false;
    std::uint64_t next_transfer = 0;  ///< the number of the next bundle that comes from it
};
/// Ingress to egress: stop or resume taking bundles from such a session.
struct UpstreamPause {
    UpstreamId upstream = kNoUpstream;
    bool paused = false;
};
/// A run of bundles of one session that share their fate.
struct DispositionRun {
    UpstreamId upstream = kNoUpstream;
    std::uint64_t first = 0;
    std::uint32_t count = 0;
    TransferDisposition disposition = TransferDisposition::kSafe;
};
/// Ingress to egress: what became of bundles that such sessions have brought.
struct TransferDispositions {
    std::vector<DispositionRun> runs;
};
/// What became of a bundle of which storage has a copy.
struct CopyFate {
    std::uint64_t arrival = 0;
    std::uint64_t flow = 0;
    bool sent = false;  ///< the copy can go; otherwise it is now the only one
};
/// Ingress to storage, behind the StoreBatch with the copies.
struct CopyOutcomes {
    std::vector<CopyFate> fates;
    std::uint8_t instance = 0;  ///< of ingress
};
/// Supervisor to ingress or egress: a link is added, changed or removed while the node runs.
enum class LinkVerb : std::uint8_t { kAdd = 0, kChange = 1, kRemove = 2 };
struct LinkChange {
    LinkVerb verb = LinkVerb::kAdd;
    LinkId link = kNoLink;
    bool outduct = false;
    Bytes config;  ///< JSON of the link, as in the configuration file; empty to remove
    RequestId id{};
};
/// The reply to it; `error` is empty when it has been done.
struct LinkChangeResult {
    LinkId link = kNoLink;
    Bytes error;
    std::uint16_t port = 0;  ///< of an induct
    RequestId id{};
};
/// A subscriber missed events of `publisher`, or has just started; or the supervisor requests the
/// state of `publisher` with a request id.
struct SnapshotRequest {
    AgentId publisher = AgentId::kScheduler;
    AgentId from = AgentId::kIngress;
    RequestId id{};
};
/// Storage to ingress, every instance: how many bundles of a flow wait. `taken` counts, for each
/// instance of ingress, the bundles of the flow that storage got from it since it started;
/// cut-through resumes when waiting is 0 and `taken` equals what that instance has sent.
struct Backlog {
    std::uint64_t flow = 0;
    std::uint64_t waiting = 0;
    std::array<std::uint64_t, kMostInstances> taken{};
};
/// A further instance of ingress to the first one, which has the services of the node: a bundle for
/// one of them.
struct LocalDelivery {
    AgentId from = AgentId::kIngress2;
    std::uint64_t number = 0;  ///< of the sender's; it names it again until it has been answered
    Bytes bundle;
    NodeNumber neighbour{};  ///< whose link it came by, where that is certain
};
/// The answer: the bundle was delivered, or no service is registered for it.
struct LocalDelivered {
    std::uint64_t number = 0;
};
/// Storage to ingress and egress, once: the store is open, `restored` bundles wait in it. Ingress
/// opens its links only then, and both judge the clock by the newest time of reception in the
/// store.
struct StorageReady {
    std::uint64_t restored = 0;
    DtnTime newest_received = 0;
};

using bp::ReportEvent;

/// Storage or egress to ingress: a status report is due for the bundle with this head.
struct ReportRequest {
    ReportEvent event = ReportEvent::kDeleted;
    std::uint8_t reason = 0;  ///< RFC 9171 section 9.5; BPv6 has the same numbers up to 8
    Bytes head;               ///< octets up to the payload block
    std::uint64_t payload_length = 0;
};

/// Ingress to storage: an administrative record for this node that is about custody (RFC 5050
/// section 6.1.2, CCSDS 734.2-B-1).
struct CustodyRecord {
    Bytes source;         ///< the endpoint that sent it, as text
    Bytes record;         ///< the payload of its bundle
    NodeNumber sender{};  ///< the neighbour whose link it came by, where that is certain
};
/// Storage to ingress: this administrative record is to be sent, in a BPv6 bundle of this node.
struct OriginateRequest {
    Bytes destination;  ///< as text
    Bytes record;
    DtnTime needed_until = kDtnNever;  ///< its lifetime ends then
};
/// Supervisor to storage: the operator confirms the clock after a step; bundles expire again.
struct ClockConfirm {};
/// Supervisor to scheduler: the operator takes a link down, or lets it go by the plan again.
struct LinkAdmin {
    LinkId link = kNoLink;
    bool enabled = true;
};
/// Supervisor to scheduler: the operator sets the rate or the light time of a link, in place of
/// those of the contact, or restores those of the contact.
struct LinkOverride {
    LinkId link = kNoLink;
    bool rate_given = false;
    BitRate rate;  ///< 0: unlimited
    bool owlt_given = false;
    Duration owlt{};
};
/// Supervisor to router: the operator holds bundles for a node, or not; 0: the list is complete.
struct DestinationHold {
    NodeNumber destination;
    bool held = false;
};
/// Supervisor to ingress, every instance: take nothing new from neighbours, or take it again.
struct DrainMode {
    bool held = false;
};
/// Supervisor to storage: the operator lists or deletes stored bundles.
enum class StoreVerb : std::uint8_t { kList = 0, kDelete = 1 };
struct StoreRequest {
    RequestId id{};
    StoreVerb verb = StoreVerb::kList;
    Bytes destination;                   ///< only those for it, an endpoint as text; empty: all
    std::vector<std::uint64_t> bundles;  ///< only these; empty: all
    std::uint64_t after = 0;             ///< only those behind this one
    std::uint32_t limit = 0;             ///< lists or deletes at most so many
    bool force = false;                  ///< deletes those in custody, too
};
enum class StoredState : std::uint8_t {
    kWaiting = 0,          ///< for a contact
    kLeaving = 1,          ///< lent to a link
    kInCustody = 2,        ///< sent, and kept until the next custodian answers
    kExceedsContacts = 3,  ///< too large for every contact of the plan
    kUnreadable = 4,
    kRefused = 5,  ///< refused by a neighbour: it waits for another way, or to be offered again
};
/// One bundle that storage holds.
struct StoredBundle {
    std::uint64_t bundle = 0;  ///< names it in this store
    StoredState state = StoredState::kWaiting;
    Priority priority = Priority::kNormal;
    bool custody = false;  ///< this node is its custodian
    std::uint8_t disk = 0;
    std::uint64_t bytes = 0;
    DtnTime expires = kDtnNever;
    Bytes destination;  ///< as text
    Bytes head;         ///< octets up to the payload block; empty: they were not read
};
/// Storage to supervisor: the reply to it.
struct StoreReply {
    RequestId id{};
    Bytes error;                        ///< empty: it has been done
    std::vector<StoredBundle> bundles;  ///< of a list, in their order
    bool more = false;                  ///< `limit` was reached: it goes on behind `last`
    std::uint64_t last = 0;             ///< the last bundle that was looked at
    std::uint64_t deleted = 0;          ///< bundles
    std::uint64_t deleted_bytes = 0;
    std::uint64_t kept = 0;  ///< that were to be deleted, and are being written or sent just now
    std::uint64_t kept_in_custody = 0;  ///< the same, without `force`
};
/// Supervisor to storage: octets of a bundle that it holds, from a disk.
struct BundlePieceRequest {
    RequestId id{};
    std::uint64_t bundle = 0;  ///< StoredBundle::bundle
    std::uint8_t stripe = 0;   ///< of a bundle in stripes, from 0
    std::uint64_t offset = 0;  ///< in the stripe
    std::uint32_t limit = 0;   ///< octets at most
};
enum class PieceFault : std::uint8_t {
    kNone = 0,
    kGone = 1,       ///< there is no such bundle, or no more
    kWriting = 2,    ///< it is being written
    kBeyondEnd = 3,  ///< it has no such stripe, or that no such offset
    kDamaged = 4,    ///< the octets on the disk differ from those written
    kIoError = 5,    ///< the disk cannot read it
    kTooMany = 6,    ///< too many requests wait
};
/// Storage to supervisor: the answer to it. The reader of all octets of a stripe compares their
/// CRC-32C.
struct BundlePiece {
    RequestId id{};
    PieceFault fault = PieceFault::kNone;
    std::uint64_t bundle_bytes = 0;
    std::uint8_t stripes = 1;  ///< 1: it is in one piece
    std::uint64_t stripe_bytes = 0;
    std::uint32_t crc32c = 0;  ///< of the stripe, as it was written
    Bytes octets;
};
/// Tasks of storage that run beside its work, on an operator's command.
enum class StoreTask : std::uint8_t {
    kVerify = 0,   ///< reads every record and compares checksums
    kCompact = 1,  ///< moves what lives in mostly dead files
};
enum class TaskVerb : std::uint8_t { kShow = 0, kStart = 1, kCancel = 2 };
/// Supervisor to storage: one of each kind runs at a time.
struct StoreTaskRequest {
    RequestId id{};
    StoreTask task = StoreTask::kVerify;
    TaskVerb verb = TaskVerb::kShow;
    std::uint64_t rate_bytes_per_s = 0;  ///< of kVerify
};
enum class TaskState : std::uint8_t {
    kNever = 0,  ///< not since the start
    kRunning = 1,
    kDone = 2,
    kCancelled = 3,
};
/// A record that kVerify could not read.
struct RecordDamage {
    std::uint64_t bundle = 0;  ///< StoredBundle::bundle
    std::uint8_t disk = 0;
    std::uint64_t record = 0;  ///< its number in the log of the disk
    std::uint64_t bytes = 0;   ///< of the bundle
    bool io_error = false;     ///< the disk does not read it; else its checksum is wrong
};
/// Storage to supervisor: the answer, with the state behind what was asked.
struct StoreTaskReply {
    RequestId id{};
    StoreTask task = StoreTask::kVerify;
    bool refused = false;  ///< kStart: it runs already; kCancel: it does not
    TaskState state = TaskState::kNever;
    DtnTime started = 0;
    DtnTime ended = 0;  ///< 0: not yet
    std::uint64_t rate_bytes_per_s = 0;
    std::uint64_t bundles = 0;         ///< verified, or moved
    std::uint64_t bytes = 0;           ///< of records, likewise
    std::uint64_t bundles_in_all = 0;  ///< kVerify: that were held when it started
    std::uint64_t bytes_in_all = 0;
    std::uint64_t damaged = 0;            ///< kVerify: records
    std::vector<RecordDamage> damages{};  ///< the first of them
    std::uint64_t files = 0;              ///< kCompact: given up
    std::uint64_t freed_bytes = 0;        ///< kCompact: their octets, without those moved
};
/// Supervisor to ingress: send an echo request of this node to an endpoint.
struct PingRequest {
    RequestId id{};
    Bytes destination;  ///< as text
    std::uint32_t payload_bytes = 0;
    Duration lifetime{};
    std::uint8_t version = 7;  ///< of the Bundle Protocol
};
/// Ingress to supervisor: the echo has come back, or the request cannot be sent.
struct PingReply {
    RequestId id{};
    Bytes error;  ///< empty: the echo is there
    Duration taken{};
};
/// Supervisor to a module: what its process logs from now on.
struct LogChange {
    Bytes logger;            ///< the name of one logger; empty: all
    std::uint8_t level = 0;  ///< LogLevel
};
/// Supervisor to telemetry: a GET request of the HTTP API, by the control socket.
struct StateRequest {
    RequestId id{};
    Bytes target;  ///< of the HTTP API, as `/api/v1/state`
};
/// The reply to it, as the HTTP API gives it.
struct StateReply {
    RequestId id{};
    std::uint16_t status = 0;
    Bytes body;
};
/// Storage to scheduler, and scheduler to router: a neighbour has no room for bundles and is tried
/// again after `pause`; 0: it has room again.
struct NeighbourDepleted {
    NodeNumber neighbour;
    Duration pause{};
};
/// Supervisor to scheduler: another contact plan. The scheduler replies with a LinkSnapshot: the
/// links as they are then, or, of a dry run, as they would be. The router replies with a
/// RoutesPreview. Both repeat the id.
struct PlanReplace {
    bool dry_run = false;
    std::vector<Contact> contacts;
    RequestId id{};
};
/// Supervisor to scheduler: contacts that the running plan loses, each with all its fields, and
/// contacts that it gets. The scheduler replies with a LinkSnapshot, the router with a
/// RoutesPreview of what that has changed. Both repeat the id.
struct PlanChange {
    std::vector<Contact> removed;
    std::vector<Contact> added;
    RequestId id{};
};
/// Scheduler to router: the same, of the plan that the router has; `id` is that of the supervisor.
struct ContactsChange {
    std::vector<Contact> removed;
    std::vector<Contact> added;
    RequestId id{};
};
/// Scheduler to router: a plan that may come; `id` is that of the supervisor.
struct ContactsProposal {
    std::vector<Contact> contacts;
    RequestId id{};
};
/// A destination whose candidates are others by a proposed plan; best first.
struct RouteDifference {
    NodeNumber destination;
    std::vector<RouteCandidate> before;
    std::vector<RouteCandidate> after;
};
/// Router to supervisor: what a proposed plan would change, or a change of the plan has.
struct RoutesPreview {
    std::vector<RouteDifference> differences;
    RequestId id{};
};

/// Ingress or egress to telemetry: the counters of one link, or of one neighbour at an induct, in
/// the order of their table; those behind the last one above 0 are left out.
struct LinkReport {
    AgentId module = AgentId::kIngress;
    LinkId link = kNoLink;
    Bytes neighbour;  ///< its node id or address, as text; empty: the link as a whole
    std::vector<std::uint64_t> values;
};
/// The side that opens the sessions of a link: an induct waits for neighbours, an outduct connects
/// to one; a session that a neighbour has opened carries bundles both ways.
enum class LinkKind : std::uint8_t { kInduct = 0, kOutduct = 1, kSession = 2 };
/// Ingress or egress to telemetry: a link that it hosts, when it is there, when its connection
/// comes or goes, and when it is removed.
struct LinkInfo {
    AgentId module = AgentId::kIngress;
    LinkKind kind = LinkKind::kInduct;
    bool connected = false;  ///< of an induct: it listens
    bool removed = false;    ///< it is to be removed, with its counters
    LinkId link = kNoLink;
    NodeNumber neighbour{};  ///< 0: many, or not known
    Bytes url{};             ///< where it listens or leads to: "tcpclv4://host:port"
    /// As text: why it is not connected, where that is known; of a session that is connected, that
    /// nothing proves it to be the neighbour's; of an induct that listens, why a peer got no
    /// session lately.
    Bytes reason{};
};
/// Any module to telemetry: its counters, in the order of its table.
struct CounterReport {
    AgentId module = AgentId::kIngress;
    std::uint64_t sequence = 0;
    std::vector<std::uint64_t> values;
    bool last = false;  ///< the module ends with this report
};
/// How a disk of the store is.
enum class DiskState : std::uint8_t {
    kOk = 0,
    kFull = 1,
    kFailing = 2,   ///< writes or flushes fail, for the time being
    kSetAside = 3,  ///< nothing more is written to it until the next start
};
struct DiskReport {
    Bytes path;
    DiskState state = DiskState::kOk;
    std::uint64_t used_bytes = 0;  ///< by records of bundles that are held
    std::uint64_t capacity_bytes = 0;
    friend bool operator==(const DiskReport &, const DiskReport &) = default;
};
/// What storage holds for a node, all its endpoints together.
struct PendingReport {
    NodeNumber destination;  ///< 0: endpoints without a node number
    std::uint64_t bundles = 0;
    std::uint64_t bytes = 0;
    std::uint64_t custody_bundles = 0;  ///< of them
    /// When the oldest bundles that wait expire, one for each endpoint and priority; kDtnNever when
    /// none waits. A younger bundle with a shorter lifetime may go before.
    DtnTime next_expiry = kDtnNever;
    friend bool operator==(const PendingReport &, const PendingReport &) = default;
};
/// Storage to telemetry, when it has changed.
struct StorageReport {
    std::vector<DiskReport> disks;       ///< in the order of the configuration
    std::vector<PendingReport> pending;  ///< those with most bundles, in the order of the nodes
    std::uint64_t destinations = 0;      ///< nodes, those that `pending` has no room for too
    friend bool operator==(const StorageReport &, const StorageReport &) = default;
};
/// What is measured in a histogram.
enum class LatencyKind : std::uint8_t {
    kCutThrough = 0,    ///< from arrival in ingress until it gets the outcomes of the batch
    kStorageFlush = 1,  ///< a flush of a disk, from its order to its end
};
inline constexpr std::size_t kLatencyKinds = 2;
/// Ingress or storage to telemetry: durations since the module's start, in nanoseconds.
struct HistogramReport {
    AgentId module = AgentId::kIngress;
    LatencyKind kind = LatencyKind::kCutThrough;
    std::uint64_t count = 0;
    std::uint64_t sum_ns = 0;
    std::uint64_t p50_ns = 0;
    std::uint64_t p90_ns = 0;
    std::uint64_t p99_ns = 0;
    std::uint64_t p999_ns = 0;
    std::uint64_t max_ns = 0;
    friend bool operator==(const HistogramReport &, const HistogramReport &) = default;
};
/// A module to telemetry and supervisor elsewhere: the system's figures of its own process.
struct ProcessReport {
    AgentId module = AgentId::kIngress;
    std::uint64_t process = 0;  ///< the same for all modules of a process, other than any other
    std::uint64_t cpu_ns = 0;   ///< since its start, in user and system mode
    std::uint64_t resident_bytes = 0;
    std::uint64_t threads = 0;
    std::uint64_t descriptors = 0;
    friend bool operator==(const ProcessReport &, const ProcessReport &) = default;
};
/// Telemetry to supervisor: a request by the HTTP API, in the form of the control socket
/// (docs/formats/control.md).
struct ApiRequest {
    RequestId id{};
    Bytes caller;   ///< the requester, for the log, as text
    Bytes request;  ///< one JSON object
};
/// The reply to it, likewise.
struct ApiReply {
    RequestId id{};
    Bytes reply;
};
/// What waits, of one priority: in storage for a destination, or in egress for a neighbour.
struct WaitingBytes {
    NodeNumber node;
    Priority priority = Priority::kNormal;
    std::uint64_t bytes = 0;
    /// The largest of the bundles whose turn it is: a contact without room for it carries nothing.
    std::uint64_t head_bytes = 0;
    friend bool operator==(const WaitingBytes &, const WaitingBytes &) = default;
};
/// Storage or egress to router: the whole backlog there, after each change. The router books it on
/// the contacts of its routes; bytes that the next report does not contain are free again. Router
/// to supervisor: the report of storage, before the RouteUpdate that the supervisor requests.
struct BacklogReport {
    AgentId module = AgentId::kStorage;
    std::vector<WaitingBytes> waiting;
};
/// A module is set up and serves its messages.
struct ModuleReady {
    AgentId module = AgentId::kIngress;
    bool failed = false;                 ///< it cannot run as configured: the node ends
    std::vector<std::uint16_t> ports{};  ///< of ingress: where its inducts listen, in their order
};
/// A module of another process to the supervisor: it has ended, as Stop requested.
struct ModuleEnded {
    AgentId module = AgentId::kIngress;
};
/// The bus to a module: another one that was reached in a different process is gone. What that had
/// borrowed comes back as not sent; what was lent from there need not go back. Until ModuleBack,
/// messages to it are dropped, and batches come back at once.
struct ModuleLost {
    AgentId module = AgentId::kIngress;
};
/// The bus to a module: it is connected again, possibly as another process without state.
struct ModuleBack {
    AgentId module = AgentId::kIngress;
};
/// Supervisor to a module: end, once all that it has lent or holds has an outcome. With `drain` it
/// accepts nothing new and returns what it has not begun, and replies until it is to end.
struct Stop {
    bool drain = false;
};

using Message =
    std::variant<ForwardBatch, StoreBatch, ReleaseBatch, BatchOutcome, ContactStart, ContactEnd,
                 LinkUp, LinkDown, LinkSnapshot, ContactsUpdate, RouteUpdate, LinkStatus,
                 SnapshotRequest, Backlog, StorageReady, ReportRequest, CounterReport, ModuleReady,
                 Stop, ArrivedBatch, TransmitBatch, SessionChange, UpstreamChange, UpstreamPause,
                 TransferDispositions, CopyOutcomes, LinkChange, LinkChangeResult, CustodyRecord,
                 OriginateRequest, ClockConfirm, LinkReport, LinkPace, LinkAdmin, NeighbourDepleted,
                 PlanReplace, ContactsProposal, RoutesPreview, BacklogReport, PlanChange,
                 ContactsChange, ModuleEnded, ModuleLost, ModuleBack, LinkInfo, StorageReport,
                 HistogramReport, ProcessReport, ApiRequest, ApiReply, LocalDelivery,
                 LocalDelivered, LinkOverride, DestinationHold, DrainMode, StoreRequest, StoreReply,
                 PingRequest, PingReply, LogChange, StateRequest, StateReply, BundlePieceRequest,
                 BundlePiece, StoreTaskRequest, StoreTaskReply>;

/// The news that `module` is there again.
[[nodiscard]] inline bool is_back(const Message &message, AgentId module) {
    const auto *back = std::get_if<ModuleBack>(&message);
    return back != nullptr && back->module == module;
}

/// A message and the module it is for; what a core's poll_message() hands to its agent.
/// `publish` sends it to every subscriber of this module's events instead.
struct Outgoing {
    AgentId to = AgentId::kIngress;
    bool publish = false;
    Message message;
};

}  // namespace farlink::bus
