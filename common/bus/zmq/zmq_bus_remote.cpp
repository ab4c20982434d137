// SPDX-License-Identifier: Apache-2.0
#include "common/bus/zmq/zmq_bus_remote.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "common/base/endpoint_links.hpp"
#include "common/base/invariant.hpp"
#include "common/bus/zmq/zmq_bus_socket.hpp"
#include "common/bus/zmq/zmq_bus_visible.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::bus {
namespace {

/// Large enough for a whole batch, so that a steady flow uses the memory of the pool.
constexpr std::uint32_t kSlabBytes = 512 * 1024;
/// The windows of other modules bound the batches that they lend, not this limit.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 46;
/// Smaller frames are copied, which is cheaper than to hand one over.
constexpr std::size_t kLeaseAbove = 1024;
/// Frames of this size stay in ZeroMQ's memory; smaller ones are copied together.
constexpr std::size_t kKeepAbove = 16 * 1024;
/// The frames of a message: the number of its connection, its header, and what batches carry.
constexpr std::size_t kHeader = 1;
constexpr std::size_t kFirstPayload = 2;
/// Reports that may wait for telemetry; later ones supersede earlier ones.
constexpr int kReportHighWaterMark = 1000;
/// Messages read in a row while none of them is for the module.
constexpr int kPassedOverInARow = 64;
/// Messages from other modules that wait while the port still awaits a module.
constexpr std::size_t kMostEarly = 100'000;
/// In a steady flow the connections are checked after this number of messages.
constexpr int kUnwatchedInARow = 256;
/// Time for ZeroMQ to restore a connection that broke before the peer connected.
constexpr Duration kMendAfter = seconds(1);

template <class Data>
constexpr bool kCarriesBatch = requires(Data data) { data.batch; };

BatchPtr *batch_of(Message &message) {
    return std::visit(
        [](auto &data) -> BatchPtr * {
            if constexpr (kCarriesBatch<std::decay_t<decltype(data)>>) return &data.batch;
            return nullptr;
        },
        message);
}

/// The lender and the borrower of batches of this kind.
struct Parties {
    BatchOwner owner;
    AgentId borrower;
};
/// The link decides what bundles leave by.
AgentId borrower_of(const Batch &batch) {
    if (is_endpoint_link(batch.link)) return AgentId::kApplications;
    return batch.link == kServicesLink ? AgentId::kIngress : AgentId::kEgress;
}
std::optional<Parties> parties_of(const Message &message) {
    if (const auto *forward = std::get_if<ForwardBatch>(&message))
        return Parties{BatchOwner::kIngress, borrower_of(*forward->batch)};
    if (std::holds_alternative<StoreBatch>(message))
        return Parties{BatchOwner::kIngress, AgentId::kStorage};
    if (const auto *release = std::get_if<ReleaseBatch>(&message))
        return Parties{BatchOwner::kStorage, borrower_of(*release->batch)};
    if (const auto *arrived = std::get_if<ArrivedBatch>(&message)) {
        const bool sent_here = is_application(arrived->batch->upstream);
        return Parties{sent_here ? BatchOwner::kApplications : BatchOwner::kEgress,
                       AgentId::kIngress};
    }
    if (std::holds_alternative<TransmitBatch>(message))
        return Parties{BatchOwner::kEgress, AgentId::kIngress};
    return std::nullopt;
}

AgentId owner_of(const Batch &batch) {
    switch (batch.owner) {
        case BatchOwner::kIngress:
            return instance_at(AgentId::kIngress, batch.instance);
        case BatchOwner::kStorage:
            return AgentId::kStorage;
        case BatchOwner::kApplications:
            return AgentId::kApplications;
        case BatchOwner::kEgress:
            break;
    }
    return instance_at(AgentId::kEgress, batch.instance);
}

/// Messages of the main thread of another process, which is not a module and gets no greeting.
bool is_of_main_thread(const Message &message) {
    return std::holds_alternative<ModuleReady>(message) ||
           std::holds_alternative<ModuleEnded>(message) ||
           std::holds_alternative<ClockConfirm>(message) || std::holds_alternative<Stop>(message);
}

/// Messages that only the bus of this process makes.
bool is_of_the_bus(const Message &message) {
    return std::holds_alternative<ModuleLost>(message) ||
           std::holds_alternative<ModuleBack>(message);
}

bool on_this_machine(const std::string &address) {
    return address.starts_with("ipc://");
}

TimePoint now_for(bool one_clock) {
    return one_clock ? TimePoint{} : monotonic_now();
}

ByteView view_of(const zmq::message_t &frame) {
    return {frame.data<const std::uint8_t>(), frame.size()};
}

// The signature is ZeroMQ's; called on its thread.
void let_go(void *, void *lease) {
    static_cast<FrameLease *>(lease)->let_go();
}

zmq::message_t frame_of(ByteView octets, FrameLease &lease) {
    if (octets.size() < kLeaseAbove) return zmq::message_t(octets.data(), octets.size());
    lease.take();
    // ZeroMQ only reads it.
    return {const_cast<std::uint8_t *>(octets.data()), octets.size(), let_go, &lease};
}

}  // namespace

