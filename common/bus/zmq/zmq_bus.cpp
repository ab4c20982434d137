// SPDX-License-Identifier: Apache-2.0
#include "common/bus/zmq/zmq_bus.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <zmq.hpp>

#include "common/base/invariant.hpp"
#include "common/bus/wire/wire.hpp"
#include "common/bus/zmq/zmq_bus_gate.hpp"
#include "common/bus/zmq/zmq_bus_parcel.hpp"
#include "common/bus/zmq/zmq_bus_peer.hpp"
#include "common/bus/zmq/zmq_bus_remote.hpp"
#include "common/bus/zmq/zmq_bus_socket.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::bus {
namespace {

std::string data_address(AgentId agent) {
    return "inproc://farlink/data/" + std::to_string(static_cast<int>(agent));
}

std::string event_address(AgentId agent) {
    return "inproc://farlink/events/" + std::to_string(static_cast<int>(agent));
}

// A signal ends the wait early.
void wait_for_any(std::vector<zmq::pollitem_t> &polled, milliseconds patience) {
    try {
        zmq::poll(polled, patience);
    } catch (const zmq::error_t &error) {
        FARLINK_INVARIANT(error.num() == EINTR);
    }
}

}  // namespace

struct BusContext::Sockets {
    zmq::context_t context{1};
    std::optional<KeyGate> gate;
    std::vector<RemotePort *> remote;  ///< of the modules of this process
};

BusContext::BusContext(BusTopology topology)
    : topology_(std::move(topology)), sockets_(std::make_unique<Sockets>()) {
    if (!topology_.whole() && topology_.curve)
        sockets_->gate.emplace(sockets_->context, topology_.curve->public_key);
}

// The shutdown ends the gate's thread.
BusContext::~BusContext() {
    sockets_->context.shutdown();
}

BusContext::Meeting BusContext::meet(milliseconds patience) {
    std::vector<zmq::pollitem_t> polled;
    for (RemotePort *port : sockets_->remote)
        if (!port->awaited().empty()) polled.push_back({port->socket().handle(), 0, ZMQ_POLLIN, 0});
    if (polled.empty()) return {};
    wait_for_any(polled, patience);
    Meeting meeting;
    const TimePoint now = monotonic_now();
    for (RemotePort *port : sockets_->remote) {
        port->greet();
        port->mend(now);
        if (!port->mismatch().empty()) meeting.mismatch = port->mismatch();
        meeting.stopped |= port->stop_requested();
        for (const AgentId module : port->awaited())
            if (std::ranges::find(meeting.awaited, module) == meeting.awaited.end())
                meeting.awaited.push_back(module);
    }
    return meeting;
}

void BusContext::go_on() {
    for (RemotePort *port : sockets_->remote) port->go_on();
}

void BusContext::beat(AgentId module, TimePoint now) {
    beats_[static_cast<std::size_t>(module)].store(now, std::memory_order_relaxed);
}

TimePoint BusContext::last_beat(AgentId module) const {
    return beats_[static_cast<std::size_t>(module)].load(std::memory_order_relaxed);
}

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
    : context_(context), sockets_(std::make_unique<Sockets>(context.sockets_->context)) {
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
    for (const AgentId agent : subscriptions)
        if (!context.topology_.is_elsewhere(agent))
            sockets_->subscribe.connect(event_address(agent));
    if (context.topology_.whole()) return;
    remote_ = std::make_unique<RemotePort>(sockets_->context, context.topology_, self,
                                           subscriptions, event_high_water_mark);
    context.sockets_->remote.push_back(remote_.get());
    if (context.fault_.empty()) context.fault_ = remote_->fault();
}

BusPort::~BusPort() {
    if (remote_) std::erase(context_.sockets_->remote, remote_.get());
    while (receive_data() || receive_event()) {
    }
}

void BusPort::send(AgentId to, Message message) {
    if (remote_ && remote_->reaches(to)) return remote_->send(to, std::move(message));
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

void BusPort::mend(TimePoint now) {
    if (remote_) remote_->mend(now);
}

void BusPort::publish(const Message &event) {
    const EncodedMessage encoded = encode(event);
    zmq::message_t frame(encoded.header.data(), encoded.header.size());
    // PUB never blocks: it drops events beyond the limit, and the subscriber requests a snapshot.
    (void)sockets_->publish.send(frame, zmq::send_flags::dontwait);
    if (remote_) remote_->publish(encoded.header);
}

// Data has precedence, but events have a turn after a limited number of messages.
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
    if (remote_)
        if (auto message = remote_->receive()) return message;
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

std::vector<int> BusPort::descriptors() const {
    std::vector<int> all{sockets_->pull.get(zmq::sockopt::fd),
                         sockets_->subscribe.get(zmq::sockopt::fd)};
    if (remote_)
        for (const int descriptor : remote_->descriptors()) all.push_back(descriptor);
    return all;
}

std::uint64_t BusPort::undecodable() const {
    return undecodable_ + (remote_ ? remote_->refused() : 0);
}

std::string_view BusPort::last_refusal() const {
    return remote_ ? remote_->last_refusal() : std::string_view();
}

struct BusMessenger::Socket {
    zmq::socket_t push;
};

BusMessenger::BusMessenger(BusContext &context, AgentId to)
    : socket_(std::make_unique<Socket>(
          make_push(context.sockets_->context, context.topology_, to, 0))) {
    socket_->push.connect(context.topology_.address(to));
}
BusMessenger::~BusMessenger() = default;

void BusMessenger::send(const Message &message) {
    const EncodedMessage encoded = encode(message);
    (void)send_with_stream(socket_->push, kNoStream, zmq::buffer(encoded.header));
}

}  // namespace farlink::bus
