// SPDX-License-Identifier: Apache-2.0
// AES-GCM as TLS 1.2 frames it: a nonce of a fixed and an explicit part, the tag behind the text.
// Owned by one direction of a TLS connection, beside its GcmCipher, on its thread.
// OpenSSL leaves this framing to the cipher; that of TLS 1.3 it does itself.
#pragma once

#if FARLINK_TLS && FARLINK_IPSEC_MB

#include <array>
#include <cstdint>
#include <optional>

#include "cla/tls/gcm/gcm_cipher.hpp"

namespace farlink::cla {

class Tls12Gcm {
public:
    /// What a record is longer by than its text (RFC 5288 section 3).
    static constexpr std::size_t kExplicitBytes = 8;
    static constexpr std::size_t kOverheadBytes = kExplicitBytes + GcmCipher::kTagBytes;

    /// The salt: the first octets of every nonce, from the handshake (RFC 5288 section 3).
    [[nodiscard]] bool set_salt(ByteView salt);
    /// Begins a record: sequence number, type, version and length, as OpenSSL has them for the
    /// additional data of RFC 5246 section 6.2.3.3. The length is that of the record without the
    /// tag when sealing, with it when opening; both with the explicit part of the nonce.
    [[nodiscard]] bool announce(GcmCipher::Direction direction, ByteView header);
    [[nodiscard]] bool announced() const { return announced_; }

    /// The record that was announced: `record` holds the explicit part of the nonce, the text and
    /// the tag, when sealing as room in front and behind. `to` has as much room and may be the
    /// same. The size for OpenSSL: of the record when sealing, of the text when
    /// opening. Nothing when the record is not what was sealed; `to` holds nothing of it then.
    [[nodiscard]] std::optional<std::size_t> process(GcmCipher &cipher, ByteView record,
                                                     std::uint8_t *to);

private:
    static constexpr std::size_t kSaltBytes = 4;
    static constexpr std::size_t kHeaderBytes = 13;

    [[nodiscard]] bool begin(GcmCipher &cipher, ByteView explicit_part);
    [[nodiscard]] bool seal(GcmCipher &cipher, ByteView text, std::uint8_t *to);
    [[nodiscard]] bool open(GcmCipher &cipher, ByteView record, std::uint8_t *to);

    bool has_salt_ = false;
    bool announced_ = false;
    std::size_t text_bytes_ = 0;
    std::array<std::uint8_t, kSaltBytes> salt_{};
    std::array<std::uint8_t, kHeaderBytes> header_{};
};

}  // namespace farlink::cla

#endif  // FARLINK_TLS && FARLINK_IPSEC_MB