RemotePort::RemotePort(zmq::context_t &context, const BusTopology &topology, AgentId self,
                       const std::vector<AgentId> &subscriptions, int event_high_water_mark)
    : topology_(topology),
      self_(self),
      own_{.module = self, .software = topology.software, .parts = topology.parts},
      event_high_water_mark_(event_high_water_mark),
      slabs_(kSlabBytes, kMostBytes),
      batches_(BatchOwner::kIngress),
      pull_(context, zmq::socket_type::pull),
      on_one_clock_(on_this_machine(topology.address(self))),
      fault_(listen(pull_, topology, self)) {
    for (const AgentId publisher : subscriptions)
        own_.subscriptions |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(publisher));
    for (std::size_t i = 0; i < kAgentCount; ++i) {
        const auto module = static_cast<AgentId>(i);
        if (!reaches(module)) continue;
        const int mark = module == AgentId::kTelemetry ? kReportHighWaterMark : 0;
        peers_[i].emplace(context, topology, self, module, mark);
        peers_[i]->on_this_clock = on_this_machine(topology.address(module));
        // A port that cannot listen is not reachable under its address, so it connects to no peer.
        if (fault_.empty()) send_greeting(*peers_[i]);
    }
}

// Batches without outcomes are freed when their octets are no longer read.
RemotePort::~RemotePort() = default;

RemotePeer *RemotePort::peer(AgentId module) {
    Peer &found = peers_[static_cast<std::size_t>(module)];
    return found ? &*found : nullptr;
}

RemotePeer *RemotePort::peer_of(std::uint64_t stream) {
    for (Peer &each : peers_)
        if (each && each->stream == stream && stream != kNoStream) return &*each;
    return nullptr;
}

std::vector<int> RemotePort::descriptors() const {
    std::vector<int> all{pull_.get(zmq::sockopt::fd), lent_.descriptor()};
    for (const Peer &each : peers_)
        if (each)
            for (const int descriptor : each->descriptors()) all.push_back(descriptor);
    return all;
}

// ---- out
// -----------------------------------------------------------------------------------------

void RemotePort::send(AgentId to, Message message) {
    RemotePeer &there = *peer(to);
    BatchPtr *batch = batch_of(message);
    if (batch != nullptr && !std::holds_alternative<BatchOutcome>(message))
        return send_batch(there, message, *batch);
    if (there.present) {
        const EncodedMessage encoded = encode(message, now_for(there.on_this_clock));
        (void)there.send(zmq::buffer(encoded.header));
    }
    // The batch was decoded here; its owner has the original. A part was made for this message
    // only.
    if (batch != nullptr && (*batch)->whole == nullptr) batches_.recycle(std::move(*batch));
}

void RemotePort::send_batch(RemotePeer &to, Message &message, BatchPtr &batch) {
    // The other side refuses an empty batch, which would never come back.
    FARLINK_INVARIANT(!batch->bundles.empty());
    if (!to.present) return lent_.give_back(std::move(batch));
    LentBatches::Loan &loan = lent_.begin(*batch, to.module());
    const EncodedMessage encoded = encode(message, now_for(to.on_this_clock));
    loan.batch = std::move(batch);
    std::vector<zmq::message_t> &payload = frames_;
    payload.clear();
    for (const ByteView octets : encoded.frames) payload.push_back(frame_of(octets, loan.lease));
    // A batch that is not sent comes back when the peer is lost.
    (void)to.send(encoded.header, payload);
    payload.clear();
}

