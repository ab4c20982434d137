// SPDX-License-Identifier: Apache-2.0
// The node's HTTP server: listens, keeps its connections, and joins the API with tokens, files, the
// audit and the supervisor.
// Owned by the telemetry agent, on whose loop and thread it lives.
// Connections, requests, times and unsent messages are bounded.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/audit/audit_log.hpp"
#include "common/config/node/node_config.hpp"
#include "common/runtime/log/log.hpp"
#include "module/telemetry/api/api.hpp"
#include "module/telemetry/core/access/connection_seats.hpp"
#include "module/telemetry/gateway/app_gateway.hpp"
#include "module/telemetry/http/access/admission.hpp"
#include "module/telemetry/http/server_tls.hpp"
#include "module/telemetry/http/static_folder.hpp"
#include "module/telemetry/http/update_hub.hpp"
#include "module/telemetry/http/watch_hub.hpp"

namespace farlink::telemetry {

class ApiServer final : public ConnectionHost {
public:
    static constexpr std::size_t kMostConnections = 256;
    static constexpr std::size_t kMostCommands = 64;

    /// Sends a request to the supervisor; handle_reply() gets the reply with the same number.
    using Ask = std::function<void(std::uint64_t id, const std::string &caller,
                                   const std::string &request)>;

    /// Reads the history on disk; `then` is called once, unless the server ends first.
    using ReadHistory =
        std::function<void(const HistoryQuery &query, std::function<void(HistoryReply)> then)>;

    /// `io`, `config` and `view` are borrowed. `webui_folder` is the folder of the dashboard;
    /// `on_change` is called when a command may have changed the node.
    ApiServer(boost::asio::io_context &io, const config::NodeConfig &config, NodeView &view,
              const std::string &webui_folder, Ask ask, std::function<void()> on_change,
              ReadHistory read_history);
    ~ApiServer() override;

    /// Listens; returns an error, or an empty text.
    [[nodiscard]] std::string open();
    /// The supervisor's reply to a command.
    void handle_reply(std::uint64_t id, std::string_view reply);
    /// The supervisor has died, or has restarted.
    void handle_supervisor(bool there);
    /// Other tokens, certificates and host names. New connections use them; an error leaves the
    /// old ones in use and is logged.
    void set_settings(const config::ApiConfig &changed);
    /// The configuration was reloaded; JSON without secrets.
    void set_config(std::string config) { api_.set_config(std::move(config)); }
    /// Answers commands whose time limit has passed.
    void handle_second();

    [[nodiscard]] std::optional<Answer> admit(Call &call, const Credentials &credentials) override;
    [[nodiscard]] std::shared_ptr<void> serve(Call call,
                                              std::function<void(Answer)> reply) override;
    [[nodiscard]] std::shared_ptr<AppUpload> open(Call call, std::uint64_t bytes,
                                                  std::function<void(Answer)> reply) override;
    [[nodiscard]] WebSocketRequest open_websocket(const Call &call) override;
    [[nodiscard]] AppGateway &gateway() override { return gateway_; }
    void subscribe(const std::shared_ptr<Subscriber> &subscriber, unsigned rate) override;
    [[nodiscard]] bool watch(const std::shared_ptr<Subscriber> &subscriber,
                             const history::WatchRules &rules) override;
    void unsubscribe(const std::shared_ptr<Subscriber> &subscriber) override;
    void keep(const std::shared_ptr<Connection> &connection, const std::string &address) override;
    void forget(const std::shared_ptr<Connection> &connection) override;

private:
    struct Pending {
        Command command;
        Call call;  ///< without its body
        std::function<void(Answer)> reply;
        TimePoint until{};
        std::string values{};  ///< of the command, for the audit
    };

    void accept();
    [[nodiscard]] bool make_room(const std::string &address);
    void take(boost::asio::ip::tcp::socket socket);
    void run(Call call, Command command, std::function<void(Answer)> reply);
    void finish(Pending pending, Answer answer);
    template <class Chosen>
    void give_up(const Chosen &chosen, const char *why);
    void note_change(const Pending &pending, const Answer &answer);
    void begin_turns();
    void begin_looks();

    const config::NodeConfig &config_;
    NodeView &view_;
    Ask ask_;
    std::function<void()> on_change_;
    ReadHistory read_history_;
    Logger log_{"api"};
    Admission admission_;
    Api api_;
    StaticFolder files_;
    AuditLog audit_;
    ServerTls tls_;
    UpdateHub hub_;
    WatchHub watchers_;
    AppGateway gateway_;
    boost::asio::ip::tcp::acceptor acceptor_;
    boost::asio::steady_timer pause_;
    boost::asio::steady_timer turn_;
    boost::asio::steady_timer look_;  ///< of the watchers
    bool turning_ = false;
    bool looking_ = false;
    std::map<std::uint64_t, std::shared_ptr<Connection>> connections_;
    std::uint64_t last_connection_ = 0;
    ConnectionSeats seats_{kMostConnections};
    std::map<std::uint64_t, Pending> pending_;
    std::uint64_t last_id_ = 0;
    bool supervised_ = true;
};

}  // namespace farlink::telemetry
