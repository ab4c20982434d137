// SPDX-License-Identifier: Apache-2.0
// A next hop without the code under test, by TCPCLv4 or STCP, which disconnects and reconnects. It
// records each bundle in a CrashBook, and then acknowledges it, at once or late.
// Owned by the test, whose loop waits for its descriptors and calls step(); one thread.
// It keeps its port while it is disconnected. By STCP the sender closes first: the sink must read
// all octets that its kernel has acknowledged.
#pragma once

#include <memory>

#include "tests/support/crash_book.hpp"
#include "tests/support/hand_made.hpp"
#include "tests/support/reserved_port.hpp"
#include "tests/support/stcp_stream.hpp"
#include "tests/support/tcpclv4_stream.hpp"

namespace farlink::test {

class HandSink {
public:
    HandSink(CrashBook &book, std::uint64_t node, bool acknowledges)
        : book_(book), node_(node), acknowledges_(acknowledges) {}

    [[nodiscard]] std::uint16_t port() const { return port_.number(); }
    [[nodiscard]] std::uint64_t node() const { return node_; }
    [[nodiscard]] bool present() const { return listener_ != nullptr; }
    void come() {
        if (!present()) listener_ = std::make_unique<TcpListener>(port());
    }
    /// Ends its sessions between two messages or in the middle of one.
    void go() {
        listener_.reset();
        for (auto &session : sessions_) {
            if (acknowledges_)
                session->peer.reset();
            else
                session->peer.half_close();
        }
        if (acknowledges_) sessions_.clear();
    }
    /// The delay from the arrival of a bundle to its acknowledgement.
    void set_delay(milliseconds delay) { delay_ = delay; }
    /// The poll events that the loop waits for.
    template <class List>
    void add_descriptors(List &list) const {
        if (present()) list.push_back({listener_->fd(), POLLIN, 0});
        for (const auto &session : sessions_) list.push_back({session->peer.fd(), POLLIN, 0});
    }
    void step() {
        if (present())
            while (auto peer = listener_->accept()) {
                sessions_.push_back(std::make_unique<Session>(std::move(*peer)));
                if (!acknowledges_) continue;
                const std::string name = "ipn:" + std::to_string(node_) + ".0";
                sessions_.back()->out = v4::contact() + v4::session_init(1 << 22, 1 << 30, name);
            }
        for (auto &session : sessions_) {
            handle(*session);
            say(*session);
        }
        std::erase_if(sessions_, [](const auto &session) { return session->peer.ended(); });
    }

private:
    struct Answer {
        TimePoint due;
        Bytes octets;
    };
    struct Session {
        explicit Session(TcpPeer from) : peer(std::move(from)) {}
        TcpPeer peer;
        Tcpclv4Stream stream;
        Bytes in;   ///< the received part of a bundle; of STCP, frames
        Bytes out;  ///< octets to send
        std::deque<Answer> answers;
    };

    void handle(Session &session) {
        for (int turn = 0; turn < 16; ++turn) {
            const Bytes octets = session.peer.receive(256 * 1024);
            if (octets.empty()) return;
            if (acknowledges_)
                handle_messages(session, octets);
            else
                handle_frames(session, octets);
        }
    }
    void handle_frames(Session &session, ByteView octets) {
        append(session.in, octets);
        for (const Bytes &bundle : take_frames(session.in)) book_.deliver(bundle, node_);
    }
    void handle_messages(Session &session, ByteView octets) {
        using cla::tcpclv4::MessageType;
        while (!octets.empty()) {
            const auto taken = session.stream.take(octets);
            append(session.in, octets.subspan(taken.octets - taken.data, taken.data));
            octets = octets.subspan(taken.octets);
            if (!taken.complete) continue;
            if (session.stream.type() == MessageType::kXferSegment) handle_segment(session);
            if (session.stream.type() == MessageType::kSessTerm)
                append(session.out, from_hex("050100"));
        }
    }
    void handle_segment(Session &session) {
        const auto segment = cla::tcpclv4::decode_segment(session.stream.head());
        if (!segment) return;
        if (segment->ends()) book_.deliver(session.in, node_);
        const Bytes ack = big_endian(2, 1) + big_endian(segment->flags, 1) +
                          big_endian(segment->id, 8) + big_endian(session.in.size(), 8);
        session.answers.push_back({monotonic_now() + delay_, ack});
        if (segment->ends()) session.in.clear();
    }
    void say(Session &session) const {
        const TimePoint now = monotonic_now();
        while (!session.answers.empty() && session.answers.front().due <= now) {
            append(session.out, session.answers.front().octets);
            session.answers.pop_front();
        }
        const std::size_t said = session.peer.send(session.out);
        session.out.erase(session.out.begin(),
                          session.out.begin() + static_cast<std::ptrdiff_t>(said));
    }

    CrashBook &book_;
    std::uint64_t node_;
    bool acknowledges_;
    ReservedPort port_;
    std::unique_ptr<TcpListener> listener_;
    std::vector<std::unique_ptr<Session>> sessions_;
    milliseconds delay_{0};
};

}  // namespace farlink::test
