// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/ltp_port.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include "cla/io/datagram_options.hpp"
#include "common/base/bit_rate.hpp"
#include "common/base/counted.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/log/suppressed_lines.hpp"
#include "common/runtime/process/freed_memory.hpp"

namespace farlink::cla::ltp {
namespace {

using boost::asio::ip::udp;

/// The largest message, coalesced or not.
constexpr std::size_t kMessageBytes = 64 * 1024;
/// What one read brings at most, estimated from the last one: it fits the processor's cache.
constexpr std::size_t kReadBytes = 512 * 1024;
constexpr std::size_t kLeastMessages = kReadBytes / kMessageBytes;
/// Distance of messages in memory. A power of two would map all of them to few cache sets.
constexpr std::size_t kMessageStride = kMessageBytes + 2048;
/// Reads in one turn; then the other links of the loop get their turns.
constexpr int kReadsPerTurn = 8;
/// Bytes sent in one turn, and polled from the engine at a time.
constexpr std::uint64_t kBytesPerTurn = 2 * 1024 * 1024;
constexpr std::uint64_t kBatchBytes = 256 * 1024;

std::string text_of(const DatagramAddress &address) {
    const udp::endpoint endpoint = address.endpoint();
    return endpoint.address().to_string() + " port " + std::to_string(endpoint.port());
}

/// Engines that are not configured may open one in so many of all sessions.
constexpr std::uint32_t kShareOfUnknown = 4;

/// Incomplete blocks may take three quarters of the loop's memory, so that they never stop its
/// other links. One block may always come.
std::uint64_t receive_limit(const SlabPool &pool, const config::LinkOptions &link) {
    return std::max(pool.limit_bytes() / 4 * 3, link.max_bundle_size_bytes);
}

}  // namespace

LtpPort::PortPeer::PortPeer(LtpPort &port, PeerId peer, const DatagramAddress &peer_address)
    : id(peer),
      address(peer_address),
      rate(port.resources_.io, port.link_.rate_limit, [&port] { port.pump(); }) {}

std::size_t LtpPort::AddressHash::operator()(const DatagramAddress &address) const noexcept {
    const bool v4 = address.any.sa_family == AF_INET;
    const auto *host = v4 ? reinterpret_cast<const char *>(&address.v4.sin_addr)
                          : reinterpret_cast<const char *>(&address.v6.sin6_addr);
    const std::string_view octets(host,
                                  v4 ? sizeof address.v4.sin_addr : sizeof address.v6.sin6_addr);
    const std::uint16_t port = v4 ? address.v4.sin_port : address.v6.sin6_port;
    return std::hash<std::string_view>{}(octets) * 31 + port;
}

LtpPort::LtpPort(LinkResources resources, const config::LinkOptions &link, EngineId own,
                 PortUser &user)
    : resources_(resources),
      link_(link),
      user_(user),
      engine_(
          {own, link.ltp.random_number_bits == 32 ? NumberSize::k32Bits : NumberSize::k64Bits,
           64 * 1024, link.ltp.max_receive_sessions, receive_limit(resources.buffer.pool(), link),
           std::max<std::uint32_t>(link.ltp.max_receive_sessions / kShareOfUnknown, 1)},
          resources.buffer.pool(), random_),
      socket_(make_socket()),
      timer_(make_owned<LinkTimer>(resources.io, [this] { handle_due(); })) {
    engine_.when_given_back([this] { socket_->post_turn(); });
}

LtpPort::~LtpPort() {
    close();
}

// ---- the socket

Owned<SegmentSocket> LtpPort::make_socket() {
    SegmentSocket::User &user = *this;
    return make_owned<SegmentSocket>(resources_.io, user);
}

boost::system::error_code LtpPort::open(const udp::endpoint &local) {
    if (socket_->closed()) socket_ = make_socket();
    if (const auto error = socket_->open(local)) {
        close();
        return error;
    }
    configure();
    socket_->wait_readable();
    return {};
}

void LtpPort::configure() {
    const int fd = socket_->handle();
    // The kernel doubles the size it is asked for, since its bookkeeping lies in the same buffer.
    const std::uint64_t wanted =
        link_.socket_buffer_bytes > 0
            ? link_.socket_buffer_bytes
            : std::uint64_t{link_.ltp.receive_elements} * link_.ltp.data_segment_mtu;
    const std::uint64_t given = set_receive_buffer(fd, wanted);
    set_send_buffer(fd, wanted);
    if (given < wanted)
        log_.warn(
            "link {}: the kernel grants a UDP receive buffer of {} bytes instead of {}; segments "
            "may be lost and sent again; raise the limit with sysctl -w net.core.rmem_max={}, and "
            "restart the node",
            link_.id.value(), given, wanted, wanted);
    offload_ = link_.ltp.segmentation_offload && has_segmentation(fd);
    if (link_.ltp.segmentation_offload) enable_coalescing(fd);
    dropped_before_ = dropped_datagrams(fd);
}

void LtpPort::close() {
    timer_->cancel();
    armed_ = kNever;
    socket_->abandon();
    pumping_ = pump_again_ = false;
    batch_.clear();
    messages_.clear();
    sent_messages_ = 0;
}

// ---- peers

PeerId LtpPort::add_peer(const PeerConfig &config, const DatagramAddress &address) {
    const PeerId peer = engine_.add_peer(config);
    engine_.share_memory(peer, resources_.buffer.shares(), link_.id,
                         address.endpoint().address().to_string());
    peers_[peer] = std::make_unique<PortPeer>(*this, peer, address);
    crowded_ = crowded_ || by_address_.contains(address);
    by_address_[address] = peer;
    engine_.contact_opened(peer, monotonic_now());
    return peer;
}

Counters LtpPort::remove_peer(PeerId peer) {
    const auto removed = peers_.find(peer);
    if (removed == peers_.end()) return {};
    forget_address(removed->second->address, peer);
    if (removed->second->alias) forget_address(*removed->second->alias, peer);
    // Messages to the peer that are not sent yet are dropped.
    if (!messages_.empty() && messages_.front().to == &removed->second->address) {
        batch_.clear();
        messages_.clear();
        sent_messages_ = 0;
    }
    peers_.erase(removed);
    return engine_.remove_peer(peer);
}

void LtpPort::set_alias(PeerId peer, const DatagramAddress &address) {
    PortPeer &sender = *peers_.at(peer);
    if (crowded_ || by_address_.contains(address)) return;
    if (sender.alias) forget_address(*sender.alias, peer);
    sender.alias = address;
    by_address_[address] = peer;
}

// The address may belong to another peer by now.
void LtpPort::forget_address(const DatagramAddress &address, PeerId peer) {
    const auto found = by_address_.find(address);
    if (found != by_address_.end() && found->second == peer) by_address_.erase(found);
}

std::string LtpPort::address_text(PeerId peer) const {
    const auto found = peers_.find(peer);
    if (found == peers_.end()) return "a removed address";
    return text_of(found->second->address);
}

void LtpPort::set_rate(PeerId peer, BitRate rate) {
    const auto found = peers_.find(peer);
    if (found == peers_.end()) return;
    engine_.set_rate(peer, slower_of(link_.rate_limit, rate));
    found->second->contact_rate = rate;
    found->second->pace = engine_.pace(peer);
    found->second->rate.set_contact_rate(slower_of(rate, found->second->pace));
}

void LtpPort::set_owlt(PeerId peer, Duration owlt) {
    engine_.set_timing(peer, {owlt, link_.ltp.margin}, monotonic_now());
    arm_timer();
}

void LtpPort::set_contact(PeerId peer, bool open) {
    if (open)
        engine_.contact_opened(peer, monotonic_now());
    else
        engine_.contact_closed(peer, monotonic_now());
    pump();
}

void LtpPort::pause(PeerId peer, bool paused) {
    engine_.hold_parts(peer, paused, monotonic_now());
    if (!paused) pump();
}

// ---- in

void LtpPort::on_readable() {
    const auto socket = socket_.hold();  // a user may end this port while it works
    bool more = true;
    for (int reads = 0; reads < kReadsPerTurn && more; ++reads) {
        more = read_some();
        pump();
        if (socket->closed()) return;
    }
    resources_.buffer.rest();
    count_drops();
    publish_refusals();
    socket->wait_readable();
}

// True when there may be more. An unconnected socket reports no error but EAGAIN and EINTR.
bool LtpPort::read_some() {
    // All ports of a thread read into the same memory, since the engine copies what it keeps. Most
    // of it is never touched.
    thread_local const auto room =
        std::make_unique_for_overwrite<std::uint8_t[]>(kMostMessages * kMessageStride);
    std::array<IncomingMessage, kMostMessages> space;
    const auto messages = std::span(space).first(messages_at_once_);
    for (std::size_t i = 0; i < messages.size(); ++i)
        messages[i].space = {room.get() + i * kMessageStride, kMessageBytes};
    const int count = receive_datagrams(socket_->handle(), messages);
    if (count <= 0) return count < 0 && errno == EINTR;
    const TimePoint now = monotonic_now();
    const auto taken = messages.first(static_cast<std::size_t>(count));
    std::size_t longest = 1;
    for (const IncomingMessage &message : taken) {
        take(message, now);
        longest = std::max<std::size_t>(longest, message.size);
    }
    const bool more = taken.size() == messages.size();
    messages_at_once_ = std::clamp(kReadBytes / longest, kLeastMessages, kMostMessages);
    return more;
}

void LtpPort::take(const IncomingMessage &message, TimePoint now) {
    ByteView octets = ByteView(message.space).first(message.size);
    const std::optional<PeerId> peer = peer_at(message.from, octets);
    if (!peer) return;
    const std::size_t step = message.segment_size > 0 ? message.segment_size : octets.size();
    while (!octets.empty()) {
        const std::size_t size = std::min(step, octets.size());
        engine_.handle_datagram(*peer, octets.first(size), now);
        octets = octets.subspan(size);
    }
}

std::optional<PeerId> LtpPort::peer_at(const DatagramAddress &from, ByteView datagram) {
    const auto found = by_address_.find(from);
    if (found != by_address_.end() && !crowded_) return found->second;
    if (const auto known = user_.on_foreign_port(from, datagram)) return known;
    if (found != by_address_.end()) return found->second;
    return user_.on_stranger(from, datagram);
}

void LtpPort::count_drops() {
    const std::uint32_t dropped = dropped_datagrams(socket_->handle());
    const std::uint32_t more = dropped - dropped_before_;
    if (more == 0) return;
    dropped_before_ = dropped;
    resources_.host.on_datagrams_lost(link_.id, more);
}

void LtpPort::publish_refusals() {
    if (engine_.refusals() == refusals_published_) return;
    if (!refusals_log_.admit(monotonic_now())) return;
    log_.warn(
        "link {}: {} refused or cancelled, since the limit of sessions or of memory is reached "
        "(ltpMaxExpectedSimultaneousSessions, maxUnsettledBytes, bufferBytes); {} in reception "
        "with {} bytes",
        link_.id.value(), counted(engine_.refusals() - refusals_published_, "LTP block"),
        counted(engine_.sessions_in(), "LTP session"), engine_.held_bytes());
    refusals_published_ = engine_.refusals();
}

// ---- turns

void LtpPort::pump() {
    pump_again_ = true;
    if (pumping_ || !socket_->is_open()) return;
    pumping_ = true;
    const auto socket = socket_.hold();  // a user may end this port while it works
    while (pump_again_) {
        pump_again_ = false;
        publish(*socket);
        if (socket->closed()) return;
        send_all();
    }
    pumping_ = false;
    arm_timer();
}

void LtpPort::publish(const SegmentSocket &socket) {
    bool published = false;
    while (!socket.closed() && engine_.poll_block(block_)) {
        user_.on_block(block_);
        published = true;
    }
    // Views of segments that are not sent yet are valid until the next event is polled.
    while (!socket.closed() && !socket.blocked()) {
        const std::optional<Event> event = engine_.poll_event();
        if (!event) break;
        if (event->type == EventType::kNumbersCut)
            log_.info(
                "link {}: LTP peer at {} truncates session or report numbers to 32 bits; new "
                "session, "
                "checkpoint and report numbers for it have 32 bits, as with "
                "`ltpRandomNumberSizeBits` 32",
                link_.id.value(), address_text(event->peer));
        user_.on_event(*event);
        published = true;
    }
    if (published && !socket.closed()) user_.on_turn_end();
}

void LtpPort::arm_timer() {
    const TimePoint due = engine_.next_timeout();
    // A timer that fires too early finds nothing due and is set anew.
    if (due >= armed_) return;
    armed_ = due;
    timer_->wait_until(due);
}

void LtpPort::handle_due() {
    const auto socket = socket_.hold();  // a user may end this port while it works
    armed_ = kNever;
    engine_.handle_timeout(monotonic_now());
    pump();
    if (!socket->closed()) note_freed_memory(engine_.give_back());
}

// ---- out

void LtpPort::send_all() {
    if (socket_->blocked()) return;
    std::uint64_t budget = kBytesPerTurn;
    auto next = peers_.upper_bound(last_served_);
    for (std::size_t turns = peers_.size(); turns > 0; --turns, ++next) {
        if (next == peers_.end()) next = peers_.begin();
        last_served_ = next->first;
        if (!send_to(*next->second, budget)) return;
        if (budget == 0) return socket_->post_turn();
    }
}

// Without a contact rate the pace that the peer's reports show applies.
void LtpPort::follow_pace(PortPeer &peer) {
    const BitRate pace = engine_.pace(peer.id);
    if (pace == peer.pace) return;
    peer.pace = pace;
    peer.rate.set_contact_rate(slower_of(peer.contact_rate, pace));
}

// False when the kernel has no room.
bool LtpPort::send_to(PortPeer &peer, std::uint64_t &budget) {
    follow_pace(peer);
    while (budget > 0 && engine_.wants_to_send(peer.id)) {
        const std::uint64_t credit = peer.rate.credit(std::min(kBatchBytes, budget));
        if (credit == 0) return true;  // RateLimit calls pump() later
        batch_.clear();
        engine_.poll_segments(peer.id, batch_, credit, monotonic_now());
        if (batch_.empty()) return true;
        peer.rate.take(batch_.rated_bytes());
        budget -= std::min(budget, batch_.bytes());
        build_messages(peer.address);
        if (!send_batch()) return false;
    }
    return true;
}

// Consecutive segments of one size are sent as one message; its last segment may be shorter.
void LtpPort::build_messages(const DatagramAddress &to) {
    messages_.clear();
    vectors_.clear();
    sent_messages_ = 0;
    const auto segments = batch_.segments();
    for (const OutSegment &segment : segments)
        for (const ByteView &piece : batch_.pieces_of(segment))
            vectors_.push_back({const_cast<std::uint8_t *>(piece.data()), piece.size()});
    std::size_t begin = 0;
    while (begin < segments.size()) {
        const std::uint32_t size = segments[begin].size;
        const std::size_t end = end_of_message(begin, segments.size(), offload_, [&](auto at) {
            return std::size_t{segments[at].size};
        });
        const std::size_t first = segments[begin].first_piece;
        const OutSegment &last = segments[end - 1];
        messages_.push_back(
            {std::span(vectors_).subspan(first, last.first_piece + last.piece_count - first),
             end - begin > 1 ? size : 0, &to});
        begin = end;
    }
}

// False when the kernel has no room; on_writable() sends the rest.
bool LtpPort::send_batch() {
    while (sent_messages_ < messages_.size()) {
        const auto waiting = std::span(messages_).subspan(sent_messages_);
        const int count = send_datagrams(socket_->handle(), waiting);
        if (count > 0) {
            sent_messages_ += static_cast<std::size_t>(count);
            continue;
        }
        const int error = errno;
        if (error == EINTR) continue;
        if (error == EAGAIN || error == EWOULDBLOCK || error == ENOBUFS) {
            socket_->wait_writable();
            return false;
        }
        handle_send_error(error);
    }
    messages_.clear();
    sent_messages_ = 0;
    return true;
}

// The segment counts as lost, and LTP repeats lost segments.
void LtpPort::handle_send_error(int error) {
    const bool offloaded = messages_[sent_messages_].segment_size > 0;
    if (offloaded && (error == EINVAL || error == EIO || error == EMSGSIZE)) {
        // The interface does not support messages that the kernel has to segment.
        log_.warn(
            "link {}: UDP segmentation offload failed; passing each LTP segment to the kernel "
            "separately, which takes more processor time",
            link_.id.value());
        offload_ = false;
    } else if (const auto suppressed = errors_log_.admit(monotonic_now())) {
        log_.warn("link {}: cannot send LTP segments to {}: {}{}", link_.id.value(),
                  text_of(*messages_[sent_messages_].to), std::generic_category().message(error),
                  suppressed_lines_text(*suppressed));
    }
    ++sent_messages_;
}

void LtpPort::on_writable() {
    if (send_batch()) pump();
}

}  // namespace farlink::cla::ltp
