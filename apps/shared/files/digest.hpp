// SPDX-License-Identifier: Apache-2.0
// SHA-256 of octets that come in pieces.
// Owned by the reader or the writer of a file.
// One thread at a time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "common/base/bytes.hpp"

// OpenSSL's.
struct evp_md_ctx_st;

namespace farlink::files {

using Digest = std::array<std::uint8_t, 32>;

class Sha256 {
public:
    Sha256();
    void update(ByteView octets);
    /// Of all octets so far; the next one begins anew.
    [[nodiscard]] Digest finish();

private:
    struct Free {
        void operator()(evp_md_ctx_st *context) const;
    };
    std::unique_ptr<evp_md_ctx_st, Free> context_;
};

[[nodiscard]] std::string hex_of(ByteView octets);

}  // namespace farlink::files
