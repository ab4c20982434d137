// SPDX-License-Identifier: Apache-2.0
// PDUs as bundles, one a bundle or several, by the applications' socket of a node.
// Owned by the daemon; its loop's thread.
// A bundle counts only from the endpoint of a remote entity.
#pragma once

#include <boost/asio/io_context.hpp>
#include <farlink/client/asio.hpp>
#include <map>
#include <memory>
#include <string>

#include "apps/cfdp/daemon/lower_layer.hpp"
#include "cfdp/config/entity_config.hpp"
#include "cfdp/core/pdu/pdu.hpp"

namespace farlink::cfdpd {

class BundleLayer final : public LowerLayer, public std::enable_shared_from_this<BundleLayer> {
public:
    BundleLayer(boost::asio::io_context &io, const cfdp::EntityConfig &config,
                const std::string &secret);

    void start(LayerHooks hooks) override;
    void close() override;
    [[nodiscard]] bool serves(cfdp::EntityId remote) const override {
        return peers_.contains(remote);
    }
    [[nodiscard]] TimePoint ready_at(cfdp::EntityId remote, TimePoint now) const override;
    void send(cfdp::EntityId remote, Bytes pdu, TimePoint now) override;
    void flush() override;

private:
    struct Peer {
        std::string endpoint{};
        std::size_t bundle_bytes = 0;
        Bytes waiting{};  ///< PDUs of the next bundle
    };

    void send_bundle(Peer &peer);
    void receive();
    void handle_received(const client::Result<client::Adu> &adu);
    void hand_on(cfdp::EntityId from, ByteView payload);
    void handle_sent(const client::Sent &sent);

    client::AsioEndpoint endpoint_;
    client::SendOptions with_;
    LayerHooks hooks_;
    std::map<cfdp::EntityId, Peer> peers_;
    std::map<std::string, cfdp::EntityId> by_endpoint_;
    std::size_t under_way_ = 0;
};

}  // namespace farlink::cfdpd
