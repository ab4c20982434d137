// SPDX-License-Identifier: Apache-2.0
// The way of the API's clients to the applications module: as an application, by its Unix socket.
// Owned by the server; its thread only.
// It works with modules in processes, and needs nothing of the bus.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/config/applications/applications_config.hpp"
#include "module/telemetry/api/request/app_request.hpp"
#include "module/telemetry/api/request/call.hpp"
#include "module/telemetry/api/request/key_memory.hpp"
#include "module/telemetry/gateway/app_upload.hpp"
#include "module/telemetry/gateway/lease_pool.hpp"
#include "module/telemetry/gateway/source_sender.hpp"

namespace farlink::telemetry {

class AppGateway {
public:
    static constexpr std::size_t kMostSources = 64;
    static constexpr std::size_t kMostUploads = 16;

    using Reply = std::function<void(Answer)>;

    /// `config` is borrowed.
    AppGateway(boost::asio::io_context &io, const config::ApplicationsConfig &config);
    ~AppGateway();

    /// The answer where applications cannot connect.
    [[nodiscard]] static Answer no_socket();

    /// What endpoints are registered with. The same after a restart, so that endpoints that stay
    /// can be joined.
    void set_secret(std::string secret) { secret_ = std::move(secret); }

    /// `reply` is called once.
    void send(SendRequest request, std::string payload, Reply reply);
    /// The same for a payload of `bytes` octets that comes piece by piece. Null: `reply` was
    /// called. Let go before finish(), nothing is sent.
    [[nodiscard]] std::shared_ptr<AppUpload> open(SendRequest request, std::uint64_t bytes,
                                                  Reply reply);
    /// `reply` is called once, unless the result is let go before.
    [[nodiscard]] std::shared_ptr<void> receive(const ReceiveRequest &request, Reply reply);
    [[nodiscard]] Answer accept(const AcceptRequest &request) { return leases_.accept(request); }
    /// Closes what is not used.
    void handle_second();

    // ---- for a connection that receives by itself
    [[nodiscard]] const std::string &socket() const { return config_.socket; }
    [[nodiscard]] client::Registration registration(const std::string &endpoint, unsigned window,
                                                    seconds stay) const;
    [[nodiscard]] const std::shared_ptr<HeldOctets> &held() const { return leases_.held(); }
    [[nodiscard]] boost::asio::io_context &io() { return io_; }

private:
    /// False: `reply` was called, as for a key that has an outcome.
    [[nodiscard]] bool admit(SendRequest &request, std::uint64_t bytes, const std::string &payload,
                             const Reply &reply);
    void note(const std::string &key, const client::Sent &sent, bool open);
    [[nodiscard]] std::shared_ptr<SourceSender> sender(const std::string &source);

    boost::asio::io_context &io_;
    const config::ApplicationsConfig &config_;
    std::string secret_;
    KeyMemory keys_;
    std::map<std::string, std::shared_ptr<SourceSender>> senders_;
    std::vector<std::weak_ptr<AppUpload>> uploads_;
    LeasePool leases_;
};

}  // namespace farlink::telemetry
