// SPDX-License-Identifier: Apache-2.0
// The ciphersuites of LTP authentication with a keyed hash (RFC 5327 section 2.1, RFC 2104), by
// OpenSSL.
// Owned by an LTP link's keys; one thread. Signing allocates nothing.
#pragma once

#include <memory>
#include <string>

#include "cla/ltp/core/codec/authenticator.hpp"
#include "common/base/result.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::cla::ltp {

class HmacAuthenticator : public Authenticator {
public:
    /// As long as the hash: a shorter one weakens it (RFC 2104 section 3).
    [[nodiscard]] static constexpr std::size_t least_key_bytes(config::LtpCiphersuite suite) {
        return suite == config::LtpCiphersuite::kHmacSha256 ? 32 : 20;
    }
    /// The key may have any length. An error if the build has no OpenSSL.
    [[nodiscard]] static Result<std::unique_ptr<Authenticator>, std::string> make(
        config::LtpCiphersuite suite, ByteView key, ByteView key_id);

    HmacAuthenticator(const HmacAuthenticator &) = delete;
    HmacAuthenticator &operator=(const HmacAuthenticator &) = delete;

    [[nodiscard]] ByteView header_value() const override { return header_; }

protected:
    HmacAuthenticator(config::LtpCiphersuite suite, ByteView key_id)
        : header_{static_cast<std::uint8_t>(suite)} {
        append(header_, key_id);
    }

private:
    Bytes header_;
};

}  // namespace farlink::cla::ltp
