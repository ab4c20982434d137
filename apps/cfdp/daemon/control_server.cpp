// SPDX-License-Identifier: Apache-2.0
#include "apps/cfdp/daemon/control_server.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/write.hpp>
#include <utility>
#include <vector>

#include "apps/cfdp/daemon/commands.hpp"
#include "common/files/octet_files.hpp"
#include "common/runtime/socket_path.hpp"

namespace farlink::cfdpd {
namespace {

using Protocol = boost::asio::local::stream_protocol;

constexpr std::size_t kLongestLine = 64 * 1024;
constexpr std::size_t kReadBytes = 64 * 1024;
/// Answered together; others have their turn then.
constexpr std::size_t kMostLines = 512;
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
        socket_.async_read_some(
            boost::asio::buffer(space_),
            [self = shared_from_this()](const boost::system::error_code &error, std::size_t size) {
                if (error) return;
                self->input_.append(self->space_.data(), size);
                self->answer_lines();
            });
    }

private:
    // Lines that have come together are answered together: their transactions share a sync.
    void answer_lines() {
        std::size_t begin = 0;
        for (std::size_t lines = 0; lines < kMostLines; ++lines) {
            const std::size_t end = input_.find('\n', begin);
            if (end == std::string::npos) break;
            replies_.push_back(
                reply_to(*daemon_, std::string_view(input_).substr(begin, end - begin)));
            begin = end + 1;
        }
        input_.erase(0, begin);
        daemon_->pump();
        if (replies_.empty()) {
            // A longer line is none of farlink-cfdp.
            if (input_.size() < kLongestLine) read();
            return;
        }
        if (std::ranges::none_of(replies_, [](const Reply &each) { return bool(each.begun); }))
            return write();
        daemon_->when_saved([self = shared_from_this()](int error) {
            if (error != 0) self->refuse_begun(files::reason_of(error));
            self->write();
        });
    }

    void refuse_begun(const std::string &reason) {
        for (Reply &each : replies_) {
            if (!each.begun) continue;
            (void)daemon_->entity().cancel(*each.begun, monotonic_now());
            each = unsaved_reply(reason);
        }
        daemon_->pump();
    }

    void write() {
        output_.clear();
        for (const Reply &each : replies_) output_ += each.text;
        replies_.clear();
        boost::asio::async_write(
            socket_, boost::asio::buffer(output_),
            [self = shared_from_this()](const boost::system::error_code &error, std::size_t) {
                if (!error) self->answer_lines_or_read();
            });
    }

    void answer_lines_or_read() {
        input_.find('\n') == std::string::npos ? read() : answer_lines();
    }

    Protocol::socket socket_;
    std::shared_ptr<Daemon> daemon_;
    std::shared_ptr<std::size_t> open_;
    std::array<char, kReadBytes> space_{};
    std::string input_;
    std::vector<Reply> replies_;
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
