// SPDX-License-Identifier: Apache-2.0
#include "apps/cfdp/daemon/bundle_layer.hpp"

#include <chrono>
#include <utility>

namespace farlink::cfdpd {
namespace {

/// Bundles that the node has not accepted yet.
constexpr std::size_t kMostUnderWay = 64;
/// A node that restarts is waited for.
constexpr std::chrono::hours kRetry{24};

client::ConnectOptions options_of(const cfdp::EntityConfig &config, const std::string &secret) {
    client::ConnectOptions options;
    options.address = config.node;
    options.registration.endpoint =
        "ipn:" + std::to_string(config.entity) + '.' + std::to_string(config.service);
    options.registration.secret = secret;
    options.registration.window = kMostUnderWay;
    options.retry = kRetry;
    return options;
}

}  // namespace

BundleLayer::BundleLayer(boost::asio::io_context &io, const cfdp::EntityConfig &config,
                         const std::string &secret)
    : endpoint_(io.get_executor(), options_of(config, secret)) {
    with_.lifetime = std::chrono::seconds(config.lifetime_seconds);
    for (const cfdp::RemoteConfig &remote : config.remotes) {
        if (!remote.udp.empty()) continue;
        peers_[remote.entity] = {
            remote.endpoint, static_cast<std::size_t>(remote.bundle_bytes), {}};
        by_endpoint_[remote.endpoint] = remote.entity;
    }
}

void BundleLayer::start(LayerHooks hooks) {
    hooks_ = std::move(hooks);
    // What has come together is written together.
    for (std::size_t i = 0; i < kMostUnderWay; ++i) receive();
}

void BundleLayer::close() {
    hooks_ = {};
    endpoint_.close();
}

void BundleLayer::receive() {
    endpoint_.async_receive([weak = weak_from_this()](const client::Result<client::Adu> &adu) {
        if (const auto self = weak.lock(); self && self->hooks_.on_pdu) self->handle_received(adu);
    });
}

void BundleLayer::handle_received(const client::Result<client::Adu> &adu) {
    if (!adu) return hooks_.on_lost(adu.error().reason);
    const auto from = by_endpoint_.find(adu->source);
    if (from != by_endpoint_.end()) hand_on(from->second, adu->payload);
    endpoint_.accept(*adu);
    receive();
}

// What its lengths do not explain is handed on as a whole, and counted as malformed.
void BundleLayer::hand_on(cfdp::EntityId from, ByteView payload) {
    while (!payload.empty() && hooks_.on_pdu) {
        const std::size_t size = cfdp::first_pdu_bytes(payload);
        const std::size_t taken = size == 0 ? payload.size() : size;
        hooks_.on_pdu(from, payload.first(taken));
        payload = payload.subspan(taken);
    }
}

TimePoint BundleLayer::ready_at(cfdp::EntityId, TimePoint now) const {
    return under_way_ < kMostUnderWay ? now : kNever;
}

void BundleLayer::send(cfdp::EntityId remote, Bytes pdu, TimePoint) {
    Peer &peer = peers_.at(remote);
    if (!peer.waiting.empty() && peer.waiting.size() + pdu.size() > peer.bundle_bytes)
        send_bundle(peer);
    if (peer.waiting.empty())
        peer.waiting = std::move(pdu);
    else
        append(peer.waiting, pdu);
    if (peer.waiting.size() >= peer.bundle_bytes) send_bundle(peer);
}

void BundleLayer::flush() {
    for (auto &[entity, peer] : peers_)
        if (!peer.waiting.empty()) send_bundle(peer);
}

void BundleLayer::send_bundle(Peer &peer) {
    ++under_way_;
    endpoint_.async_send(peer.endpoint, std::exchange(peer.waiting, {}), with_,
                         [weak = weak_from_this()](const client::Sent &sent) {
                             if (const auto self = weak.lock()) self->handle_sent(sent);
                         });
}

// What the node refuses is lost, as on the way.
void BundleLayer::handle_sent(const client::Sent &sent) {
    --under_way_;
    if (!hooks_.on_room) return;
    if (sent.error && sent.error->code == client::ErrorCode::kConnectionLost)
        return hooks_.on_lost(sent.error->reason);
    hooks_.on_room();
}

}  // namespace farlink::cfdpd
