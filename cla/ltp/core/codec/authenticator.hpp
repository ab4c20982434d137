// SPDX-License-Identifier: Apache-2.0
// LTP authentication (RFC 5327 section 2.1): the interface that computes the value of a segment.
// Implemented outside of the core, next to the cryptography; borrowed by the engine for a peer.
// One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "cla/ltp/core/codec/segment.hpp"
#include "common/base/bytes.hpp"

namespace farlink::cla::ltp {

class Authenticator {
public:
    static constexpr std::size_t kMaxHeaderBytes = 64;
    static constexpr std::size_t kMaxValueBytes = 127;

    virtual ~Authenticator() = default;
    /// The header extension's value: the ciphersuite and the key id, at most kMaxHeaderBytes.
    [[nodiscard]] virtual ByteView header_value() const = 0;
    /// Octets of an authentication value, at most kMaxValueBytes.
    [[nodiscard]] virtual std::size_t value_bytes() const = 0;
    /// Writes the authentication value of a segment that consists of these pieces.
    virtual void sign(std::span<const ByteView> segment, MutableBytes value) = 0;
};

enum class Authenticity : std::uint8_t {
    kAuthentic,
    kMissing,   ///< no authentication value
    kOtherKey,  ///< the header names another ciphersuite, or another key
    kForged,    ///< the value does not match the segment and the key
};

/// Does the segment carry a value that this key has made?
[[nodiscard]] Authenticity authenticity_of(const Segment &segment, Authenticator &authenticator);

}  // namespace farlink::cla::ltp