void RemotePort::publish(const Bytes &encoded) {
    for (Peer &to : peers_)
        if (to) to->publish(encoded);
}

// ---- in
// ------------------------------------------------------------------------------------------

std::optional<Message> RemotePort::receive() {
    if (++unwatched_ > kUnwatchedInARow) watch_peers();
    if (!waiting_.empty()) return take_waiting();
    if (BatchPtr back = lent_.poll_returned()) return BatchOutcome{std::move(back)};
    if (auto message = next()) return message;
    watch_peers();
    if (!waiting_.empty()) return take_waiting();
    return std::nullopt;
}

// Reports the peer to the module as back or lost.
Message RemotePort::take_waiting() {
    Message first = std::move(waiting_.front());
    waiting_.pop_front();
    if (const auto *back = std::get_if<ModuleBack>(&first)) peer(back->module)->present = true;
    return first;
}

std::optional<Message> RemotePort::next() {
    for (int passed = 0; passed < kPassedOverInARow; ++passed) {
        if (!waiting_.empty()) return take_waiting();
        if (!read_frames()) return std::nullopt;
        if (auto message = take_in()) return message;
    }
    // The descriptor signals remaining messages only when further ones arrive.
    lent_.wake();
    return std::nullopt;
}

bool RemotePort::read_frames() {
    frames_.clear();
    do {
        if (!pull_.recv(frames_.emplace_back(), zmq::recv_flags::dontwait)) return false;
    } while (frames_.back().more());
    make_visible(frames_);
    return true;
}

/// The payload frames, and the slabs of those that stay in ZeroMQ's memory.
void RemotePort::view_payload() {
    views_.clear();
    in_place_.clear();
    for (std::size_t at = kFirstPayload; at < frames_.size(); ++at) {
        views_.push_back(view_of(frames_[at]));
        const bool large = frames_[at].size() >= kKeepAbove && frames_[at].size() <= 0xffffffffU;
        in_place_.push_back(large ? kept_.keep(std::move(frames_[at])) : SlabRef());
    }
}

/// The message of `frames_`, if it has one for the module.
std::optional<Message> RemotePort::take_in() {
    std::uint64_t stream = kNoStream;
    if (frames_.size() < kFirstPayload || frames_.front().size() != kStreamBytes) {
        refuse("a message without a connection number");
        return std::nullopt;
    }
    std::memcpy(&stream, frames_.front().data(), kStreamBytes);
    if (const ByteView header = view_of(frames_[kHeader]); is_hello(header)) {
        handle_hello(header, stream);
        return std::nullopt;
    }
    RemotePeer *from = peer_of(stream);
    // Of a connection that has ended, or is still unknown.
    if (from == nullptr && stream != kNoStream) return std::nullopt;
    return take_in(from, stream);
}

std::optional<Message> RemotePort::take_in(RemotePeer *from, std::uint64_t stream) {
    view_payload();
    const ByteView header = view_of(frames_[kHeader]);
    auto message = decode(header, views_, {slabs_, batches_, in_place_}, now_for(on_one_clock_));
    frames_.clear();
    in_place_.clear();
    if (!message) {
        refuse(to_string(message.error()));
        return std::nullopt;
    }
    if ((stream == kNoStream && !is_of_main_thread(*message)) || is_of_the_bus(*message)) {
        refuse("a message of a type that its sender must not send");
        return std::nullopt;
    }
    if (auto *outcome = std::get_if<BatchOutcome>(&*message)) {
        if (!lent_.handle_outcome(*outcome->batch, from->module())) {
            refuse("outcomes of an unknown batch");
            return std::nullopt;
        }
        outcome->batch = lent_.poll_returned();
        if (!outcome->batch) return std::nullopt;
    } else if (!admit(*message, from)) {
        refuse("a batch for another module");
        return std::nullopt;
    }
    return std::move(*message);
}

