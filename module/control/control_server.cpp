// SPDX-License-Identifier: Apache-2.0
#include "module/control/control_server.hpp"

#include <pwd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "common/base/counted.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/socket_path.hpp"

namespace farlink::control {
namespace {

namespace asio = boost::asio;
using Protocol = asio::local::stream_protocol;

constexpr std::size_t kMostClients = 8;
/// A contact plan of 100,000 contacts, in one request or in those of all clients together.
constexpr std::size_t kMostRequestBytes = 16 * 1024 * 1024;
constexpr std::size_t kReadBytes = 64 * 1024;
/// After so long without a request a client is disconnected.
constexpr Duration kIdleTime = seconds(60);
/// Within this time a request must be complete once it has begun, and a reply must be read.
constexpr Duration kTransferTime = seconds(10);

/// After a client could not be accepted.
constexpr Duration kAcceptPause = seconds(1);

constexpr const char *kTooLong = "the request is too long: at most 16 MiB of all clients together";
constexpr const char *kTooMany = "too many clients: at most 8";

std::string error_line(const char *error) {
    return nlohmann::ordered_json{{"ok", false}, {"error", error}}.dump();
}

std::string name_of(uid_t user) {
    std::array<char, 4096> memory{};
    passwd entry{};
    passwd *found = nullptr;
    const int error = ::getpwuid_r(user, &entry, memory.data(), memory.size(), &found);
    return error == 0 && found != nullptr ? found->pw_name : std::to_string(user);
}

std::optional<uid_t> user_of(int descriptor) {
    ucred peer{};
    socklen_t size = sizeof peer;
    if (::getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &peer, &size) != 0) return std::nullopt;
    return peer.uid;
}

}  // namespace

/// One client: reads a request, waits for its reply, writes it, and reads the next.
class ControlServer::Session : public std::enable_shared_from_this<Session> {
public:
    Session(ControlServer &server, Socket socket, Caller caller)
        : server_(server),
          socket_(std::move(socket)),
          timer_(server.io_),
          caller_(std::move(caller)) {}

    void start() { next_request(); }
    /// Nothing of the server is touched after this.
    void close() {
        if (std::exchange(closed_, true)) return;
        server_.buffered_bytes_ -= request_.size();
        boost::system::error_code ignored;
        socket_.close(ignored);
        timer_.cancel();
        server_.sessions_.erase(shared_from_this());
    }

private:
    void next_request() {
        const std::size_t end = request_.find('\n', searched_);
        if (end != std::string::npos) return take_request(end);
        searched_ = request_.size();
        limit_time(request_.empty() ? kIdleTime : time_left());
        read();
    }

    /// A request that comes octet by octet gets no more time than another one.
    [[nodiscard]] Duration time_left() const { return begun_until_ - monotonic_now(); }

    void read() {
        socket_.async_read_some(asio::buffer(input_),
                                [self = shared_from_this()](auto error, std::size_t size) {
                                    if (self->closed_) return;
                                    if (error) return self->close();
                                    self->handle_input(size);
                                });
    }

    void handle_input(std::size_t size) {
        if (server_.buffered_bytes_ + size > kMostRequestBytes)
            return write(error_line(kTooLong), false);
        if (request_.empty()) begun_until_ = monotonic_now() + kTransferTime;
        request_.append(input_.data(), size);
        server_.buffered_bytes_ += size;
        next_request();
    }

    void take_request(std::size_t end) {
        timer_.cancel();
        std::string line;
        if (end + 1 == request_.size()) {  // nearly always; a long request is not copied
            line = std::exchange(request_, {});
            line.pop_back();
        } else {
            line = request_.substr(0, end);
            request_.erase(0, end + 1);
        }
        searched_ = 0;
        server_.buffered_bytes_ -= end + 1;
        begun_until_ = monotonic_now() + kTransferTime;
        server_.handler_(caller_, std::move(line), [client = weak_from_this()](std::string reply) {
            if (const auto self = client.lock()) self->write(std::move(reply));
        });
    }

    void write(std::string reply, bool goes_on = true) {
        reply_ = std::move(reply) + '\n';
        limit_time(kTransferTime);
        asio::async_write(socket_, asio::buffer(reply_),
                          [self = shared_from_this(), goes_on](auto error, std::size_t) {
                              if (self->closed_) return;
                              if (error || !goes_on) return self->close();
                              self->reply_.clear();
                              self->next_request();
                          });
    }

    void limit_time(Duration time) {
        timer_.expires_after(time);
        timer_.async_wait([client = weak_from_this()](auto error) {
            if (error) return;
            if (const auto self = client.lock()) self->close();
        });
    }

    ControlServer &server_;
    Socket socket_;
    asio::steady_timer timer_;
    Caller caller_;
    std::array<char, kReadBytes> input_{};
    std::string request_;  ///< received and not handled yet
    std::size_t searched_ = 0;
    TimePoint begun_until_{};
    std::string reply_;
    bool closed_ = false;
};

ControlServer::ControlServer(asio::io_context &io, std::string path, Handler handler, Admits admits)
    : io_(io),
      path_(std::move(path)),
      handler_(std::move(handler)),
      acceptor_(io),
      pause_(io),
      admits_(std::move(admits)) {}

bool ControlServer::is_own_or_root(uid_t user) {
    return user == 0 || user == ::geteuid();
}

ControlServer::~ControlServer() {
    while (!sessions_.empty()) (*sessions_.begin())->close();
    if (bound_) ::unlink(path_.c_str());
}

std::string ControlServer::open() {
    if (std::string wrong = make_room_for_socket(path_); !wrong.empty()) return wrong;
    boost::system::error_code error;
    acceptor_.open(Protocol(), error);
    // The file gets the mode of the socket. A mask would hold for other threads as well.
    if (!error) (void)::fchmod(acceptor_.native_handle(), S_IRUSR | S_IWUSR);
    if (!error) acceptor_.bind(Protocol::endpoint(path_), error);
    bound_ = !error;
    if (!error) acceptor_.listen(kMostClients, error);
    if (error) return path_ + ": " + error.message();
    accept();
    return {};
}

void ControlServer::accept() {
    acceptor_.async_accept([this](const boost::system::error_code &error, Socket socket) {
        if (error == asio::error::operation_aborted) return;
        if (!error) {
            admit(std::move(socket));
            return accept();
        }
        // Such as: no descriptor is free.
        pause_.expires_after(kAcceptPause);
        pause_.async_wait([this](const boost::system::error_code &cut) {
            if (!cut) accept();
        });
    });
}

void ControlServer::admit(Socket socket) {
    const auto user = user_of(socket.native_handle());
    if (!user) return;
    if (!admits_(*user)) {
        refused_.add();
        refused_user_ = name_of(*user);
        return log_refused();
    }
    boost::system::error_code ignored;
    socket.non_blocking(true, ignored);
    if (sessions_.size() >= kMostClients) {
        socket.write_some(asio::buffer(error_line(kTooMany) + '\n'), ignored);
        return;
    }
    const auto session =
        std::make_shared<Session>(*this, std::move(socket), Caller{*user, name_of(*user)});
    sessions_.insert(session);
    session->start();
}

void ControlServer::log_refused() {
    if (const auto count = refused_.poll(monotonic_now()))
        log_.warn(
            "{} at the control socket refused, most recently of user {}: only the user of the node "
            "and root may give commands",
            counted(*count, "connection"), refused_user_);
}

}  // namespace farlink::control
