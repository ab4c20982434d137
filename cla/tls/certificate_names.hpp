// SPDX-License-Identifier: Apache-2.0
// The names that a certificate vouches for, and whether a peer is one of them (RFC 9174 section
// 4.4.4).
// Values and pure functions; any thread. peer_policy decides which proof a peer needs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace farlink::cla {

/// The subject alternative names that a TCPCL entity can have (RFC 9174 section 4.4.1).
struct CertificateNames {
    std::vector<std::string> node_ids;   ///< NODE-ID: "ipn:10.0"; other endpoint ids are left out
    std::vector<std::string> dns_names;  ///< DNS-ID
    std::vector<std::string> addresses;  ///< IPADDR-ID as text: "192.0.2.1", "2001:db8::1"
};

/// RFC 9174 section 4.4.4: Success, Absent, Failure.
enum class Proof : std::uint8_t {
    kProved,
    kAbsent,    ///< the certificate has no name of this kind
    kMismatch,  ///< it has some, and this peer is none of them
};

/// NODE-ID authentication (section 4.4.4.3) of the node id that the peer announced.
[[nodiscard]] Proof prove_node_id(const CertificateNames &names, std::string_view announced);

/// Network-level authentication (section 4.4.4.2). `host` is the name or the address that the link
/// was told to connect to, empty on the passive side, where a DNS name proves nothing; `address` is
/// the other end of the TCP connection. Wildcards prove nothing.
[[nodiscard]] Proof prove_host(const CertificateNames &names, std::string_view host,
                               std::string_view address);

}  // namespace farlink::cla
