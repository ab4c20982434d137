// SPDX-License-Identifier: Apache-2.0
// A TCPCLv4 sender without the code under test: it keeps each bundle until its final XFER_ACK, and
// sends it again over the next session when the session ends before.
// Owned by the test, whose loop waits for fd() and calls step(); one thread.
// It reads a broken session to its end, so that acknowledgements in flight count. An option makes
// it ignore refusals.
#pragma once

#include <poll.h>

#include <map>

#include "tests/support/crash_book.hpp"
#include "tests/support/hand_made.hpp"
#include "tests/support/tcp_peer.hpp"
#include "tests/support/tcpclv4_stream.hpp"

namespace farlink::test {

class HandSender {
public:
    HandSender(CrashBook &book, std::uint64_t seed) : book_(book), random_(seed) {}

    /// Opens a session; false when the node does not listen.
    bool connect(std::uint16_t port) {
        try {
            peer_ = TcpPeer::connect(port);
        } catch (const std::runtime_error &) {
            return false;
        }
        out_ = v4::contact() + v4::session_init(1 << 20, 1 << 30, "ipn:71.0");
        said_ = 0;
        stream_ = {};
        next_transfer_ = 0;
        open_ = closing_ = false;
        refusals_before_ = refusals_;
        return true;
    }
    [[nodiscard]] int fd() const { return peer_.fd(); }
    [[nodiscard]] bool connected() const { return peer_.fd() >= 0; }
    [[nodiscard]] short events() const {
        return static_cast<short>(said_ < out_.size() || may_send() ? POLLIN | POLLOUT : POLLIN);
    }
    /// Whether new bundles are made; those without an acknowledgement are sent in any case.
    void set_making(bool making) { making_ = making; }
    /// All bundles that it has made are acknowledged, and no bundle lacks fragments.
    [[nodiscard]] bool done() const {
        return unsafe_.empty() && again_.empty() && !book_.unfinished();
    }
    [[nodiscard]] std::uint64_t refusals() const { return refusals_; }
    /// Transfers that it has in flight at most.
    void set_window(std::size_t transfers) { most_unsafe_ = transfers; }
    /// After this many refusals in a session it neither sends nor receives in that session.
    void freeze_after(std::uint64_t refusals) { freezes_after_ = refusals; }
    [[nodiscard]] bool frozen() const {
        return freezes_after_ > 0 && refusals_ - refusals_before_ >= freezes_after_;
    }

    /// Receives and sends without waiting.
    void step() {
        if (!connected() || frozen()) return;
        handle();
        for (int turn = 0; turn < 16 && connected() && !frozen(); ++turn) {
            if (said_ == out_.size()) compose();
            if (said_ == out_.size()) return;
            const std::size_t taken = peer_.send(ByteView(out_).subspan(said_));
            if (taken == 0) return;
            said_ += taken;
        }
    }
    /// The node has ended: receives the octets in flight.
    void lose() {
        while (connected()) handle();
    }

private:
    static constexpr std::size_t kMostUnsafeBytes = 8'000'000;

    struct Sent {
        std::uint64_t number = 0;
        std::size_t bytes = 0;
    };

    [[nodiscard]] bool may_send() const {
        return open_ && !closing_ && unsafe_.size() < most_unsafe_ &&
               unsafe_bytes_ < kMostUnsafeBytes &&
               (making_ || !again_.empty() || book_.unfinished());
    }
    /// The next transfer, in one segment or several.
    void compose() {
        out_.clear();
        said_ = 0;
        if (!may_send()) return;
        std::uint64_t number = 0;
        if (again_.empty()) {
            number = book_.make();
        } else {
            number = again_.front();
            again_.pop_front();
        }
        const Bytes bundle = book_.octets(number);
        const std::size_t segment = 500 + random_.below(200'000);
        for (std::size_t at = 0; at < bundle.size(); at += segment) {
            const ByteView part =
                ByteView(bundle).subspan(at).first(std::min(segment, bundle.size() - at));
            const unsigned flags =
                (at == 0 ? 2U : 0U) | (at + part.size() == bundle.size() ? 1U : 0U);
            append(out_, v4::segment_head(flags, next_transfer_, part.size()));
            append(out_, part);
        }
        unsafe_[next_transfer_++] = {number, bundle.size()};
        unsafe_bytes_ += bundle.size();
    }
    void handle() {
        for (;;) {
            const Bytes octets = peer_.receive(64 * 1024);
            if (octets.empty()) break;
            ByteView rest(octets);
            while (!rest.empty()) {
                const auto taken = stream_.take(rest);
                rest = rest.subspan(taken.octets);
                if (taken.complete) handle_message();
            }
        }
        if (peer_.ended()) end();
    }
    void handle_message() {
        using cla::tcpclv4::MessageType;
        const Bytes head(stream_.head().begin(), stream_.head().end());
        if (!stream_.type()) return;
        switch (*stream_.type()) {
            case MessageType::kSessInit:
                open_ = true;
                return;
            case MessageType::kXferAck:
                if ((head[1] & cla::tcpclv4::kSegmentEnd) != 0)
                    acknowledge(load_be<std::uint64_t>(head.data() + 2), true);
                return;
            case MessageType::kXferRefuse:
                ++refusals_;
                acknowledge(load_be<std::uint64_t>(head.data() + 2), false);
                return;
            case MessageType::kSessTerm:
                // RFC 9174 section 6.1: a transfer that has begun may be finished.
                if (!std::exchange(closing_, true)) append(out_, from_hex("050100"));
                return;
            default:
                return;
        }
    }
    void acknowledge(std::uint64_t transfer, bool safe) {
        const auto sent = unsafe_.find(transfer);
        if (sent == unsafe_.end()) return;
        if (safe)
            book_.acknowledge(sent->second.number);
        else
            again_.push_back(sent->second.number);
        unsafe_bytes_ -= sent->second.bytes;
        unsafe_.erase(sent);
    }
    void end() {
        peer_ = {};
        for (auto sent = unsafe_.rbegin(); sent != unsafe_.rend(); ++sent)
            again_.push_front(sent->second.number);
        unsafe_.clear();
        unsafe_bytes_ = 0;
        out_.clear();
        said_ = 0;
    }

    CrashBook &book_;
    Random random_;
    TcpPeer peer_;
    Tcpclv4Stream stream_;
    Bytes out_;
    std::size_t said_ = 0;  ///< octets of out_ that are sent
    std::uint64_t next_transfer_ = 0;
    std::map<std::uint64_t, Sent> unsafe_;  ///< by transfer
    std::size_t unsafe_bytes_ = 0;
    std::deque<std::uint64_t> again_;  ///< numbers of bundles
    std::uint64_t refusals_ = 0;
    std::uint64_t refusals_before_ = 0;  ///< in earlier sessions
    std::uint64_t freezes_after_ = 0;    ///< 0: never
    std::size_t most_unsafe_ = 200;
    bool open_ = false;
    bool closing_ = false;
    bool making_ = true;
};

}  // namespace farlink::test
