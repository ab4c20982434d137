// SPDX-License-Identifier: Apache-2.0
// What an integrity value or an authentication tag covers beside the target's data: the beginning
// of the IPPT (RFC 9173 section 3.7) and the AAD (section 4.7.2).
// Functions over a bundle; nothing is allocated.
// Any thread.
#pragma once

#include "common/bp/bpsec/block/context.hpp"
#include "common/bp/bpsec/secured_bundle.hpp"

namespace farlink::bp::bpsec {

/// The fields of a block that a scope may cover.
struct BlockHeader {
    std::uint64_t type = 0;
    std::uint64_t number = 0;
    std::uint64_t flags = 0;
};

[[nodiscard]] inline BlockHeader header_of(const Part &part) {
    return {part.type, part.number, part.flags};
}

/// RFC 9172 section 4: reserved and unassigned flags are 0 in the canonical form.
inline constexpr std::uint64_t kAssignedBlockFlags =
    v7::kReplicateBlock | v7::kReportIfUnprocessable | v7::kDeleteBundleIfUnprocessable |
    v7::kDiscardBlockIfUnprocessable;

inline std::uint8_t *write_header(std::uint8_t *to, const BlockHeader &header) {
    to = codec::write_cbor_uint(to, header.type);
    to = codec::write_cbor_uint(to, header.number);
    return codec::write_cbor_uint(to, header.flags & kAssignedBlockFlags);
}

/// Gives the scope's octets to `add(ByteView)`, for target `target` (0: the primary block, whose
/// own scope has neither itself nor a header) and the security block with that header.
template <class Add>
void add_scope(const SecuredBundle &bundle, Scope scope, std::uint64_t target,
               const BlockHeader &security, Add add) {
    std::uint8_t headers[6 * codec::kMaxCborHeadBytes];
    headers[0] = static_cast<std::uint8_t>(scope & kWholeScope);
    add(ByteView(headers, 1));
    if ((scope & kScopePrimary) != 0 && target != 0) add(bundle.canonical_primary());
    std::uint8_t *end = headers;
    if ((scope & kScopeTarget) != 0 && target != 0)
        if (const Part *const part = bundle.find(target); part != nullptr)
            end = write_header(end, header_of(*part));
    if ((scope & kScopeSecurity) != 0) end = write_header(end, security);
    if (end != headers) add(ByteView(headers, end));
}

/// The canonical form of the target (section 3.7, step 5): the block's data as a byte string; the
/// primary block likewise, as appendix A.3.3.2 shows.
template <class Add>
void add_target(const SecuredBundle &bundle, std::uint64_t target, Add add) {
    const Part *const part = bundle.find(target);
    const bool is_payload = part != nullptr && part->is_payload();
    const ByteView data = part != nullptr ? part->data : bundle.canonical_primary();
    std::uint8_t head[codec::kMaxCborHeadBytes];
    const std::uint64_t size = is_payload ? bundle.payload_size() : data.size();
    add(ByteView(head, codec::write_cbor_head(head, codec::CborMajor::kBytes, size)));
    if (!is_payload) return add(data);
    for (const ByteView piece : bundle.payload()) add(piece);
}

}  // namespace farlink::bp::bpsec
