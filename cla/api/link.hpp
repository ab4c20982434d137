// SPDX-License-Identifier: Apache-2.0
// The interface between a convergence layer's link and the agent that hosts it.
// A link is owned by its host and lives on the host's loop: every call in either direction is made
// on that thread, and no call re-enters the other side's call of the same kind. A link may be
// destroyed at any time except inside of one of its own reports; it reports nothing afterwards.
// A link carries opaque bundles; it has no part of the bundle protocol, the bus or the modules.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "cla/api/link_fault.hpp"
#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/buffer/received_bundles.hpp"
#include "common/buffer/transfer_disposition.hpp"
#include "common/buffer/tx_bundle.hpp"

namespace farlink::config {
struct InductConfig;
}  // namespace farlink::config

namespace farlink::cla {

enum class LinkState : std::uint8_t { kClosed = 0, kConnecting = 1, kConnected = 2, kClosing = 3 };

using farlink::TransferDisposition;

/// Why a bundle was not taken: the reasons of a neighbour that refuses it (RFC 9174 section 5.2.4;
/// RFC 7242 section 5.4 has the first four), and those of this node.
enum class Refusal : std::uint8_t {
    kUnknown = 0,
    kCompleted = 1,  ///< it has the bundle already: as good as an acknowledgement
    kNoResources = 2,
    kRetransmit = 3,
    kNotAcceptable = 4,
    kExtensionFailure = 5,
    kSessionTerminating = 6,
    /// No refusal of the peer: the session has ended, or has not begun the bundle.
    kNotSent = 253,
    /// No refusal of the peer: the bundle is larger than the peer, or a datagram, takes, and this
    /// node has not sent it.
    kTooLarge = 254,
    /// No refusal of the peer either: the layer has repeated the bundle as often as it may, without
    /// an answer.
    kUnacknowledged = 255,
};

/// The peer of a session, as far as its convergence layer identifies it.
struct PeerIdentity {
    std::string node_id;  ///< endpoint id as the peer announced it; empty: the layer has none
    std::string address;  ///< its IP address as text
    bool proved = false;  ///< its TLS certificate names this node id (RFC 9174 section 4.4.4)
};

/// The reports of a link to its host.
class LinkHost {
public:
    virtual ~LinkHost() = default;
    /// Bundles may come from a session now. `acknowledges`: the layer acknowledges bundles, and
    /// waits for acknowledge() to do so.
    virtual void on_upstream_opened(LinkId link, UpstreamId from, bool acknowledges) = 0;
    /// The peer of a session has announced itself; before any of its bundles.
    virtual void on_peer(LinkId, UpstreamId, const PeerIdentity &) {}
    /// Whether the peer is a neighbour that the configuration names, or has proved its node id:
    /// strangers share what such a neighbour has for itself. Asked by address before a peer has
    /// announced itself.
    [[nodiscard]] virtual bool knows(LinkId, const PeerIdentity &) const { return true; }
    /// Bundles have arrived, or pieces of bundles above ReadBuffer::spool_above(); the host takes
    /// what it needs during the call (it may pin the slabs), the link clears the list afterwards.
    virtual void on_bundles(LinkId link, UpstreamId from, ReceivedBundles &received) = 0;
    /// The session with `peer` is about to be reported as ended for a fault; `detail` is what is
    /// known beyond its name, as text, or empty.
    virtual void on_ending(LinkId, const PeerIdentity & /*peer*/, std::string_view /*detail*/) {}
    /// The session is gone; no more bundles come from it, and no further pieces of one.
    virtual void on_upstream_closed(LinkId link, UpstreamId from, LinkFault fault) = 0;

