// SPDX-License-Identifier: Apache-2.0
#include "apps/linkemu/udp_relay.hpp"

#include <array>
#include <boost/asio/ip/udp.hpp>
#include <cerrno>
#include <optional>
#include <sstream>
#include <vector>

#include "apps/linkemu/host_port.hpp"
#include "apps/linkemu/wire_alarm.hpp"
#include "apps/shared/emulation/wire.hpp"
#include "cla/io/datagram_io.hpp"
#include "cla/io/datagram_options.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::linkemu {
namespace {

using boost::asio::ip::udp;
using cla::DatagramAddress;
using emulation::Wire;

constexpr std::size_t kMessageBytes = 64 * 1024;
constexpr std::size_t kMessagesAtOnce = 32;
/// Packets read in a row before due ones are sent.
constexpr int kReadsInARow = 16;

/// One of the two sockets: datagrams from it go into the wire `into`, those of `out_of` leave by
/// it.
class End {
public:
    End(udp::socket socket, Wire &into, Wire &out_of, bool offload)
        : socket_(std::move(socket)),
          alarm_(socket_.get_executor(), [this] { deliver(); }),
          into_(into),
          out_of_(out_of),
          offload_(offload && cla::has_segmentation(socket_.native_handle())),
          room_(kMessagesAtOnce * kMessageBytes) {
        if (offload_) cla::enable_coalescing(socket_.native_handle());
    }

    void start(End &other) {
        other_ = &other;
        wait_readable();
    }
    void set_peer(const DatagramAddress &peer, bool fixed) {
        peer_ = peer;
        peer_fixed_ = fixed;
    }
    [[nodiscard]] const udp::socket &socket() const { return socket_; }
    [[nodiscard]] std::uint64_t unknown() const { return unknown_; }
    [[nodiscard]] std::uint32_t dropped() {
        return cla::dropped_datagrams(socket_.native_handle());
    }

private:
    void wait_readable() {
        socket_.async_wait(udp::socket::wait_read, [this](const auto &error) {
            if (error) return;
            for (int reads = 0; reads < kReadsInARow && read(); ++reads) {
            }
            other_->deliver();
            wait_readable();
        });
    }

    // False when the socket is empty. An ICMP error of an unreachable peer is reported once by a
    // read, and ignored.
    bool read() {
        std::array<cla::IncomingMessage, kMessagesAtOnce> messages;
        for (std::size_t i = 0; i < messages.size(); ++i)
            messages[i].space = MutableBytes(room_).subspan(i * kMessageBytes, kMessageBytes);
        const int count = cla::receive_datagrams(socket_.native_handle(), messages);
        if (count <= 0) return count < 0 && errno == ECONNREFUSED;
        const TimePoint now = monotonic_now();
        for (int i = 0; i < count; ++i) take(messages[static_cast<std::size_t>(i)], now);
        return static_cast<std::size_t>(count) == messages.size();
    }

    void take(const cla::IncomingMessage &message, TimePoint now) {
        if (!peer_fixed_) peer_ = message.from;
        ByteView octets = ByteView(message.space).first(message.size);
        const std::size_t step = message.segment_size > 0 ? message.segment_size : octets.size();
        do {
            const std::size_t size = std::min(step, octets.size());
            into_.push(octets.first(size), now);
            octets = octets.subspan(size);
        } while (!octets.empty());
    }

    void deliver() {
        while (!blocked_) {
            const auto pieces = out_of_.due(monotonic_now());
            if (pieces.empty()) break;
            if (!peer_) {
                unknown_ += pieces.size();
                out_of_.sent(pieces.size());
                continue;
            }
            out_of_.sent(send(pieces));
        }
        if (!blocked_) alarm_.set(out_of_.next_due());
    }

    // Returns how many were sent; the rest waits for the socket.
    std::size_t send(std::span<const ByteView> pieces) {
        gather(pieces);
        const int count = cla::send_datagrams(socket_.native_handle(), messages_);
        if (count < 0) {
            if (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS) return wait_writable();
            // Rejected on the path (ICMP), or too long for it: the datagram is lost.
            return messages_.front().pieces.size();
        }
        std::size_t gone = 0;
        for (int i = 0; i < count; ++i)
            gone += messages_[static_cast<std::size_t>(i)].pieces.size();
        return gone;
    }

