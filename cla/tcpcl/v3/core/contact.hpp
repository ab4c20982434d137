// SPDX-License-Identifier: Apache-2.0
// The contact header of TCPCLv3 and what two of them agree on (RFC 7242 section 4).
// Owned by one session's core; one thread.
// The header is read to its last octet and no further, so that nothing of what follows is in hand
// before the host has accepted this peer; a stranger costs no slab.
#pragma once

#include <cstdint>
#include <string>

#include "cla/api/link_fault.hpp"
#include "common/base/bytes.hpp"
#include "common/base/time.hpp"

namespace farlink::cla::tcpclv3 {

inline constexpr std::uint8_t kProtocolVersion = 3;
/// That of RFC 9174.
inline constexpr std::uint8_t kNextVersion = 4;
/// Longest endpoint id that a peer may have.
inline constexpr std::size_t kMaxNodeIdBytes = 1023;

/// Flags (section 4.1, table 1).
inline constexpr std::uint8_t kRequestAcks = 0x1;
inline constexpr std::uint8_t kRequestReactiveFragmentation = 0x2;
inline constexpr std::uint8_t kSupportRefusal = 0x4;
inline constexpr std::uint8_t kRequestLength = 0x8;

struct ContactHeader {
    std::uint8_t flags = 0;
    std::uint16_t keep_alive_s = 0;  ///< 0: none
    std::string node_id;
};

/// What farlink sends: it takes acknowledgements, refusals and LENGTH. It never requests reactive
/// fragmentation: half a bundle is no use to a neighbour that cuts bundles through.
[[nodiscard]] ContactHeader own_contact(const std::string &node_id, Duration keep_alive);
[[nodiscard]] Bytes encode_contact(const ContactHeader &header);

/// What holds on a session (section 4.2).
struct SessionTerms {
    bool acknowledgements = false;
    bool refusal = false;
    bool length = false;    ///< the peer takes LENGTH messages
    Duration keep_alive{};  ///< 0: none
};

[[nodiscard]] SessionTerms negotiate(const ContactHeader &ours, const ContactHeader &theirs);

/// Reads the peer's contact header.
class ContactReader {
public:
    enum class Status : std::uint8_t {
        kIncomplete,
        kComplete,
        kBadMagic,      ///< not this protocol at all
        kOtherVersion,  ///< another version of it, in whatever form that has
        kBadNodeId,     ///< too long, or not the text of an endpoint id
    };

    /// Where to read next; never beyond the end of the header, never empty before kComplete.
    [[nodiscard]] MutableBytes space();
    [[nodiscard]] Status handle_bytes(std::size_t size);
    /// The protocol of a peer with kBadMagic.
    [[nodiscard]] LinkFault stranger() const;
    /// Of a peer with kOtherVersion.
    [[nodiscard]] std::uint8_t version() const;
    /// Once complete.
    [[nodiscard]] const ContactHeader &header() const { return header_; }

private:
    [[nodiscard]] Status read_node_id();

    Bytes octets_;
    std::size_t filled_ = 0;
    ContactHeader header_;
};

}  // namespace farlink::cla::tcpclv3
