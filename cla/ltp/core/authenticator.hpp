// SPDX-License-Identifier: Apache-2.0
// LTP authentication (RFC 5327 section 2.1) as the engine sees it: something that signs segments
// and checks them. Implemented where the cryptography is; borrowed by the engine for a peer.
// One thread.
#pragma once

#include <cstddef>
#include <span>

#include "common/base/bytes.hpp"

namespace farlink::cla::ltp {

class Authenticator {
public:
    virtual ~Authenticator() = default;
    /// The header extension's value: the ciphersuite and the key id, at most 64 octets.
    [[nodiscard]] virtual ByteView header_value() const = 0;
    /// Octets of an authentication value, at most 127.
    [[nodiscard]] virtual std::size_t value_bytes() const = 0;
    /// Writes the authentication value of a segment that consists of these pieces.
    virtual void sign(std::span<const ByteView> segment, MutableBytes value) = 0;
    /// `header_value`: as the segment says, empty when it says nothing.
    [[nodiscard]] virtual bool verify(ByteView header_value, std::span<const ByteView> segment,
                                      ByteView value) = 0;
};

}  // namespace farlink::cla::ltp
