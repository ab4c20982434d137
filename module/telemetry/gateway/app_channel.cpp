// SPDX-License-Identifier: Apache-2.0
#include "module/telemetry/gateway/app_channel.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace farlink::telemetry {

namespace asio = boost::asio;
using boost::system::error_code;
using client::ErrorCode;

void AppChannel::start(const std::string &path, Hooks hooks) {
    hooks_ = std::move(hooks);
    socket_.async_connect(path, [self = shared_from_this()](const error_code &error) {
        if (self->closed_) return;
        if (error)
            return self->end({ErrorCode::kConnectionLost,
                              "cannot connect to the module applications: " + error.message()});
        self->connected_ = true;
        self->read();
        self->write_waiting();
    });
}

void AppChannel::close() {
    if (std::exchange(closed_, true)) return;
    // This may be called by a hook.
    asio::post(socket_.get_executor(), [self = shared_from_this()] { self->hooks_ = {}; });
    error_code ignored;
    // What was about to leave, such as the acceptance of a bundle.
    if (posted_) {
        socket_.non_blocking(true, ignored);
        socket_.write_some(asio::buffer(waiting_), ignored);
    }
    socket_.close(ignored);
}

void AppChannel::set_reading(bool wanted) {
    wants_read_ = wanted;
    if (connected_ && !closed_) read();
}

void AppChannel::read() {
    if (reads_ || !wants_read_) return;
    reads_ = true;
    space_.resize(kReadBytes);
    socket_.async_read_some(asio::buffer(space_), [self = shared_from_this()](
                                                      const error_code &error, std::size_t size) {
        self->reads_ = false;
        if (self->closed_) return;
        if (error)
            return self->end(
                {ErrorCode::kConnectionLost, "the module applications closed the connection"});
        self->handle_read(size);
    });
}

void AppChannel::handle_read(std::size_t size) {
    const bool was_ready = session_.ready();
    if (const auto error = session_.feed(client::Octets(space_).first(size))) return end(*error);
    write(session_.take_output());
    if (!was_ready && session_.ready()) hooks_.ready();
    if (!closed_) hooks_.data();
    if (!closed_) read();
}

void AppChannel::write(client::Octets octets) {
    waiting_.insert(waiting_.end(), octets.begin(), octets.end());
    if (connected_ && !closed_) post_write();
}

// The module applications handles what arrives together with fewer messages.
void AppChannel::post_write() {
    if (!leaving_.empty() || waiting_.empty() || std::exchange(posted_, true)) return;
    asio::post(socket_.get_executor(), [self = shared_from_this()] {
        self->posted_ = false;
        if (!self->closed_) self->write_waiting();
    });
}

void AppChannel::write_waiting() {
    if (!leaving_.empty() || waiting_.empty()) return;
    std::swap(leaving_, waiting_);
    asio::async_write(socket_, asio::buffer(leaving_),
                      [self = shared_from_this()](const error_code &error, std::size_t) {
                          // A lost connection is seen by the reader, with what it has to say.
                          if (self->closed_ || error) return;
                          self->leaving_.clear();
                          if (self->waiting_.empty()) return self->hooks_.written();
                          self->write_waiting();
                      });
}

void AppChannel::end(const client::Error &error) {
    if (closed_) return;
    const auto self = shared_from_this();
    close();
    hooks_.ended(error);
}

}  // namespace farlink::telemetry
