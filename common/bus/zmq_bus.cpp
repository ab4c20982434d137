// SPDX-License-Identifier: Apache-2.0
#include "common/bus/zmq_bus.hpp"

#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <zmq.hpp>

#include "common/base/invariant.hpp"
#include "common/bus/wire.hpp"

namespace farlink::bus {
namespace {

/// A message on its way between two threads. ZeroMQ carries its address, inline; the word is ours,
/// so that the thread sanitizer sees the hand-over that happens inside the library.
struct Parcel {
    Message message;
    std::atomic<std::uint32_t> handed_over{0};
};

/// What ZeroMQ sees: small enough to be kept inside its own message structure.
struct Envelope {
    std::uint64_t kind;
    std::uintptr_t address;
};
constexpr std::uint64_t kParcel = 0xffff;

// Batches travel as themselves: no allocation on the data path.
template <class Data>
constexpr bool is_batch_message =
    std::is_same_v<Data, ForwardBatch> || std::is_same_v<Data, StoreBatch> ||
    std::is_same_v<Data, ReleaseBatch> || std::is_same_v<Data, BatchOutcome>;

Envelope pack(Message message) {
    const std::uint64_t kind = message.index();
    return std::visit(
        [&](auto &data) -> Envelope {
            using Data = std::decay_t<decltype(data)>;
            if constexpr (is_batch_message<Data>) {
                data.batch->give();
                return {kind, reinterpret_cast<std::uintptr_t>(data.batch.release())};
            } else {
                auto parcel = std::make_unique<Parcel>();
                parcel->message = std::move(data);
                parcel->handed_over.store(1, std::memory_order_release);
                return {kParcel, reinterpret_cast<std::uintptr_t>(parcel.release())};
            }
        },
        message);
}

BatchPtr take_batch(std::uintptr_t address) {
    BatchPtr batch(reinterpret_cast<Batch *>(address));
    batch->take();
    return batch;
}

Message unpack(const Envelope &envelope) {
    switch (envelope.kind) {
        case 0:
            return ForwardBatch{take_batch(envelope.address)};
        case 1:
            return StoreBatch{take_batch(envelope.address)};
        case 2:
            return ReleaseBatch{take_batch(envelope.address)};
        case 3:
            return BatchOutcome{take_batch(envelope.address)};
        default:
            break;
    }
    const std::unique_ptr<Parcel> parcel(reinterpret_cast<Parcel *>(envelope.address));
    FARLINK_INVARIANT(parcel->handed_over.load(std::memory_order_acquire) == 1);
    return std::move(parcel->message);
}

std::string data_address(AgentId agent) {
    return "inproc://farlink/data/" + std::to_string(static_cast<int>(agent));
}

std::string event_address(AgentId agent) {
    return "inproc://farlink/events/" + std::to_string(static_cast<int>(agent));
}

}  // namespace

struct BusContext::Sockets {
    zmq::context_t context{1};
};

BusContext::BusContext() : sockets_(std::make_unique<Sockets>()) {}
BusContext::~BusContext() = default;

struct BusPort::Sockets {
    zmq::context_t &context;
    zmq::socket_t pull;
    zmq::socket_t publish;
    zmq::socket_t subscribe;
    std::array<zmq::socket_t, kAgentCount> push;

    explicit Sockets(zmq::context_t &shared)
        : context(shared),
          pull(shared, zmq::socket_type::pull),
          publish(shared, zmq::socket_type::pub),
          subscribe(shared, zmq::socket_type::sub) {}
};

BusPort::BusPort(BusContext &context, AgentId self, const std::vector<AgentId> &subscriptions,
                 int event_high_water_mark)
    : sockets_(std::make_unique<Sockets>(context.sockets_->context)) {
    // A message queued for a module that has ended must not keep the process alive.
    sockets_->pull.set(zmq::sockopt::linger, 0);
    sockets_->publish.set(zmq::sockopt::linger, 0);
    sockets_->subscribe.set(zmq::sockopt::linger, 0);
    sockets_->pull.set(zmq::sockopt::rcvhwm, 0);
    sockets_->publish.set(zmq::sockopt::sndhwm, event_high_water_mark);
    sockets_->subscribe.set(zmq::sockopt::rcvhwm, event_high_water_mark);
    sockets_->pull.bind(data_address(self));
    sockets_->publish.bind(event_address(self));
    sockets_->subscribe.set(zmq::sockopt::subscribe, "");
    for (const AgentId agent : subscriptions) sockets_->subscribe.connect(event_address(agent));
}

BusPort::~BusPort() {
    while (receive()) {
    }
}

void BusPort::send(AgentId to, Message message) {
    zmq::socket_t &push = sockets_->push[static_cast<std::size_t>(to)];
    if (!push) {
        push = zmq::socket_t(sockets_->context, zmq::socket_type::push);
        push.set(zmq::sockopt::sndhwm, 0);
        push.set(zmq::sockopt::linger, 0);
        push.connect(data_address(to));
    }
    const Envelope envelope = pack(std::move(message));
    zmq::message_t frame(&envelope, sizeof envelope);
    const auto sent = push.send(frame, zmq::send_flags::dontwait);
    FARLINK_INVARIANT(sent.has_value());
}

void BusPort::publish(const Message &event) {
    const EncodedMessage encoded = encode(event);
    zmq::message_t frame(encoded.header.data(), encoded.header.size());
    // PUB never blocks: what does not fit is dropped, and the subscriber asks for a snapshot.
    (void)sockets_->publish.send(frame, zmq::send_flags::dontwait);
}

// Data goes first, but never so long that an event would not be heard.
std::optional<Message> BusPort::receive() {
    constexpr std::uint32_t kDataInARow = 16;
    if (data_in_a_row_ < kDataInARow) {
        if (auto data = receive_data()) {
            ++data_in_a_row_;
            return data;
        }
    }
    data_in_a_row_ = 0;
    if (auto event = receive_event()) return event;
    return receive_data();
}

std::optional<Message> BusPort::receive_data() {
    zmq::message_t frame;
    if (!sockets_->pull.recv(frame, zmq::recv_flags::dontwait)) return std::nullopt;
    Envelope envelope;
    FARLINK_INVARIANT(frame.size() == sizeof envelope);
    std::memcpy(&envelope, frame.data(), sizeof envelope);
    return unpack(envelope);
}

std::optional<Message> BusPort::receive_event() {
    zmq::message_t frame;
    while (sockets_->subscribe.recv(frame, zmq::recv_flags::dontwait)) {
        auto event = decode_event({frame.data<const std::uint8_t>(), frame.size()});
        if (event) return std::move(*event);
        ++undecodable_;
    }
    return std::nullopt;
}

int BusPort::data_descriptor() const {
    return sockets_->pull.get(zmq::sockopt::fd);
}
int BusPort::event_descriptor() const {
    return sockets_->subscribe.get(zmq::sockopt::fd);
}

}  // namespace farlink::bus
