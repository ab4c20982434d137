// SPDX-License-Identifier: Apache-2.0
#include "common/bus/zmq/zmq_bus_peer.hpp"

#include <string>

#include "common/base/invariant.hpp"
#include "common/bus/zmq/zmq_bus_socket.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::bus {
namespace {

/// Never kNoStream, and never a number used before.
std::uint64_t fresh_stream() {
    return entropy_seed() | 1U;
}

zmq::const_buffer octets_of(const std::uint64_t &stream) {
    return zmq::buffer(&stream, kStreamBytes);
}

constexpr auto kMore = zmq::send_flags::dontwait | zmq::send_flags::sndmore;

/// ZeroMQ reports the state of a connection on a monitor socket.
zmq::socket_t watch(zmq::context_t &context, zmq::socket_t &socket, AgentId self, AgentId module) {
    const std::string address = "inproc://farlink/monitor/" +
                                std::to_string(static_cast<int>(self)) + "/" +
                                std::to_string(static_cast<int>(module));
    FARLINK_INVARIANT(
        ::zmq_socket_monitor(socket.handle(), address.c_str(), ZMQ_EVENT_DISCONNECTED) == 0);
    zmq::socket_t monitor(context, zmq::socket_type::pair);
    monitor.set(zmq::sockopt::linger, 0);
    monitor.connect(address);
    return monitor;
}

}  // namespace

bool send_with_stream(zmq::socket_t &socket, std::uint64_t stream,
                      const zmq::const_buffer &octets) {
    if (!socket.send(octets_of(stream), kMore)) return false;
    return socket.send(octets, zmq::send_flags::dontwait).has_value();
}

RemotePeer::RemotePeer(zmq::context_t &context, const BusTopology &topology, AgentId self,
                       AgentId module, int high_water_mark)
    : context_(context),
      topology_(topology),
      module_(module),
      own_stream_(fresh_stream()),
      data_(make_push(context, topology, module, high_water_mark)),
      monitor_(watch(context, data_, self, module)) {
    data_.connect(topology.address(module));
}

RemotePeer::~RemotePeer() {
    (void)::zmq_socket_monitor(data_.handle(), nullptr, 0);
}

bool RemotePeer::send(const zmq::const_buffer &octets) {
    return send_with_stream(data_, own_stream_, octets);
}

// If the connection ends after the first frame, the other frames must still be passed to ZeroMQ,
// which drops them up to the last one.
bool RemotePeer::send(const Bytes &header, std::span<zmq::message_t> payload) {
    if (!data_.send(octets_of(own_stream_), kMore)) return false;
    auto sent =
        data_.send(zmq::buffer(header), payload.empty() ? zmq::send_flags::dontwait : kMore);
    for (zmq::message_t &frame : payload) {
        const bool last = &frame == &payload.back();
        sent = data_.send(frame, last ? zmq::send_flags::dontwait : kMore);
    }
    return sent.has_value();
}

void RemotePeer::subscribe(int high_water_mark) {
    events_ = make_push(context_, topology_, module_, high_water_mark);
    events_.connect(topology_.address(module_));
}

void RemotePeer::publish(const Bytes &octets) {
    if (events_) (void)send_with_stream(events_, own_stream_, zmq::buffer(octets));
}

void RemotePeer::renew() {
    own_stream_ = fresh_stream();
    drop_queued(data_, topology_.address(module_));
    data_.connect(topology_.address(module_));
    in_doubt.reset();
}

bool RemotePeer::take_broken() {
    // ZeroMQ continues to close a connection only when it is called.
    (void)data_.get(zmq::sockopt::events);
    bool broken = false;
    zmq::message_t event;
    // Two frames each: the event and the address. No other events are subscribed.
    while (monitor_.recv(event, zmq::recv_flags::dontwait)) broken = true;
    return broken;
}

}  // namespace farlink::bus