    virtual void on_state(LinkId link, LinkState state, LinkFault fault) = 0;
    /// An attempt to connect has failed, for this reason in words; the link tries again.
    virtual void on_unreachable(LinkId, std::string_view /*why*/) {}
    /// Every bundle with a token below `token` is safe with the next hop, as the layer promises
    /// (or was refused before). A piece of a bundle is when the next hop has its octets; the
    /// bundle, when its last piece is.
    virtual void on_transmitted(LinkId link, std::uint64_t token) = 0;
    /// The neighbour did not take this bundle, or was not asked to. Its token is covered by
    /// on_transmitted() later. Of a bundle in pieces it is the token of the oldest piece that is
    /// not covered yet, or, where all of them are, that of the next one; the link takes and drops
    /// further pieces, and the host may begin with another bundle instead.
    virtual void on_refused(LinkId, std::uint64_t /*token*/, Refusal) {}
    /// The link takes more bundles again after transmit_credit() was 0.
    virtual void on_writable(LinkId link) = 0;
    /// The peer deviates from its standard in a way that is tolerated; counted by name, for that
    /// neighbour.
    virtual void on_deviation(LinkId, const PeerIdentity &, ProtocolDeviation) {}
    /// The system has dropped this many datagrams, since the receive buffer was full.
    virtual void on_datagrams_lost(LinkId, std::uint64_t /*datagrams*/) {}
    /// So many bundles above maxBundleSizeBytes were dropped: the layer cannot refuse them, and has
    /// no session that could end.
    virtual void on_too_large(LinkId, std::uint64_t /*bundles*/) {}
    /// The layer has refused so many bundles of a session for lack of memory (maxUnsettledBytes,
    /// bufferBytes) before the host got them. Called after on_bundles() for the same read.
    /// `in_order`: the refusals are sent only after the answers to bundles that the host has.
    virtual void on_bundles_refused(LinkId, UpstreamId, std::uint64_t /*bundles*/,
                                    bool /*in_order*/) {}
    /// The counters that a layer keeps of a peer, as they grew since the last report, in the order
    /// of its names (modulo 2^64: levels fall too).
    virtual void on_counted(LinkId, const PeerIdentity &, std::span<const std::uint64_t>) {}
};

/// The commands of a host to a link about the bundles that it delivers.
class BundleSource {
public:
    virtual ~BundleSource() = default;
    /// Stops (or resumes) taking bundles from one session; the peer is held by the layer's flow
    /// control.
    virtual void pause(UpstreamId, bool /*paused*/) {}
    /// False for layers without back-pressure: octets that are not read are lost.
    [[nodiscard]] virtual bool flow_controlled() const { return true; }
    /// What became of the bundles number `first` to `first + count - 1` of a session that
    /// acknowledges (ReceivedBundles::first_transfer). In any order, each once; a session that is
    /// gone is ignored. A layer that cannot refuse a bundle alone (LTP, of a block of which others
    /// were taken) brings one without room again, with another number.
    virtual void acknowledge(UpstreamId, std::uint64_t /*first*/, std::uint32_t /*count*/,
                             TransferDisposition) {}
    /// After a run of acknowledge() calls: writes what they led to.
    virtual void flush_acknowledgements() {}
    /// Reports what is new in the layer's own counters, by on_counted().
    virtual void report_counts() {}
};

/// A link to one neighbour. Layers that work both ways also deliver bundles.
class Outduct : public BundleSource {
public:
    /// Connects, and reconnects with back-off until close().
    virtual void open() = 0;
    /// Finishes the bundle begun, half-closes, waits for the peer, then reports kClosed. Bundles
    /// that were not begun are forgotten: the host still holds them. Further pieces of a bundle
    /// are not waited for: see break_off().
    virtual void close() = 0;
    /// The contact is over, and another may come: nothing more is sent. A layer whose sessions
    /// outlast a contact keeps what was sent, and goes on at the next open(). Further pieces of a
    /// bundle are not waited for.
    virtual void suspend() { close(); }
    /// Bytes of bundles that transmit() would take now without queueing beyond the link's limit.
    [[nodiscard]] virtual std::uint64_t transmit_credit() const = 0;
    /// Takes all of `bundles`, in order. Only while kConnected. A piece with further ones to come
    /// begins a bundle of TxBundle::size + left octets: until all of it is here, only further
    /// pieces of it are handed over, each with its own token.
    virtual void transmit(std::span<const TxBundle> bundles) = 0;
    /// Writes what transmit() has queued, as far as the kernel takes it.
    virtual void flush() = 0;
    /// Largest bundle that this link can send, bytes; a datagram layer's limit, or the peer's.
    [[nodiscard]] virtual std::uint64_t max_bundle_bytes() const { return ~std::uint64_t{0}; }
    /// Whether transmit() takes a bundle in pieces (TxBundle::left). Between the first piece and
    /// the last it gets only pieces of that bundle, perhaps with long pauses between them.
    [[nodiscard]] virtual bool takes_pieces() const { return false; }
    /// No further pieces come of the bundle begun: the session ends, so that the neighbour drops
    /// what it has of it, and the link connects again as after a fault. A layer that can end the
    /// bundle alone (LTP) does so, and reports its pieces as not sent.
    virtual void break_off() {}
    /// The contact's rate, in bits of bundles a second; 0: as fast as it goes. The link's
    /// configured rate limit holds as well.
    virtual void set_rate(BitRate) {}
    /// One way, of the contact, for layers that wait for answers; 0: the configured one.
    virtual void set_owlt(Duration) {}
};

/// A link by which bundles arrive: listens for sessions, or keeps them.
class Induct : public BundleSource {
public:
    /// Binds and listens; false with a reason in the log when the address cannot be bound.
    [[nodiscard]] virtual bool open() = 0;
    virtual void close() = 0;
    /// An orderly end. LTP closes when its peers have acknowledged the answers to all bundles that
    /// have begun, or at a limit below ten seconds. It reports kClosing, takes no further bundles
    /// and keeps its port meanwhile; then it reports kClosed. Other layers do in close() what they
    /// can.
    virtual void finish() { close(); }
    /// After close() or finish(): the host can keep no more bundles. A layer whose senders give a
    /// bundle up once the kernel has it does not wait for room any longer, and logs what it has not
    /// read. LTP does not wait for bundles that the host has not acknowledged.
    virtual void give_up() {}
    /// False before open(): the node could not store what arrives. A layer whose senders give a
    /// bundle up once the kernel has it then only binds its port, which refuses connections, and
    /// listens when this is true. One that listens goes on; pause() holds its sessions back.
    virtual void set_receiving(bool) {}
    /// False: it waits for set_receiving(true), or could not listen then; see failure().
    [[nodiscard]] virtual bool listens() const { return true; }
    /// The sending half of a session whose layer works both ways, from now on known as `link` in
    /// on_transmitted(), on_refused() and on_writable(); null when there is none. It is connected
    /// until on_upstream_closed(), which is also when its bundles are forgotten; close() ends the
    /// session. Meanwhile on_state() reports kConnecting when the peer does not answer, with
    /// nothing left under way to it, and kConnected when it takes bundles again.
    [[nodiscard]] virtual Outduct *attach(UpstreamId, LinkId /*link*/) { return nullptr; }
    /// Takes other neighbours than those that it began with, while sessions with the rest go on.
    /// Everything else is as before. False: it cannot, and nothing has changed.
    [[nodiscard]] virtual bool set_neighbours(const config::InductConfig &) { return false; }
    /// Why the last open() or set_neighbours() returned false, or why listens() is false after
    /// set_receiving(true); empty: see the log.
    [[nodiscard]] virtual std::string failure() const { return {}; }
    /// The port in use (a configured 0 lets the system choose).
    [[nodiscard]] virtual std::uint16_t port() const = 0;
};

}  // namespace farlink::cla
