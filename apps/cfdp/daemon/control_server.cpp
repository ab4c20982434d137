// SPDX-License-Identifier: Apache-2.0
#include "apps/cfdp/daemon/control_server.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "apps/cfdp/daemon/commands.hpp"
#include "common/runtime/socket_path.hpp"

namespace farlink::cfdpd {
namespace {

using Protocol = boost::asio::local::stream_protocol;

constexpr std::size_t kLongestLine = 64 * 1024;
constexpr std::size_t kMostConnections = 64;
constexpr mode_t kOthers = 0177;

class Connection : public std::enable_shared_from_this<Connection> {
public:
    Connection(Protocol::socket socket, std::shared_ptr<Daemon> daemon,
               std::shared_ptr<std::size_t> open)
        : socket_(std::move(socket)), daemon_(std::move(daemon)), open_(std::move(open)) {
        ++*open_;
    }
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;
    ~Connection() { --*open_; }

    void read() {
        boost::asio::async_read_until(
            socket_, boost::asio::dynamic_buffer(input_, kLongestLine), '\n',
            [self = shared_from_this()](const boost::system::error_code &error, std::size_t size) {
                if (!error) self->answer(size);
            });
    }

private:
    void answer(std::size_t size) {
        output_ = reply_to(*daemon_, std::string_view(input_).substr(0, size)) + '\n';
        input_.erase(0, size);
        boost::asio::async_write(
            socket_, boost::asio::buffer(output_),
            [self = shared_from_this()](const boost::system::error_code &error, std::size_t) {
                if (!error) self->read();
            });
    }

    Protocol::socket socket_;
    std::shared_ptr<Daemon> daemon_;
    std::shared_ptr<std::size_t> open_;
    std::string input_;
    std::string output_;
};

}  // namespace

std::string ControlServer::listen(const std::string &path) {
    if (std::string wrong = make_room_for_socket(path); !wrong.empty()) return wrong;
    boost::system::error_code error;
    acceptor_.open(Protocol(), error);
    const mode_t before = ::umask(kOthers);
    if (!error) acceptor_.bind(Protocol::endpoint(path), error);
    ::umask(before);
    if (!error) acceptor_.listen(boost::asio::socket_base::max_listen_connections, error);
    if (error) return path + ": " + error.message();
    path_ = path;
    accept();
    return {};
}

void ControlServer::close() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    if (!path_.empty()) ::unlink(path_.c_str());
}

void ControlServer::accept() {
    acceptor_.async_accept(
        [weak = weak_from_this()](const boost::system::error_code &error, Protocol::socket socket) {
            const auto self = weak.lock();
            if (!self || !self->acceptor_.is_open()) return;
            if (!error && *self->open_ < kMostConnections)
                std::make_shared<Connection>(std::move(socket), self->daemon_, self->open_)->read();
            self->accept();
        });
}

}  // namespace farlink::cfdpd
