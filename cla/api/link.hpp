// SPDX-License-Identifier: Apache-2.0
// The interface between a convergence layer's link and the agent that hosts it.
// A link is owned by its host and lives on the host's loop: every call in either direction is made
// on that thread, and no call re-enters the other side's call of the same kind.
// A link carries opaque bundles; it knows nothing of the bundle protocol, the bus or the modules.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "common/base/types.hpp"
#include "common/buffer/received_bundles.hpp"
#include "common/buffer/tx_bundle.hpp"

namespace farlink::cla {

enum class LinkState : std::uint8_t { kClosed = 0, kConnecting = 1, kConnected = 2, kClosing = 3 };

/// Why a connection ended or a peer was refused; counted by name.
enum class LinkFault : std::uint8_t {
    kNone = 0,
    kPeerClosed,
    kConnectFailed,
    kIoError,
    kFrameTooLarge,  ///< the peer announced a bundle above maxBundleSizeBytes
    kTooManySessions,
    kTruncatedBundle,  ///< the connection ended inside a bundle
};
[[nodiscard]] std::string_view to_string(LinkFault fault);

/// What a link tells its host.
class LinkHost {
public:
    virtual ~LinkHost() = default;
    /// A peer has opened a session.
    virtual void on_upstream_opened(LinkId, UpstreamId) {}
    /// Whole bundles have arrived; the host takes what it wants during the call (it may pin the
    /// slabs), the link clears the list afterwards.
    virtual void on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) = 0;
    /// The session is gone; no more bundles come from it.
    virtual void on_upstream_closed(LinkId link, UpstreamId from, LinkFault fault) = 0;
    virtual void on_state(LinkId link, LinkState state, LinkFault fault) = 0;
    /// Every bundle with a token below `token` is safe with the next hop, as the layer promises.
    virtual void on_transmitted(LinkId link, std::uint64_t token) = 0;
    /// The link takes more bundles again after transmit_credit() was 0.
    virtual void on_writable(LinkId link) = 0;
};

/// A way in: listens for, or keeps, sessions that bundles arrive by.
class Induct {
public:
    virtual ~Induct() = default;
    /// Binds and listens; false with a reason in the log when the address cannot be bound.
    [[nodiscard]] virtual bool open() = 0;
    virtual void close() = 0;
    /// Stops (or resumes) reading from one session; the peer is held by the layer's flow control.
    virtual void pause(UpstreamId upstream, bool paused) = 0;
    /// The port in use (a configured 0 lets the system choose).
    [[nodiscard]] virtual std::uint16_t port() const = 0;
};

/// A way out, towards one neighbour.
class Outduct {
public:
    virtual ~Outduct() = default;
    /// Connects, and reconnects with back-off until close().
    virtual void open() = 0;
    /// Finishes the bundle begun, half-closes, waits for the peer, then reports kClosed. Bundles
    /// that were not begun are forgotten: the host still holds them.
    virtual void close() = 0;
    /// Bytes of bundles that transmit() would take now without queueing beyond the link's limit.
    [[nodiscard]] virtual std::uint64_t transmit_credit() const = 0;
    /// Takes all of `bundles`, in order. Only while kConnected.
    virtual void transmit(std::span<const TxBundle> bundles) = 0;
    /// Writes what transmit() has queued, as far as the kernel takes it.
    virtual void flush() = 0;
};

}  // namespace farlink::cla
