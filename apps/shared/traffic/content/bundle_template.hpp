// SPDX-License-Identifier: Apache-2.0
// Writes bundles that differ only in creation timestamp and payload header, without encoding the
// rest again: an image of all octets up to the pattern, patched for each bundle.
// Owned by the generator; one thread. BPv7 (RFC 9171) with CRC-32C, BPv6 (RFC 5050) with CBHE.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "apps/shared/traffic/content/payload.hpp"
#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/codec/crc.hpp"

namespace farlink::traffic {

/// Custody transfer that a BPv6 bundle requests (RFC 5050 section 5.10).
enum class Custody : std::uint8_t {
    kNone,
    kSignals,     ///< custody, with a signal for each bundle
    kAggregates,  ///< with custody ids for aggregate signals (CCSDS 734.2-B-1)
};

struct BundleOptions {
    bp::EidView source;                  ///< an ipn endpoint
    bp::EidView destination;             ///< an ipn endpoint
    std::uint8_t version = 7;            ///< 7 or 6
    std::uint64_t lifetime_s = 3600;     ///< seconds
    std::uint8_t hop_limit = 30;         ///< BPv7: 1 to 255 (RFC 9171 section 4.4.3)
    std::uint64_t payload_bytes = 100;   ///< the payload header included
    Custody custody = Custody::kNone;    ///< BPv6; the source's node is the custodian
    std::uint64_t first_custody_id = 0;  ///< of bundle number 0
    bool critical = false;               ///< BPv6: sent by every route (ECOS)
    bool may_fragment = false;           ///< nodes may cut the bundles
};

enum class TemplateError : std::uint8_t {
    kNotIpn,           ///< source or destination is not an ipn endpoint
    kUnknownVersion,   ///< neither 6 nor 7
    kPayloadTooSmall,  ///< below PayloadHeader::kBytes
    kPayloadTooLarge,  ///< above kMaxPayloadBytes
    kBadHopLimit,      ///< 0
    kBadLifetime,      ///< 0, or beyond 64 bits in milliseconds
    kNoCustody,        ///< BPv7 has no custody transfer
    kNoCritical,       ///< nor an extended class of service
};
[[nodiscard]] std::string_view to_string(TemplateError error);

/// Of a BPv6 bundle that is sent then, in seconds since the DTN epoch.
[[nodiscard]] std::uint64_t creation_time_s(std::uint64_t sent_unix_ns);

/// A bundle is head() + the first tail_bytes() of the pattern + trailer().
class BundleTemplate {
public:
    /// Room that head() needs; a head is shorter.
    static constexpr std::size_t kHeadRoom = 256;
    /// BPv7: CRC item of the payload block and the end of the bundle's array.
    static constexpr std::size_t kMaxTrailerBytes = 6;
    static constexpr std::uint64_t kMaxPayloadBytes = std::uint64_t{1} << 40;

    [[nodiscard]] static Result<BundleTemplate, TemplateError> make(const BundleOptions &options,
                                                                    const Pattern &pattern);

    /// Writes the head of the bundle for `header` and returns its size. The creation timestamp is
    /// the header's send time with its sequence number.
    std::size_t head(const PayloadHeader &header, std::uint8_t *out);
    /// Writes the trailer that belongs to the last head(); returns its size.
    std::size_t trailer(std::uint8_t *out) const;

    [[nodiscard]] std::uint64_t tail_bytes() const {
        return payload_bytes_ - PayloadHeader::kBytes;
    }

private:
    /// Constant octets; copied with their unused room, which the next part overwrites.
    struct Part {
        static constexpr std::size_t kRoom = 64;
        std::array<std::uint8_t, kRoom> octets{};
        std::size_t size = 0;

        void end_at(const std::uint8_t *end);
        std::uint8_t *copy_to(std::uint8_t *to) const {
            std::memcpy(to, octets.data(), kRoom);
            return to + size;
        }
    };

    BundleTemplate(const BundleOptions &options, const Pattern &pattern);
    void prepare_v7(const BundleOptions &options, const Pattern &pattern);
    void prepare_v6(const BundleOptions &options);
    std::uint8_t *head_v7(const PayloadHeader &header, std::uint8_t *out);
    std::uint8_t *head_v6(const PayloadHeader &header, std::uint8_t *out);
    std::uint8_t *write_cteb(std::uint64_t sequence, std::uint8_t *to) const;

    std::uint8_t version_;
    std::uint64_t payload_bytes_;
    Part before_;  ///< the primary block up to the creation time (BPv6: from the endpoints on)
    /// From behind the sequence number to the payload's data (BPv6: to the end of the primary
    /// block).
    Part after_;

    // BPv7
    std::size_t crc_in_after_ = 0;      ///< end of the primary block's CRC in after_
    std::uint32_t before_crc_ = 0;      ///< of the primary block's octets in before_
    std::uint32_t block_head_crc_ = 0;  ///< of the payload block's octets in after_
    std::uint32_t tail_crc_ = 0;        ///< of the pattern and a zeroed CRC item
    codec::Crc32cShift tail_shift_;     ///< over the same octets
    std::uint32_t payload_crc_ = 0;     ///< of the last head()
    // BPv6
    std::size_t counted_bytes_ = 0;  ///< the primary block's length without the creation timestamp
    std::uint64_t flags_ = 0;
    bool critical_ = false;
    Part payload_block_;  ///< to its data
    Part custodian_;      ///< as text, when the bundles have custody ids
    std::uint64_t first_custody_id_ = 0;
};

}  // namespace farlink::traffic
