// SPDX-License-Identifier: Apache-2.0
#include "module/applications/app_server.hpp"

#include <fcntl.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <boost/asio/ip/address.hpp>
#include <cerrno>
#include <system_error>
#include <utility>

#include "common/config/applications/applications_fields.hpp"
#include "common/config/operations/api_fields.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/log/suppressed_lines.hpp"
#include "common/runtime/socket_path.hpp"
#include "module/applications/peer_credentials.hpp"

namespace farlink::applications {
namespace {

std::string text_of(int error) {
    return std::generic_category().message(error);
}

void send_at_once(int socket) {
    const int on = 1;
    (void)::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

AppServer::AppServer(const config::ApplicationsConfig &config, boost::asio::io_context &io,
                     ReadBuffer &buffer, ApplicationsCore &core, std::function<void()> drain)
    : config_(config),
      host_{io, buffer, core, std::move(drain), [this](UpstreamId id) { remove(id); }} {}

AppServer::~AppServer() {
    close();
    close_all();
}

std::string AppServer::open() {
    if (std::string wrong = wrong_socket_group(config_); !wrong.empty()) return wrong;
    if (!config_.socket.empty() && !config_.socket_group.empty())
        group_ = group_number(config_.socket_group);
    if (!config_.socket.empty())
        if (std::string wrong = open_local(); !wrong.empty())
            return "applications.socket: " + wrong;
    if (!config_.listen.empty())
        if (std::string wrong = open_tcp(); !wrong.empty()) return "applications.listen: " + wrong;
    return {};
}

// Nobody else can connect before the mode and the group are set.
std::string AppServer::open_local() {
    const std::string &path = config_.socket;
    if (std::string wrong = make_room_for_socket(path); !wrong.empty()) return wrong;
    local_ = cla::make_owned<AppListener<Local>>(host_.io, [this](FileDescriptor socket) {
        auto identity = peer_of(socket.get());
        admit(std::move(socket), std::move(identity));
    });
    const auto error = local_->bind(Local::endpoint(path));
    if (error) return path + ": " + error.message();
    bound_ = true;
    if (std::string wrong = give_to_group(); !wrong.empty()) return wrong;
    if (const auto unheard = local_->listen()) return path + ": " + unheard.message();
    return {};
}

std::string AppServer::give_to_group() const {
    const std::string &path = config_.socket;
    if (group_ && ::chown(path.c_str(), static_cast<uid_t>(-1), *group_) != 0)
        return path + ": cannot set the group to " + config_.socket_group + ": " + text_of(errno);
    const std::uint32_t mode = config::parse_mode(config_.socket_mode).value_or(0600);
    if (::chmod(path.c_str(), mode) != 0) return path + ": " + text_of(errno);
    return {};
}

std::string AppServer::open_tcp() {
    const auto listen = config::parse_listen(config_.listen);
    if (!listen) return config_.listen + ": expected address:port";
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address(listen->address, error);
    if (error) return config_.listen + ": " + error.message();
    tcp_ = cla::make_owned<AppListener<Tcp>>(host_.io, [this](FileDescriptor socket) {
        send_at_once(socket.get());
        admit(std::move(socket), Identity{.loopback = true});
    });
    error = tcp_->bind(Tcp::endpoint(address, listen->port));
    if (!error) error = tcp_->listen();
    if (error) return config_.listen + ": " + error.message();
    log_.info("listening for applications at tcp://{}",
              to_string(config::ListenAddress{listen->address, tcp_->endpoint().port()}));
    return {};
}

void AppServer::close() {
    local_.reset();
    tcp_.reset();
    if (std::exchange(bound_, false)) ::unlink(config_.socket.c_str());
}

void AppServer::close_all() {
    const TimePoint now = monotonic_now();
    while (!connections_.empty()) {
        const UpstreamId id = connections_.begin()->first;
        connections_.erase(connections_.begin());
        if (AppSession *session = host_.core.find(id); session != nullptr)
            host_.core.close(*session, now);
    }
}

void AppServer::admit(FileDescriptor socket, std::optional<Identity> identity) {
    if (!identity) return;
    const std::string name = identity->name();
    std::string_view why;
    AppSession *session = host_.core.open(std::move(*identity), monotonic_now(), &why);
    if (session == nullptr) {
        if (const auto suppressed = refusals_.admit(monotonic_now()))
            log_.warn("connection of an application ({}) refused: {}{}", name, why,
                      suppressed_lines_text(*suppressed));
        return;
    }
    auto connection = cla::make_owned<AppConnection>(host_, *session, std::move(socket));
    AppConnection &made = *connection;
    connections_.emplace(session->id(), std::move(connection));
    made.start();
    host_.drain();
}

void AppServer::remove(UpstreamId id) {
    const auto found = connections_.find(id);
    if (found == connections_.end()) return;
    const cla::Owned<AppConnection> connection = std::move(found->second);
    connections_.erase(found);
    if (AppSession *session = host_.core.find(id); session != nullptr) {
        note_end(*session);
        host_.core.close(*session, monotonic_now());
    }
    host_.drain();
}

void AppServer::note_end(const AppSession &session) {
    if (session.why().empty()) return;
    if (const auto suppressed = ends_.admit(monotonic_now()))
        log_.warn("connection of an application ({}) ended: {}{}", session.identity().name(),
                  session.why(), suppressed_lines_text(*suppressed));
}

void AppServer::serve_touched() {
    if (std::exchange(serving_, true)) return;
    while (const auto id = host_.core.poll_touched()) {
        const auto found = connections_.find(*id);
        if (found == connections_.end()) continue;
        const auto connection = found->second.hold();
        if (!connection->closed()) connection->handle_touched();
    }
    serving_ = false;
}

}  // namespace farlink::applications
