// SPDX-License-Identifier: Apache-2.0
// PDUs as UDP datagrams, each remote entity at one address and at a rate of its own.
// Owned by the daemon; its loop's thread.
// A datagram counts only from the address of a remote entity.
#pragma once

#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/udp.hpp>
#include <map>
#include <memory>
#include <string>

#include "apps/cfdp/daemon/lower_layer.hpp"
#include "cfdp/config/entity_config.hpp"
#include "common/base/result.hpp"

namespace farlink::cfdpd {

class UdpLayer final : public LowerLayer, public std::enable_shared_from_this<UdpLayer> {
public:
    /// The error is a text for people.
    [[nodiscard]] static Result<std::shared_ptr<UdpLayer>, std::string> open(
        boost::asio::io_context &io, const cfdp::EntityConfig &config);

    void start(LayerHooks hooks) override;
    void close() override;
    [[nodiscard]] bool serves(cfdp::EntityId remote) const override {
        return peers_.contains(remote);
    }
    [[nodiscard]] TimePoint ready_at(cfdp::EntityId remote, TimePoint now) const override;
    void send(cfdp::EntityId remote, Bytes pdu, TimePoint now) override;
    [[nodiscard]] std::uint16_t port() const;

    explicit UdpLayer(boost::asio::io_context &io) : socket_(io) {}

private:
    using Endpoint = boost::asio::ip::udp::endpoint;
    struct Peer {
        Endpoint address{};
        std::uint64_t rate = 0;
        TimePoint free_at{};  ///< when what was sent has left at the rate
    };

    [[nodiscard]] std::string add_peer(const cfdp::RemoteConfig &remote);
    void receive();
    void handle_datagram(std::size_t size);

    boost::asio::ip::udp::socket socket_;
    LayerHooks hooks_;
    std::map<cfdp::EntityId, Peer> peers_;
    std::map<Endpoint, cfdp::EntityId> by_address_;
    std::array<std::uint8_t, 65'536> space_{};
    Endpoint from_;
};

}  // namespace farlink::cfdpd
