// SPDX-License-Identifier: Apache-2.0
#include "module/applications/app_connection.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <boost/asio/post.hpp>
#include <cerrno>

#include "common/base/endpoint_links.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::applications {
namespace {

using boost::asio::posix::stream_descriptor;

constexpr std::size_t kReadPerTurn = 1024 * 1024;
constexpr std::size_t kWriteBytes = 1024 * 1024;
constexpr std::size_t kWriteEntries = 256;
/// What waits longer for the rest of its ADU leaves the shared slab.
constexpr milliseconds kCompactAfter{10};
constexpr milliseconds kMemoryAgain{20};
/// How long the last octets may take, such as the reason of a refusal.
constexpr seconds kLinger{5};

bool would_wait(int error) {
    return error == EAGAIN || error == EWOULDBLOCK;
}

}  // namespace

AppConnection::AppConnection(Host &host, AppSession &session, FileDescriptor socket)
    : host_(host),
      session_(session),
      socket_(host.io, socket.release()),
      timer_(host.io),
      hold_(host.buffer.shares(), LinkId{kFirstEndpointLink}, session.identity().name(), false,
            [this] { give_up_later(); }) {
    hold_.share_name();
}

void AppConnection::start() {
    write();
    read_when_ready();
    arm();
}

void AppConnection::handle_touched() {
    if (session_.ended()) release_memory();
    write();
    if (over_) return;
    if (session_.may_resume()) host_.core.handle_bytes(session_, 0, host_.buffer, monotonic_now());
    if (!waits_to_read_ && memory_due_ == kNever) read_when_ready();
    arm();
}

// ---- reading

void AppConnection::read_when_ready() {
    if (waits_to_read_ || over_) return;
    const TimePoint now = monotonic_now();
    const bool wanted = session_.wants_read(now);
    if (wanted && stopped_reading_) session_.excuse_silence(now);
    if (wanted != !stopped_reading_) hold_.set_excused(!wanted, now);
    stopped_reading_ = !wanted;
    if (!wanted) return;
    waits_to_read_ = true;
    socket_.async_wait(stream_descriptor::wait_read,
                       cla::while_open(*this, [](AppConnection &self, const auto &error) {
                           self.waits_to_read_ = false;
                           if (!error) self.read();
                       }));
}

void AppConnection::read() {
    const TimePoint now = monotonic_now();
    budget_ = kReadPerTurn;
    host_.buffer.begin_read(&hold_, now);
    while (budget_ > 0 && !over_ && session_.wants_read(now) && read_once(now))
        hold_.update(session_.held_bytes(), now);
    hold_.update(session_.held_bytes(), now);
    host_.buffer.end_read();
    host_.buffer.rest();
    compact_due_ = session_.adu().under_way() ? now + kCompactAfter : kNever;
    host_.drain();
    if (closed()) return;
    handle_touched();
}

// False: nothing more comes now.
bool AppConnection::read_once(TimePoint now) {
    const MutableBytes space = session_.prepare(host_.buffer);
    if (space.empty()) {
        session_.excuse_silence(now);
        memory_due_ = now + kMemoryAgain;
        return false;
    }
    const ssize_t size = ::recv(socket_.native_handle(), space.data(), space.size(), MSG_DONTWAIT);
    if (size > 0) {
        const auto octets = static_cast<std::size_t>(size);
        host_.core.handle_bytes(session_, octets, host_.buffer, now);
        budget_ -= std::min(budget_, octets);
        return octets == space.size();
    }
    if (size < 0 && (would_wait(errno) || errno == EINTR)) return false;
    over_ = true;
    return false;
}

// ---- writing

void AppConnection::write() {
    std::array<iovec, kWriteEntries> pieces;
    TxQueue &queue = session_.queue();
    while (!waits_to_write_ && !over_ && queue.pending() > 0) {
        msghdr message{};
        message.msg_iov = pieces.data();
        message.msg_iovlen = queue.gather(pieces, kWriteBytes);
        const ssize_t size =
            ::sendmsg(socket_.native_handle(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (size >= 0) {
            queue.written(static_cast<std::uint64_t>(size));
            host_.core.handle_written(session_, monotonic_now());
        } else if (would_wait(errno)) {
            write_when_ready();
        } else if (errno != EINTR) {
            over_ = true;
        }
    }
    if (over_ || (session_.ended() && queue.pending() == 0)) return finish();
    if (session_.ended() && linger_due_ == kNever) linger_due_ = monotonic_now() + kLinger;
}

void AppConnection::write_when_ready() {
    waits_to_write_ = true;
    socket_.async_wait(stream_descriptor::wait_write,
                       cla::while_open(*this, [](AppConnection &self, const auto &error) {
                           self.waits_to_write_ = false;
                           if (error) return;
                           self.write();
                           self.host_.drain();
                           if (!self.closed()) self.handle_touched();
                       }));
}

// Not from inside of a call of the core.
void AppConnection::finish() {
    over_ = true;
    boost::asio::post(host_.io, cla::while_open(*this, [](AppConnection &self) {
                          self.host_.closed(self.session_.id());
                      }));
}

// The caller reads another connection. The peer of this one may be silent for ever.
void AppConnection::give_up_later() {
    boost::asio::post(host_.io,
                      cla::while_open(*this, [](AppConnection &self) { self.give_up(); }));
}

void AppConnection::give_up() {
    if (over_) return;
    session_.end("the ADU arrives too slowly while other ADUs need its memory");
    host_.core.handle_timeout(session_, monotonic_now());
    host_.drain();
    if (!closed()) handle_touched();
}

// The last octets may wait for the peer for some time.
void AppConnection::release_memory() {
    hold_.update(session_.held_bytes(), monotonic_now());
    host_.buffer.finished(session_.id());
    memory_due_ = compact_due_ = kNever;
}

// ---- time

void AppConnection::arm() {
    if (over_) return;
    const TimePoint now = monotonic_now();
    TimePoint due = std::min({session_.next_timeout(), compact_due_, memory_due_, linger_due_});
    if (!session_.wants_read(now) && session_.read_due() > now)
        due = std::min(due, session_.read_due());
    if (due == armed_) return;
    armed_ = due;
    if (due == kNever) {
        timer_.cancel();
        return;
    }
    timer_.expires_at(due);
    timer_.async_wait(cla::while_open(*this, [](AppConnection &self, const auto &error) {
        if (error) return;
        self.armed_ = kNever;
        self.handle_due();
    }));
}

void AppConnection::handle_due() {
    const TimePoint now = monotonic_now();
    if (linger_due_ <= now) {
        over_ = true;
        return finish();
    }
    if (compact_due_ <= now) compact_due_ = compact(now) ? kNever : now + kCompactAfter;
    if (memory_due_ <= now) {
        memory_due_ = kNever;
        return read();
    }
    host_.core.handle_timeout(session_, now);
    host_.drain();
    if (!closed()) handle_touched();
}

bool AppConnection::compact(TimePoint) {
    return session_.adu().compact(host_.buffer.pool());
}

void AppConnection::abandon() {
    mark_closed();
    over_ = true;
    boost::system::error_code ignored;
    socket_.close(ignored);
    timer_.cancel();
}

}  // namespace farlink::applications
