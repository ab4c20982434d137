// SPDX-License-Identifier: Apache-2.0
// The receivers that clients of the API wait with, and the leases that they hold.
// Owned by the gateway; the server's thread only.
// Bounded in number, by token and in octets.
#pragma once

#include <boost/asio/io_context.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "module/telemetry/api/request/app_request.hpp"
#include "module/telemetry/api/request/call.hpp"
#include "module/telemetry/gateway/held_octets.hpp"
#include "module/telemetry/gateway/lease_receiver.hpp"

namespace farlink::telemetry {

class LeasePool {
public:
    static constexpr std::size_t kMostReceivers = 192;
    static constexpr std::size_t kMostOfToken = kMostReceivers / 2;
    static constexpr std::uint64_t kMostHeldBytes = 64ULL * 1024 * 1024;

    using Reply = std::function<void(Answer)>;

    explicit LeasePool(boost::asio::io_context &io) : io_(io) {}
    ~LeasePool();

    /// `reply` is called once, unless the result is let go before: the client is gone.
    [[nodiscard]] std::shared_ptr<void> receive(const ReceiveRequest &request,
                                                const std::string &socket,
                                                client::Registration registration, Reply reply);
    [[nodiscard]] Answer accept(const AcceptRequest &request);
    [[nodiscard]] const std::shared_ptr<HeldOctets> &held() const { return held_; }

private:
    struct Entry {
        std::shared_ptr<LeaseReceiver> receiver;
        std::string token;
    };
    [[nodiscard]] std::shared_ptr<LeaseReceiver> idle_receiver(const ReceiveRequest &request);
    void forget_ended();
    [[nodiscard]] Answer give(const std::weak_ptr<LeaseReceiver> &receiver, client::Adu adu,
                              Duration ends);

    boost::asio::io_context &io_;
    std::shared_ptr<HeldOctets> held_ = std::make_shared<HeldOctets>(kMostHeldBytes);
    std::vector<Entry> receivers_;
    std::map<std::string, std::weak_ptr<LeaseReceiver>> leases_;
};

}  // namespace farlink::telemetry
