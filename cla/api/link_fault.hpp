// SPDX-License-Identifier: Apache-2.0
// The names under which the faults and the deviations of peers are counted.
// Values; the enumerators are indices into counter families, new ones go to the end.
// Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace farlink::cla {

/// Why a connection ended or a peer was refused.
enum class LinkFault : std::uint8_t {
    kNone = 0,
    kPeerClosed,
    kConnectFailed,
    kIoError,
    kFrameTooLarge,  ///< the peer announced a bundle above maxBundleSizeBytes
    kTooManySessions,
    kTruncatedBundle,     ///< the connection ended inside a bundle
    kProtocolError,       ///< a message that the layer's standard does not allow
    kVersionMismatch,     ///< the peer uses another version of the layer
    kContactFailure,      ///< the peer's session parameters cannot be met
    kTlsFailed,           ///< the TLS handshake failed: certificate, version, cipher
    kTlsRequired,         ///< this link demands TLS, and the peer does not have it
    kIdentityRefused,     ///< the peer is not the node that it should be
    kHandshakeTimeout,    ///< the peer did not open its session in time
    kIdleTimeout,         ///< nothing came for longer than the peer had promised
    kTerminationTimeout,  ///< the peer did not end its session in time
    kUnresponsive,        ///< no acknowledgement came for what was sent
    kPeerTerminated,      ///< the peer ended its session as the layer provides
    kTooManyHandshakes,   ///< too many peers are connected that have not opened their session
    kPeerRefusesBundles,  ///< it refused one bundle after the other: left alone for a while
    kNoRoom,    ///< no memory for the peer's bundles, and its session has no way to refuse them
    kNoClient,  ///< the peer's engine runs without a client that takes bundles (LTP UNREACH)
    kTransferStalled,  ///< the peer stopped in the middle of a bundle
    // The first octets of the peer belong to another protocol.
    kNotTcpcl,            ///< no contact header: another protocol
    kStcpNotTcpcl,        ///< the same, and they may be the length of an STCP frame
    kTcpclNotStcp,        ///< a contact header at an STCP link
    kTcpclNotMtcp,        ///< a contact header at an MTCP link
    kTcpclVersion3,       ///< a contact header of RFC 7242 at a link of RFC 9174
    kTcpclVersion4,       ///< the other way round
    kPeerRequiresTls,     ///< the peer demands TLS, and this link has none
    kStcpNotMtcp,         ///< the beginning of an STCP frame at an MTCP link
    kMtcpNotStcp,         ///< the beginning of an MTCP frame at an STCP link
    kPeerRefusedSession,  ///< for what this side announces or proves (TCPCLv4 Contact Failure)
    kCount_,
};
[[nodiscard]] std::string_view to_string(LinkFault fault);
/// For people: "the neighbour closed the connection".
[[nodiscard]] std::string_view in_words(LinkFault fault);
/// The same with what is known beyond it, unless that is empty.
[[nodiscard]] std::string in_words(LinkFault fault, std::string_view detail);

/// Deviations of real peers from their standard, which farlink tolerates unless the link has
/// `strict`.
enum class ProtocolDeviation : std::uint8_t {
    kAckFlagsDiffer = 0,  ///< XFER_ACK without the flags of its segment (RFC 9174 section 5.2.3)
    kSegmentAboveMru,     ///< a segment larger than the announced MRU
    kReservedFlags,       ///< reserved bits that are not zero
    kNodeIdWithService,   ///< an ipn node id whose service is not 0
    kOtherNodeIdScheme,   ///< a dtn node id where the configuration has an ipn one
    kUnwantedTransferLength,  ///< a Transfer Length in a transfer of one segment (section 5.2.5.1)
    kMissingTransferLength,   ///< none in one of several segments
    kEmptyTransfer,           ///< a transfer or a frame without a bundle
    kKeepAliveUnexpected,     ///< keepalives although none were negotiated
    kAckBeyondSent,           ///< more acknowledged than was sent; taken as all of it
    kUnknownRefusalReason,
    kUnknownTerminationReason,
    kLengthAfterStart,  ///< TCPCLv3 LENGTH behind the start of its bundle
    // Of bundles, in the order of ingress::BundleDeparture.
    kUnnumberedBlocks,   ///< a fragment whose blocks have number 0 (RFC 9171 section 4.1)
    kPrimaryWithoutCrc,  ///< and no block integrity block instead (RFC 9171 section 4.3.1)
    kAgeBlockMissing,    ///< although there is no creation time (RFC 9171 section 4.4.2)
    kCount_,
};
[[nodiscard]] std::string_view to_string(ProtocolDeviation deviation);

}  // namespace farlink::cla
