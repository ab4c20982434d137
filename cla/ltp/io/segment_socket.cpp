// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/io/segment_socket.hpp"

#include <boost/asio/post.hpp>
#include <utility>

namespace farlink::cla::ltp {

using boost::asio::ip::udp;

boost::system::error_code SegmentSocket::open(const udp::endpoint &local) {
    boost::system::error_code error;
    socket_.open(local.protocol(), error);
    if (!error) socket_.non_blocking(true, error);
    if (!error) socket_.bind(local, error);
    if (error) abandon();
    return error;
}

void SegmentSocket::abandon() {
    mark_closed();
    boost::system::error_code ignored;
    socket_.close(ignored);
}

std::uint16_t SegmentSocket::port() const {
    boost::system::error_code ignored;
    return socket_.local_endpoint(ignored).port();
}

void SegmentSocket::wait_readable() {
    if (waiting_readable_ || !is_open()) return;
    waiting_readable_ = true;
    socket_.async_wait(udp::socket::wait_read,
                       while_open(*this, [](SegmentSocket &self, const auto &error) {
                           self.waiting_readable_ = false;
                           if (!error) self.user_.on_readable();
                       }));
}

void SegmentSocket::wait_writable() {
    blocked_ = true;
    socket_.async_wait(udp::socket::wait_write,
                       while_open(*this, [](SegmentSocket &self, const auto &error) {
                           if (error) return;
                           self.blocked_ = false;
                           self.user_.on_writable();
                       }));
}

void SegmentSocket::post_turn() {
    if (std::exchange(turn_posted_, true)) return;
    boost::asio::post(socket_.get_executor(), while_open(*this, [](SegmentSocket &self) {
                          self.turn_posted_ = false;
                          self.user_.on_turn();
                      }));
}

}  // namespace farlink::cla::ltp
