// SPDX-License-Identifier: Apache-2.0
#include "common/bus/zmq_bus_remote.hpp"

#include <algorithm>
#include <utility>

#include "common/base/invariant.hpp"
#include "common/bus/zmq_bus_socket.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::bus {
namespace {

/// A whole batch fits in, so that steady work takes its memory from the pool.
constexpr std::uint32_t kSlabBytes = 512 * 1024;
/// What other modules have lent here is bounded by their windows, not by this.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 46;
/// Smaller frames are copied: handing one over costs more.
constexpr std::size_t kLeaseAbove = 1024;
/// Frames that stay where ZeroMQ has put them; smaller ones are copied together.
constexpr std::size_t kKeepAbove = 16 * 1024;
/// Reports that may wait for telemetry; the next ones say the same and more.
constexpr int kReportHighWaterMark = 1000;
/// Messages that are looked at in a row while none of them is for the module.
constexpr int kPassedOverInARow = 64;
/// What other modules may say to one that still waits for somebody.
constexpr std::size_t kMostEarly = 100'000;

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

/// Who lends batches of this kind, and to whom.
struct Parties {
    BatchOwner owner;
    AgentId borrower;
};
std::optional<Parties> parties_of(const Message &message) {
    if (std::holds_alternative<ForwardBatch>(message))
        return Parties{BatchOwner::kIngress, AgentId::kEgress};
    if (std::holds_alternative<StoreBatch>(message))
        return Parties{BatchOwner::kIngress, AgentId::kStorage};
    if (std::holds_alternative<ReleaseBatch>(message))
        return Parties{BatchOwner::kStorage, AgentId::kEgress};
    if (std::holds_alternative<ArrivedBatch>(message) ||
        std::holds_alternative<TransmitBatch>(message))
        return Parties{BatchOwner::kEgress, AgentId::kIngress};
    return std::nullopt;
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

// ZeroMQ's own signature; its thread.
void let_go(void *, void *lease) {
    static_cast<FrameLease *>(lease)->let_go();
}

zmq::message_t frame_of(ByteView octets, FrameLease &lease) {
    if (octets.size() < kLeaseAbove) return zmq::message_t(octets.data(), octets.size());
    lease.take();
    // ZeroMQ only reads it.
    return {const_cast<std::uint8_t *>(octets.data()), octets.size(), let_go, &lease};
}

zmq::send_flags flags_of(bool more) {
    return more ? zmq::send_flags::dontwait | zmq::send_flags::sndmore : zmq::send_flags::dontwait;
}

}  // namespace

RemotePort::RemotePort(zmq::context_t &context, const BusTopology &topology, AgentId self,
                       const std::vector<AgentId> &subscriptions, int event_high_water_mark)
    : context_(context),
      topology_(topology),
      self_(self),
      event_high_water_mark_(event_high_water_mark),
      slabs_(kSlabBytes, kMostBytes),
      batches_(BatchOwner::kIngress),
      pull_(context, zmq::socket_type::pull),
      on_one_clock_(on_this_machine(topology.address(self))),
      fault_(listen(pull_, topology, self)) {
    for (std::size_t i = 0; i < kAgentCount; ++i) {
        const auto module = static_cast<AgentId>(i);
        if (!reaches(module)) continue;
        const int mark = module == AgentId::kTelemetry ? kReportHighWaterMark : 0;
        peer(module).data = open_push(context, topology, module, mark);
        peer(module).on_this_clock = on_this_machine(topology.address(module));
    }
    greet_with(subscriptions);
}

// What has not been answered is freed when nobody reads it any more.
RemotePort::~RemotePort() = default;

void RemotePort::greet_with(const std::vector<AgentId> &subscriptions) {
    own_ = {.module = self_, .software = topology_.software, .parts = topology_.parts};
    for (const AgentId publisher : subscriptions)
        own_.subscriptions |= static_cast<std::uint8_t>(1U << static_cast<unsigned>(publisher));
    const Bytes octets = encode_hello(own_);
    for (Peer &to : peers_)
        if (to.data) (void)to.data.send(zmq::buffer(octets), zmq::send_flags::dontwait);
}

// ---- out
// -----------------------------------------------------------------------------------------

void RemotePort::send(AgentId to, Message message) {
    Peer &there = peer(to);
    BatchPtr *batch = batch_of(message);
    if (batch != nullptr && !std::holds_alternative<BatchOutcome>(message))
        return send_batch(there, message, *batch);
    const EncodedMessage encoded = encode(message, now_for(there.on_this_clock));
    const auto sent = there.data.send(zmq::buffer(encoded.header), zmq::send_flags::dontwait);
    FARLINK_INVARIANT(sent || to == AgentId::kTelemetry);
    // It was decoded here; its owner has the one that it lent.
    if (batch != nullptr) batches_.recycle(std::move(*batch));
}

void RemotePort::send_batch(Peer &to, Message &message, BatchPtr &batch) {
    // The other side refuses one with nothing in it, and it would never come back.
    FARLINK_INVARIANT(!batch->bundles.empty());
    LentBatches::Loan &loan = lent_.begin(*batch);
    const EncodedMessage encoded = encode(message, now_for(to.on_this_clock));
    loan.batch = std::move(batch);
    auto sent = to.data.send(zmq::buffer(encoded.header), flags_of(!encoded.frames.empty()));
    FARLINK_INVARIANT(sent.has_value());
    for (std::size_t at = 0; at < encoded.frames.size(); ++at) {
        sent = to.data.send(frame_of(encoded.frames[at], loan.lease),
                            flags_of(at + 1 < encoded.frames.size()));
        FARLINK_INVARIANT(sent.has_value());
    }
}

void RemotePort::publish(const Bytes &encoded) {
    for (Peer &to : peers_)
        if (to.events) (void)to.events.send(zmq::buffer(encoded), zmq::send_flags::dontwait);
}

// ---- in
// ------------------------------------------------------------------------------------------

std::optional<Message> RemotePort::receive() {
    if (BatchPtr back = lent_.poll_returned()) return BatchOutcome{std::move(back)};
    if (!early_.empty()) {
        Message first = std::move(early_.front());
        early_.pop_front();
        return first;
    }
    return next();
}

std::optional<Message> RemotePort::next() {
    for (int passed = 0; passed < kPassedOverInARow; ++passed) {
        if (!read_frames()) return std::nullopt;
        if (auto message = take_in()) return message;
    }
    // The socket tells of what is left in it only when more comes.
    lent_.wake();
    return std::nullopt;
}

bool RemotePort::read_frames() {
    frames_.clear();
    do {
        if (!pull_.recv(frames_.emplace_back(), zmq::recv_flags::dontwait)) return false;
    } while (frames_.back().more());
    return true;
}

/// The payload frames, and the slabs of those that stay where they are.
void RemotePort::view_payload() {
    views_.clear();
    in_place_.clear();
    for (std::size_t at = 1; at < frames_.size(); ++at) {
        views_.push_back(view_of(frames_[at]));
        const bool large = frames_[at].size() >= kKeepAbove && frames_[at].size() <= 0xffffffffU;
        in_place_.push_back(large ? kept_.keep(std::move(frames_[at])) : SlabRef());
    }
}

/// The message of `frames_`, when there is something in it for the module.
std::optional<Message> RemotePort::take_in() {
    const ByteView header = view_of(frames_.front());
    if (is_hello(header)) {
        handle_hello(header);
        return std::nullopt;
    }
    view_payload();
    auto message = decode(header, views_, {slabs_, batches_, in_place_}, now_for(on_one_clock_));
    frames_.clear();
    in_place_.clear();
    if (!message) {
        refuse(to_string(message.error()));
        return std::nullopt;
    }
    if (auto *outcome = std::get_if<BatchOutcome>(&*message)) {
        if (!lent_.settle(*outcome->batch)) {
            refuse("outcomes of a batch that is not out");
            return std::nullopt;
        }
        outcome->batch = lent_.poll_returned();
        if (!outcome->batch) return std::nullopt;
    } else if (!admit(*message)) {
        refuse("a batch that is not for this module");
        return std::nullopt;
    }
    return std::move(*message);
}

/// Batches come from who may lend them, to who may have them, and have something in them.
bool RemotePort::admit(Message &message) {
    const auto parties = parties_of(message);
    if (!parties) return true;
    const Batch &batch = **batch_of(message);
    return !batch.bundles.empty() && batch.owner == parties->owner && self_ == parties->borrower;
}

void RemotePort::refuse(std::string_view why) {
    ++refused_;
    last_refusal_ = why;
}

// ---- who is there
// --------------------------------------------------------------------------------

void RemotePort::greet() {
    while (early_.size() < kMostEarly && mismatch_.empty() && !awaited().empty()) {
        auto message = next();
        if (!message) return;
        early_.push_back(std::move(*message));
    }
}

std::vector<AgentId> RemotePort::awaited() const {
    std::vector<AgentId> modules;
    for (std::size_t i = 0; i < kAgentCount; ++i)
        if (reaches(static_cast<AgentId>(i)) && !peers_[i].greeted)
            modules.push_back(static_cast<AgentId>(i));
    return modules;
}

void RemotePort::handle_hello(ByteView octets) {
    const auto hello = decode_hello(octets);
    if (!hello || !reaches(hello->module)) return refuse("a greeting that is not in order");
    if (std::string why = bus::mismatch(own_, *hello); !why.empty()) {
        if (mismatch_.empty()) mismatch_ = std::move(why);
        return refuse("a module that does not fit this one");
    }
    Peer &there = peer(hello->module);
    there.greeted = true;
    if (hello->wants_events_of(self_) && !there.events)
        there.events = open_push(context_, topology_, hello->module, event_high_water_mark_);
}

}  // namespace farlink::bus
