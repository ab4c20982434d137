// SPDX-License-Identifier: Apache-2.0
// An outduct by a session that ingress hosts, because the neighbour has opened it: the bundles that
// egress renders go to ingress as one more message.
// Owned by HostedLinks; the egress agent's thread only.
// Bundles count as transmitted when ingress gives their batch back as sent.
#pragma once

#include <functional>

#include "cla/api/link.hpp"
#include "common/buffer/batch.hpp"
#include "common/bus/messages.hpp"

namespace farlink::egress {

///   kClosed ──session there, or open()──► kConnected ──close()──► kClosing ──all back──► kClosed
///                                             │ session gone                                ▲
///                                             └─────────────────────────────────────────────┘
/// The session outlives close(): it is the neighbour's, and bundles may still come by it.
class RelayedOutduct final : public cla::Outduct {
public:
    /// `send` takes messages to ingress. Heads are copied into slabs of `pool`.
    RelayedOutduct(LinkId link, cla::LinkHost &host, SlabPool &pool, BatchPool &batches,
                   std::function<void(bus::Message)> send)
        : link_(link), host_(host), pool_(pool), batches_(batches), send_(std::move(send)) {}

    /// The session is open, or it is closed: before that, every batch has come back.
    void handle_session(const bus::SessionChange &change);
    /// Ingress is gone, and the session with it; lent batches come back later.
    void handle_lost();
    /// A batch is back, with its outcomes.
    void handle_returned(BatchPtr batch);

    // ---- cla::Outduct
    /// While it closes: opens again when all bundles have returned, so that none is in flight
    /// twice.
    void open() override;
    void close() override;
    [[nodiscard]] std::uint64_t transmit_credit() const override;
    void transmit(std::span<const TxBundle> bundles) override;
    void flush() override;
    [[nodiscard]] std::uint64_t max_bundle_bytes() const override { return max_bundle_bytes_; }
    /// Ingress returns those of a session that does not take them.
    [[nodiscard]] bool takes_pieces() const override { return true; }
    void break_off() override;
    /// Ingress paces the session.
    void set_rate(BitRate rate) override;
    void set_owlt(Duration owlt) override;

private:
    /// Handed to ingress and not back: enough for the session to have work while egress renders.
    static constexpr std::uint64_t kWindowBytes = 16ULL * 1024 * 1024;

    void publish_contact(bool open);
    void forget_open();
    void keep(ByteView head, Batch &batch);
    void transition(cla::LinkState to, cla::LinkFault fault = cla::LinkFault::kNone);

    LinkId link_;
    cla::LinkHost &host_;
    SlabPool &pool_;
    BatchPool &batches_;
    std::function<void(bus::Message)> send_;
    BatchPtr open_;  ///< being filled
    SlabRef heads_;  ///< rendered heads of the batches that are out
    std::uint32_t heads_used_ = 0;
    std::uint64_t out_bytes_ = 0;
    std::uint64_t max_bundle_bytes_ = ~std::uint64_t{0};
    cla::LinkState state_ = cla::LinkState::kClosed;
    bool session_ = false;
    bool open_again_ = false;
    bus::LinkPace pace_;
    bool contact_ = true;  ///< as published to ingress
};

}  // namespace farlink::egress
