// SPDX-License-Identifier: Apache-2.0
// The configuration of one induct or outduct: parsed, checked, defaults filled in.
// Part of NodeConfig.
// Read-only once loaded; any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/time.hpp"
#include "common/base/types.hpp"
#include "common/config/fields/link_url.hpp"

namespace farlink::config {

enum class TlsMode : std::uint8_t { kNone = 0, kOptional = 1, kRequired = 2 };

/// TLS on a link; files are PEM.
struct TlsConfig {
    TlsMode mode = TlsMode::kNone;  ///< `tls`: none, optional, required
    std::string ca_file;            ///< `ca`: authorities that may issue the peer's certificate
    std::string crl_file;           ///< `crl`: revocation lists of those authorities
    std::string certificate_file;   ///< `cert`: this node's certificate and intermediate ones
    std::string key_file;           ///< `key`
    bool insecure = false;          ///< `tlsInsecure`: the peer's certificate is not checked
    bool chain_only = false;        ///< `tlsVerify`: chain; the names in it are not checked
};

/// Ciphersuites of RFC 5327 section 2.1; HMAC-SHA-256 has a number for private use.
enum class LtpCiphersuite : std::uint8_t { kHmacSha1_80 = 0, kHmacSha256 = 192, kNull = 255 };

/// How LTP segments from and to a peer are authenticated (RFC 5327 section 2.1).
struct LtpAuthenticationConfig {
    bool wanted = false;
    LtpCiphersuite suite = LtpCiphersuite::kHmacSha256;  ///< `ltpAuthentication`
    std::string key_file;                                ///< `ltpAuthenticationKeyFile`
    std::string key_id;  ///< `ltpAuthenticationKeyId`: hexadecimal; empty: none is sent
};

/// LTP on a link (RFC 5326); the keys are the field's own words.
struct LtpConfig {
    std::uint64_t engine_id = 0;             ///< `thisLtpEngineId`; 0: `myNodeId`
    std::uint64_t remote_engine_id = 0;      ///< `remoteLtpEngineId`; 0: `nextHopNodeId`
    std::uint64_t client_service_id = 1;     ///< `clientServiceId`: 1 bundles, 2 aggregation
    std::uint32_t data_segment_mtu = 0;      ///< `ltpDataSegmentMtu`: octets of a block
    std::uint32_t report_segment_mtu = 0;    ///< `ltpReportSegmentMtu`: likewise
    Duration owlt{};                         ///< `oneWayLightTimeMs`
    Duration margin{};                       ///< `oneWayMarginTimeMs`
    std::uint32_t max_retries = 0;           ///< `ltpMaxRetriesPerSerialNumber`
    std::uint32_t random_number_bits = 0;    ///< `ltpRandomNumberSizeBits`: 64 or 32
    std::uint32_t checkpoint_every = 0;      ///< `ltpCheckpointEveryNthDataSegment`; 0: none
    std::uint32_t receive_elements = 0;      ///< `numRxCircularBufferElements`: datagrams
    std::uint32_t max_receive_sessions = 0;  ///< `ltpMaxExpectedSimultaneousSessions`
    std::uint32_t max_send_sessions = 0;     ///< `bundlePipelineLimit`
    std::uint64_t aggregation_bytes = 0;     ///< `ltpAggregationSizeBytes`; 0: none
    Duration aggregation_time{};             ///< `ltpAggregationTimeMilliseconds`
    Duration report_delay{};              ///< `delaySendingOfReportSegmentsTimeMsOrZeroToDisable`
    Duration repair_delay{};              ///< `delaySendingOfDataSegmentsTimeMsOrZeroToDisable`
    Duration ping_interval{};             ///< `ltpSenderPingSecondsOrZeroToDisable`
    std::uint16_t sender_bound_port = 0;  ///< `ltpSenderBoundPort`; 0: the system's choice
    bool segmentation_offload = true;     ///< `segmentationOffload`: the kernel splits and joins
    LtpAuthenticationConfig authentication;
};

/// The options of inducts and outducts; the guide lists those of each convergence layer.
struct LinkOptions {
    LinkId id = kNoLink;  ///< place among all links: inducts, outducts, spans
    LinkUrl url;          ///< `url`
    TlsConfig tls;
    std::string node_id;             ///< `nodeId`: announced to the peer; empty: `ipn:<myNodeId>.0`
    bool strict = false;             ///< `strict`: protocol deviations are refused
    bool allow_missing_age = false;  ///< `allowMissingAge`: of BPv7 bundles
    std::uint64_t max_bundle_size_bytes = 0;  ///< `maxBundleSizeBytes`: largest bundle accepted
    std::uint32_t keep_alive_interval_s = 0;  ///< `keepAliveIntervalSeconds`; 0: none
    std::uint32_t idle_timeout_s = 0;         ///< `idleTimeoutSeconds` of an induct; 0: none
    /// `strangerIdleTimeoutSeconds` of an induct: without a bundle; 0: none
    std::uint32_t stranger_idle_timeout_s = 60;
    std::uint32_t handshake_timeout_s = 10;      ///< `handshakeTimeoutSeconds`
    std::uint64_t segment_mru_bytes = 0;         ///< `segmentMruBytes`: largest segment accepted
    std::uint64_t max_segment_bytes = 0;         ///< `maxSegmentBytes`: largest segment sent
    std::uint64_t max_unacknowledged_bytes = 0;  ///< `maxUnsettledBytes`: of one peer
    std::uint64_t max_in_flight_bytes = 0;       ///< `maxSumOfBundleBytesInPipeline`
    std::uint32_t max_in_flight_bundles = 0;     ///< `maxNumberOfBundlesInPipeline`
    BitRate rate_limit;                          ///< `rateLimitBitsPerSec`: towards a peer; 0: none
    std::uint64_t max_datagram_bytes = 0;        ///< `maxDatagramBytes` of an outduct: UDP payload
    std::uint64_t socket_buffer_bytes = 0;       ///< `socketBufferBytes`: requested; 0: the default
    std::uint32_t instance = 0;  ///< `instance` of ingress or egress, from 1; 0: in turn
    LtpConfig ltp;
    std::vector<std::string_view> given_keys{};  ///< keys of the file; others have their defaults
};

/// `neighbours[]` of an induct: node ids that may be claimed from an address without proof.
struct NeighbourAddress {
    NodeNumber node;           ///< `nodeId`; 0: any node
    std::string address;       ///< `address`: an IP address, or a prefix: 10.0.0.0/8
    std::string peer_node_id;  ///< `peerNodeId`: as it announces itself; empty: `ipn:<nodeId>.0`
    LtpAuthenticationConfig ltp_authentication{};  ///< in place of the induct's own
};

/// The response to the sender of a bundle without room.
enum class NoResources : std::uint8_t {
    kRefuse = 0,
    kPause = 1,       ///< the acknowledgement is withheld
    kDisconnect = 2,  ///< the session ends
};

/// `inductsConfig[]`.
struct InductConfig : LinkOptions {
    std::uint32_t max_sessions = 0;       ///< `maxSessions`
    std::uint32_t max_handshakes = 0;     ///< `maxHandshakes`: peers without a session yet
    bool acknowledge_on_receipt = false;  ///< `acknowledge`: whenSafe or onReceipt
    NoResources on_no_resources = NoResources::kRefuse;  ///< `onNoResources`
    std::vector<NeighbourAddress> neighbours;            ///< `neighbours`
};

/// `outductsConfig[]`: the link to one neighbour.
struct OutductConfig : LinkOptions {
    NodeNumber next_hop;       ///< `nextHopNodeId`
    std::string peer_node_id;  ///< `peerNodeId`; empty: `ipn:<nextHopNodeId>.0`
    std::string bind_address;  ///< `bindAddress`: local address; empty: the system's choice
    Duration reconnect_min{};  ///< `reconnectMinMilliseconds`
    Duration reconnect_max{};  ///< `reconnectMaxMilliseconds`
    /// `storedSharePercent`: of the link, while bundles of the same priority are cut through too
    std::uint32_t stored_share_percent = 50;
    bool fragment = true;                    ///< `fragment`: bundles may be cut for this neighbour
    std::uint64_t fragment_above_bytes = 0;  ///< `fragmentBundlesLargerThanBytes`; 0: no limit
    bool fragment_to_contact = false;        ///< `fragmentToContact`: at the end of a contact
};

}  // namespace farlink::config
