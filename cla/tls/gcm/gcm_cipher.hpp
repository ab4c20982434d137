// SPDX-License-Identifier: Apache-2.0
// AES-GCM (NIST SP 800-38D) of one key, message after message, each under a nonce of its own.
// Owned by one direction of a TLS connection, on its thread; a copy goes on by itself.
// A call at the wrong moment fails and changes nothing; the key is wiped from memory at the end.
#pragma once

#if FARLINK_TLS && FARLINK_IPSEC_MB

#include <array>
#include <cstdint>

#include "cla/tls/gcm/gcm_kernels.hpp"
#include "common/base/bytes.hpp"

namespace farlink::cla {

class GcmCipher {
public:
    enum class Direction : std::uint8_t { kSeal, kOpen };

    static constexpr std::size_t kNonceBytes = 12;
    static constexpr std::size_t kTagBytes = 16;
    /// The header of a TLS record has 5 octets, what is authenticated in TLS 1.2 13.
    static constexpr std::size_t kMaxAssociatedBytes = 64;

    explicit GcmCipher(const GcmKernels &kernels) : kernels_(kernels) {}
    ~GcmCipher();
    GcmCipher(const GcmCipher &) = default;
    GcmCipher &operator=(const GcmCipher &) = delete;

    /// Ends the message at hand. An empty key keeps the one before; with a nonce a message begins.
    [[nodiscard]] bool start(Direction direction, ByteView key, ByteView nonce);
    [[nodiscard]] Direction direction() const { return direction_; }
    [[nodiscard]] std::size_t key_bytes() const { return kernels_.key_bytes; }

    /// What is authenticated and not encrypted; may come in pieces, before update().
    [[nodiscard]] bool associate(ByteView octets);
    /// `to` may be `from`, or apart from it; nothing in between.
    [[nodiscard]] bool update(ByteView from, std::uint8_t *to);
    /// What the tag of the message has to be: before finish(), when opening.
    [[nodiscard]] bool expect_tag(ByteView tag);
    /// When opening, false: the message is not the one that was sealed; nothing of it may be used.
    [[nodiscard]] bool finish();
    /// Of the message that was sealed last; empty unless finish() was the last call.
    [[nodiscard]] ByteView tag() const;

private:
    /// kNoKey -> kNoNonce -> kAssociated -> kText -> kEnded -> (start) ...
    enum class State : std::uint8_t { kNoKey, kNoNonce, kAssociated, kText, kEnded };
    /// Of one message under one nonce (NIST SP 800-38D section 5.2.1.1).
    static constexpr std::uint64_t kMaxTextBytes = (std::uint64_t{1} << 36) - 32;

    void set_key(ByteView key);
    void set_nonce(ByteView nonce);
    /// True when text may come or end; the associated octets are complete then.
    [[nodiscard]] bool enter_text();

    GcmKernels kernels_;
    State state_ = State::kNoKey;
    Direction direction_ = Direction::kSeal;
    bool expects_tag_ = false;
    std::size_t associated_bytes_ = 0;
    std::array<std::uint8_t, kNonceBytes> nonce_{};
    std::array<std::uint8_t, kTagBytes> tag_{};  ///< made, or expected
    std::array<std::uint8_t, kMaxAssociatedBytes> associated_{};
    alignas(64) gcm_key_data key_{};
    alignas(64) gcm_context_data message_{};
};

}  // namespace farlink::cla

#endif  // FARLINK_TLS && FARLINK_IPSEC_MB
