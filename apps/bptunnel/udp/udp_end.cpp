// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/udp/udp_end.hpp"

#include <utility>

namespace farlink::bptunnel {
namespace {

std::string key_of(const cla::DatagramAddress &address) {
    std::string key;
    const auto add = [&key](const auto &part) {
        key.append(reinterpret_cast<const char *>(&part), sizeof part);
    };
    if (address.any.sa_family == AF_INET) {
        add(address.v4.sin_addr);
        add(address.v4.sin_port);
    } else {
        add(address.v6.sin6_addr);
        add(address.v6.sin6_port);
    }
    return key;
}

}  // namespace

void UdpEnd::push(std::uint32_t flow, ByteView octets) {
    if (link_->full()) {
        ++counters_->dropped;
        return;
    }
    append_datagram(link_->records(), {flow, octets});
    link_->noted();
}

void UdpEnd::take(const Head &head, Bytes adu) {
    const Verdict verdict = link_->judge(head);
    if (verdict.stale || verdict.repeat) return;
    if (verdict.peer_changed) {
        ordering_.restart();
        deliver();
        forget_flows();
    }
    if (verdict.renewed) link_->forget();
    if (head.kind != Kind::kDatagrams) return;
    // What is dropped has its place in the order, too.
    if (verdict.for_earlier && needs_session()) adu.resize(kHeadBytes);
    ordering_.put(head.number, std::move(adu), monotonic_now());
    deliver();
}

void UdpEnd::deliver() {
    const TimePoint now = monotonic_now();
    while (const auto adu = ordering_.next(now)) deliver(ByteView(*adu).subspan(kHeadBytes));
    counters_->late_adus += ordering_.late() - std::exchange(late_, ordering_.late());
    counters_->missing_adus += ordering_.skipped() - std::exchange(missing_, ordering_.skipped());
    arm();
}

void UdpEnd::deliver(ByteView records) {
    DatagramReader reader(records);
    while (const auto datagram = reader.next()) queue(*datagram);
    if (reader.failed()) ++counters_->faults;
    send_queued();
}

void UdpEnd::arm() {
    const auto due = ordering_.due();
    if (!due) return;
    timer_.expires_at(*due);
    timer_.async_wait([weak = weak_from_this()](const auto &error) {
        const auto self = weak.lock();
        if (self && !error) self->deliver();
    });
}

void ListeningUdpEnd::start() {
    socket_->start([weak = weak_from_this()](const cla::DatagramAddress &from, ByteView octets) {
        const auto self = std::static_pointer_cast<ListeningUdpEnd>(weak.lock());
        if (self) self->push(self->flow_of(from), octets);
    });
}

std::uint32_t ListeningUdpEnd::flow_of(const cla::DatagramAddress &from) {
    if (flows_.size() > 0 && from == last_address_) return last_flow_;
    last_address_ = from;
    const std::string key = key_of(from);
    if (const std::uint32_t *const flow = flows_.find(key)) {
        last_flow_ = *flow;
    } else {
        last_flow_ = next_flow_++;
        ++counters().flows;
        flows_.add(key, last_flow_);
    }
    if (addresses_.find(last_flow_) == nullptr) addresses_.add(last_flow_, from);
    return last_flow_;
}

void ListeningUdpEnd::queue(const Datagram &datagram) {
    if (const auto *const address = addresses_.find(datagram.flow))
        socket_->queue(datagram.octets, address);
    else
        ++counters().no_flow;
}

std::shared_ptr<DatagramSocket> TargetUdpEnd::socket_of(std::uint32_t flow) {
    if (last_ && flow == last_flow_) return last_;
    last_flow_ = flow;
    if (auto *const found = sockets_.find(flow)) return last_ = *found;
    auto opened = DatagramSocket::connected(executor_, target_, setup_.socket_bytes);
    last_.reset();
    if (!opened) return nullptr;
    auto socket = std::make_shared<DatagramSocket>(std::move(*opened), space_, shared_counters());
    socket->start([weak = weak_from_this(), flow](const auto &, ByteView octets) {
        const auto self = std::static_pointer_cast<TargetUdpEnd>(weak.lock());
        if (self) self->push(flow, octets);
    });
    ++counters().flows;
    if (auto gone = sockets_.add(flow, socket)) gone->second->close();
    return last_ = std::move(socket);
}

void TargetUdpEnd::queue(const Datagram &datagram) {
    const auto socket = socket_of(datagram.flow);
    if (!socket) {
        ++counters().unsent;
        return;
    }
    if (!socket->has_queued()) queued_.push_back(socket);
    socket->queue(datagram.octets, nullptr);
}

void TargetUdpEnd::send_queued() {
    for (const auto &socket : queued_) socket->send();
    queued_.clear();
}

void TargetUdpEnd::close_all() {
    last_.reset();
    for (auto &[flow, socket] : sockets_) socket->close();
    sockets_.clear();
}

}  // namespace farlink::bptunnel