/// Whether the batch is from its lender, for its borrower, and not empty.
bool RemotePort::admit(Message &message, const RemotePeer *from) const {
    const auto parties = parties_of(message);
    if (!parties) return true;
    const Batch &batch = **batch_of(message);
    return !batch.bundles.empty() && batch.owner == parties->owner &&
           role_of(self_) == parties->borrower && from->module() == owner_of(batch);
}

void RemotePort::refuse(std::string_view why) {
    ++refused_;
    last_refusal_ = why;
}

// ---- greetings
// --------------------------------------------------------------------------------

// A peer that greeted and is lost by now may have sent messages: both are delivered in order.
void RemotePort::greet() {
    while (waiting_.size() < kMostEarly && mismatch_.empty() && !awaited().empty()) {
        if (!read_frames()) return;
        if (auto message = take_in()) waiting_.push_back(std::move(*message));
    }
}

std::vector<AgentId> RemotePort::awaited() const {
    std::vector<AgentId> modules;
    for (const Peer &each : peers_)
        if (each && each->stream == kNoStream) modules.push_back(each->module());
    return modules;
}

void RemotePort::go_on() {
    for (Peer &each : peers_)
        if (each && each->stream == kNoStream) each->met = true;
}

bool RemotePort::stop_requested() const {
    return std::ranges::any_of(waiting_, [](const Message &message) {
        const auto *stop = std::get_if<Stop>(&message);
        return stop != nullptr && !stop->drain;
    });
}

void RemotePort::send_greeting(RemotePeer &to) {
    own_.knows = to.stream;
    (void)to.send(zmq::buffer(encode_hello(own_)));
}

void RemotePort::handle_hello(ByteView octets, std::uint64_t stream) {
    const auto hello = decode_hello(octets);
    if (!hello || stream == kNoStream || peer(hello->module) == nullptr)
        return refuse("an invalid hello message");
    if (std::string why = bus::mismatch(own_, *hello); !why.empty()) {
        if (mismatch_.empty()) mismatch_ = std::move(why);
        return refuse("a module of another version or configuration");
    }
    RemotePeer &there = *peer(hello->module);
    if (stream == there.lost_stream) return;
    if (there.stream != stream) {
        // Another process, or the same one, which has abandoned this one. When it names the present
        // connection, that stays: if each side answered a new one with a new one, none would last.
        const bool known = hello->knows == there.own_stream();
        if (there.stream != kNoStream)
            lose(there, !known);
        else if ((there.take_broken() || there.in_doubt) && !known)
            renew(there);
        there.in_doubt.reset();
        there.stream = stream;
        if (hello->wants_events_of(self_)) there.subscribe(event_high_water_mark_);
        if (std::exchange(there.met, true))
            waiting_.push_back(ModuleBack{hello->module});
        else
            there.present = true;
    }
    // It does not name this connection: it has no greeting of it yet, or its process is a new one.
    if (hello->knows != there.own_stream()) send_greeting(there);
}

void RemotePort::watch_peers() {
    unwatched_ = 0;
    for (Peer &each : peers_) {
        if (!each || !each->take_broken()) continue;
        if (each->stream != kNoStream) {
            lose(*each, true);
            send_greeting(*each);
        } else if (!each->in_doubt) {
            each->in_doubt = monotonic_now();
        }
    }
}

void RemotePort::mend(TimePoint now) {
    for (Peer &each : peers_) {
        if (!each || each->stream != kNoStream) continue;
        if (each->take_broken() && !each->in_doubt) each->in_doubt = now;
        if (!each->in_doubt || now - *each->in_doubt < kMendAfter) continue;
        renew(*each);
        send_greeting(*each);
    }
}

void RemotePort::renew(RemotePeer &broken) {
    broken.renew();
    (void)broken.take_broken();  // that was of the connection before
}

void RemotePort::lose(RemotePeer &lost, bool begin_anew) {
    lost.lost_stream = std::exchange(lost.stream, kNoStream);
    lost.unsubscribe();
    if (begin_anew) renew(lost);
    lent_.take_back(lost.module());
    const bool unheard = std::erase_if(waiting_, [&](const Message &message) {
                             const auto *back = std::get_if<ModuleBack>(&message);
                             return back != nullptr && back->module == lost.module();
                         }) > 0;
    lost.present = false;
    if (!unheard) waiting_.push_back(ModuleLost{lost.module()});
}

}  // namespace farlink::bus
