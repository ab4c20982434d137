// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/udp/datagram_socket.hpp"

#include <array>
#include <cerrno>
#include <sstream>
#include <utility>

#include "cla/io/datagram_options.hpp"

namespace farlink::bptunnel {
namespace {

using boost::asio::ip::udp;

constexpr std::size_t kMessageBytes = 64 * 1024;
/// Reads in a row before others have their turn.
constexpr int kReadsInARow = 16;

Result<udp::socket, std::string> opened(const boost::asio::any_io_executor &executor,
                                        const udp::endpoint &address, bool connect,
                                        std::uint64_t buffer_bytes) {
    udp::socket socket(executor);
    boost::system::error_code error;
    socket.open(address.protocol(), error);
    if (!error) connect ? socket.connect(address, error) : socket.bind(address, error);
    if (!error) socket.non_blocking(true, error);
    if (error) {
        std::ostringstream text;
        text << "udp://" << address << ": " << error.message();
        return fail(text.str());
    }
    cla::set_receive_buffer(socket.native_handle(), buffer_bytes);
    cla::set_send_buffer(socket.native_handle(), buffer_bytes);
    cla::enable_coalescing(socket.native_handle());
    return socket;
}

}  // namespace

DatagramSocket::Space DatagramSocket::make_space() {
    return std::make_shared<Bytes>(cla::kMostMessages * kMessageBytes);
}

DatagramSocket::DatagramSocket(udp::socket socket, Space space, std::shared_ptr<Counters> counters)
    : socket_(std::move(socket)),
      space_(std::move(space)),
      counters_(std::move(counters)),
      segments_(cla::has_segmentation(socket_.native_handle())) {}

Result<udp::socket, std::string> DatagramSocket::bound(const boost::asio::any_io_executor &executor,
                                                       const udp::endpoint &address,
                                                       std::uint64_t buffer_bytes) {
    return opened(executor, address, false, buffer_bytes);
}

Result<udp::socket, std::string> DatagramSocket::connected(
    const boost::asio::any_io_executor &executor, const udp::endpoint &peer,
    std::uint64_t buffer_bytes) {
    return opened(executor, peer, true, buffer_bytes);
}

void DatagramSocket::start(OnDatagram on_datagram) {
    on_datagram_ = std::move(on_datagram);
    wait();
}

void DatagramSocket::close() {
    on_datagram_ = nullptr;
    boost::system::error_code ignored;
    socket_.close(ignored);
}

void DatagramSocket::wait() {
    socket_.async_wait(udp::socket::wait_read, [self = shared_from_this()](const auto &error) {
        if (error || !self->on_datagram_) return;
        self->read_all();
        if (self->on_datagram_) self->wait();
    });
}

void DatagramSocket::read_all() {
    for (int reads = 0; reads < kReadsInARow && on_datagram_ && read(); ++reads) {
    }
    count_lost();
}

// An unreachable peer is reported by a read, once, and may be there later.
bool DatagramSocket::read() {
    std::array<cla::IncomingMessage, cla::kMostMessages> messages;
    for (std::size_t at = 0; at < messages.size(); ++at)
        messages[at].space = MutableBytes(*space_).subspan(at * kMessageBytes, kMessageBytes);
    const int count = cla::receive_datagrams(socket_.native_handle(), messages);
    if (count <= 0) return count < 0 && (errno == ECONNREFUSED || errno == EINTR);
    for (int at = 0; at < count && on_datagram_; ++at) take(messages[static_cast<std::size_t>(at)]);
    return static_cast<std::size_t>(count) == messages.size();
}

void DatagramSocket::take(const cla::IncomingMessage &message) {
    ByteView octets = ByteView(message.space).first(message.size);
    const std::size_t step = message.segment_size > 0 ? message.segment_size : octets.size();
    do {
        const std::size_t size = std::min(step, octets.size());
        ++counters_->datagrams_in;
        on_datagram_(message.from, octets.first(size));
        octets = octets.subspan(size);
    } while (!octets.empty() && on_datagram_);
}

void DatagramSocket::count_lost() {
    if (!socket_.is_open()) return;
    const std::uint32_t lost = cla::dropped_datagrams(socket_.native_handle());
    counters_->lost_by_socket += static_cast<std::uint32_t>(lost - lost_);
    lost_ = lost;
}

void DatagramSocket::queue(ByteView octets, const cla::DatagramAddress *to) {
    // The interface of the kernel takes it without const and does not change it.
    queued_.push_back({{const_cast<std::uint8_t *>(octets.data()), octets.size()}, to});
}

void DatagramSocket::send() {
    for (std::size_t at = 0; at < queued_.size();) at += send_from(at);
    queued_.clear();
}

/// How many are done; 0: they are to be sent otherwise.
std::size_t DatagramSocket::send_from(std::size_t begin) {
    gather(begin);
    const int count = cla::send_datagrams(socket_.native_handle(), messages_);
    if (count > 0) {
        std::size_t gone = 0;
        for (int at = 0; at < count; ++at)
            gone += messages_[static_cast<std::size_t>(at)].pieces.size();
        counters_->datagrams_out += gone;
        return gone;
    }
    const std::size_t first = messages_.front().pieces.size();
    // Larger than the path takes in one piece: each is then sent by itself, and IP may cut it.
    if (first > 1 && (errno == EINVAL || errno == EIO || errno == EMSGSIZE)) {
        segments_ = false;
        return 0;
    }
    counters_->unsent += first;
    return first;
}

void DatagramSocket::gather(std::size_t begin) {
    messages_.clear();
    vectors_.clear();
    for (std::size_t at = begin; at < queued_.size(); ++at) vectors_.push_back(queued_[at].octets);
    for (std::size_t at = begin; at < queued_.size() && messages_.size() < cla::kMostMessages;) {
        const cla::DatagramAddress *const to = queued_[at].to;
        std::size_t same = at + 1;
        while (same < queued_.size() && queued_[same].to == to) ++same;
        const std::size_t end = cla::end_of_message(
            at, same, segments_, [&](std::size_t i) { return queued_[i].octets.iov_len; });
        const auto segment =
            static_cast<std::uint32_t>(end - at > 1 ? queued_[at].octets.iov_len : 0);
        messages_.push_back({std::span(vectors_).subspan(at - begin, end - at), segment, to});
        at = end;
    }
}

}  // namespace farlink::bptunnel
