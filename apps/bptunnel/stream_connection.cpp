// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/stream_connection.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/write.hpp>
#include <utility>

namespace farlink::bptunnel {
namespace {

using boost::asio::ip::tcp;

constexpr std::size_t kReadBytes = 64 * 1024;

}  // namespace

void StreamConnection::start() {
    boost::system::error_code ignored;
    socket_.non_blocking(true, ignored);
    socket_.set_option(tcp::no_delay(true), ignored);
    started_ = true;
    move();
}

void StreamConnection::move() {
    if (!started_ || closed_) return;
    read();
    write();
}

void StreamConnection::read() {
    const auto owner = owner_.lock();
    if (!owner || closed_ || reading_ || read_ended_ || owner->may_send(stream_) == 0) return;
    reading_ = true;
    socket_.async_wait(tcp::socket::wait_read,
                       [self = shared_from_this()](const boost::system::error_code &error) {
                           self->reading_ = false;
                           if (self->closed_) return;
                           if (error) return self->fail();
                           self->handle_readable();
                       });
}

void StreamConnection::handle_readable() {
    const auto owner = owner_.lock();
    if (!owner) return;
    std::array<std::uint8_t, kReadBytes> space;
    const auto most =
        static_cast<std::size_t>(std::min<std::uint64_t>(space.size(), owner->may_send(stream_)));
    if (most == 0) return;
    boost::system::error_code error;
    const std::size_t size = socket_.read_some(boost::asio::buffer(space.data(), most), error);
    if (size > 0) owner->send(stream_, ByteView(space).first(size));
    if (error == boost::asio::error::eof) {
        read_ended_ = true;
        owner->send_end(stream_);
        return finish_if_ended();
    }
    if (error && error != boost::asio::error::would_block) return fail();
    read();
}

void StreamConnection::write() {
    const auto owner = owner_.lock();
    if (!owner || closed_ || writing_ || write_ended_) return;
    chunk_ = owner->take_ready(stream_);
    if (chunk_.empty()) {
        if (owner->ended(stream_)) end_writing();
        return;
    }
    writing_ = true;
    boost::asio::async_write(
        socket_, boost::asio::buffer(chunk_),
        [self = shared_from_this()](const boost::system::error_code &error, std::size_t size) {
            self->writing_ = false;
            if (self->closed_) return;
            if (error) return self->fail();
            if (const auto stream = self->owner_.lock()) stream->used(self->stream_, size);
            self->write();
        });
}

void StreamConnection::end_writing() {
    write_ended_ = true;
    boost::system::error_code ignored;
    socket_.shutdown(tcp::socket::shutdown_send, ignored);
    finish_if_ended();
}

void StreamConnection::finish_if_ended() {
    if (!read_ended_ || !write_ended_) return;
    const auto owner = owner_.lock();
    if (owner) owner->finished(stream_);
}

void StreamConnection::fail() {
    if (const auto owner = owner_.lock()) owner->broken(stream_);
}

void StreamConnection::abort() {
    boost::system::error_code ignored;
    socket_.set_option(boost::asio::socket_base::linger(true, 0), ignored);
    close();
}

void StreamConnection::close() {
    closed_ = true;
    boost::system::error_code ignored;
    socket_.close(ignored);
}

}  // namespace farlink::bptunnel