    // Consecutive datagrams of one size are sent as one message; a shorter one may end it.
    void gather(std::span<const ByteView> pieces) {
        vectors_.clear();
        messages_.clear();
        for (const ByteView &piece : pieces)
            vectors_.push_back({const_cast<std::uint8_t *>(piece.data()), piece.size()});
        std::size_t begin = 0;
        while (begin < pieces.size() && messages_.size() < cla::kMostMessages) {
            const std::size_t end = cla::end_of_message(begin, pieces.size(), offload_,
                                                        [&](auto at) { return pieces[at].size(); });
            const auto segment =
                static_cast<std::uint32_t>(end - begin > 1 ? pieces[begin].size() : 0);
            messages_.push_back(
                {std::span(vectors_).subspan(begin, end - begin), segment, &*peer_});
            begin = end;
        }
    }

    std::size_t wait_writable() {
        blocked_ = true;
        socket_.async_wait(udp::socket::wait_write, [this](const auto &error) {
            blocked_ = false;
            if (!error) deliver();
        });
        return 0;
    }

    udp::socket socket_;
    WireAlarm alarm_;
    Wire &into_;
    Wire &out_of_;
    End *other_ = nullptr;
    std::optional<DatagramAddress> peer_;
    bool peer_fixed_ = false;
    bool offload_;
    bool blocked_ = false;
    std::uint64_t unknown_ = 0;
    Bytes room_;
    std::vector<iovec> vectors_;
    std::vector<cla::OutgoingMessage> messages_;
};

class UdpRelay final : public Relay {
public:
    UdpRelay(udp::socket near, udp::socket far, const UdpOptions &options, const Profiles &profiles)
        : forth_(profiles.forth, emulation::Carries::kDatagrams, profiles.seed, monotonic_now()),
          back_(profiles.back, emulation::Carries::kDatagrams, ~profiles.seed, monotonic_now()),
          near_(std::move(near), forth_, back_, options.offload),
          far_(std::move(far), back_, forth_, options.offload) {
        near_.start(far_);
        far_.start(near_);
    }

    void set_ends(const std::optional<udp::endpoint> &near, const udp::endpoint &target) {
        if (near) near_.set_peer(DatagramAddress(*near), true);
        far_.set_peer(DatagramAddress(target), true);
        target_ = target;
    }

    [[nodiscard]] Totals totals() const override {
        Totals totals{forth_.counters(), back_.counters(), 0, 0, 0};
        totals.unknown = near_.unknown();
        totals.dropped = std::uint64_t{near_.dropped()} + far_.dropped();
        return totals;
    }
    [[nodiscard]] std::string description() const override {
        std::ostringstream text;
        text << "udp " << near_.socket().local_endpoint() << " -> " << target_ << " from "
             << far_.socket().local_endpoint();
        return text.str();
    }
    [[nodiscard]] std::vector<std::uint16_t> ports() const override {
        return {near_.socket().local_endpoint().port(), far_.socket().local_endpoint().port()};
    }

private:
    Wire forth_;
    Wire back_;
    mutable End near_;
    mutable End far_;
    udp::endpoint target_;
};

Result<udp::socket, std::string> bound(boost::asio::io_context &io, const udp::endpoint &address,
                                       const UdpOptions &options) {
    udp::socket socket(io);
    boost::system::error_code error;
    socket.open(address.protocol(), error);
    if (!error) socket.bind(address, error);
    if (!error) socket.non_blocking(true, error);
    if (error) {
        std::ostringstream text;
        text << "cannot bind " << address << ": " << error.message();
        return fail(text.str());
    }
    cla::set_receive_buffer(socket.native_handle(), options.socket_buffer_bytes);
    cla::set_send_buffer(socket.native_handle(), options.socket_buffer_bytes);
    return socket;
}

}  // namespace

RelayResult make_udp_relay(boost::asio::io_context &io, const UdpOptions &options,
                           const Profiles &profiles) {
    const auto listen = resolve<udp>(io, options.listen);
    if (!listen) return fail(listen.error());
    const auto target = resolve<udp>(io, options.to);
    if (!target) return fail(target.error());
    auto from = Result<udp::endpoint, std::string>(udp::endpoint(target->protocol(), 0));
    if (!options.from.empty()) from = resolve<udp>(io, options.from);
    if (!from) return fail(from.error());
    std::optional<udp::endpoint> near_end;
    if (!options.near.empty()) {
        const auto found = resolve<udp>(io, options.near);
        if (!found) return fail(found.error());
        near_end = *found;
    }
    auto near = bound(io, *listen, options);
    if (!near) return fail(near.error());
    auto far = bound(io, *from, options);
    if (!far) return fail(far.error());
    auto relay = std::make_unique<UdpRelay>(std::move(*near), std::move(*far), options, profiles);
    relay->set_ends(near_end, *target);
    return relay;
}

}  // namespace farlink::linkemu
