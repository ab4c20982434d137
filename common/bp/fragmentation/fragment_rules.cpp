// SPDX-License-Identifier: Apache-2.0
#include "common/bp/fragmentation/fragment_rules.hpp"

#include "common/bp/fragmentation/replication_v7.hpp"
#include "common/bp/v6/block.hpp"
#include "common/bp/v7/security_targets.hpp"

namespace farlink::bp {
namespace {

/// RFC 6257: the authentication, integrity, confidentiality and extension security blocks.
bool is_security_block_v6(std::uint8_t type) {
    return (type >= 2 && type <= 4) || type == 9;
}

// RFC 6257 signs and encrypts fragments in ways that depend on the ciphersuite.
bool security_allows_v6(ByteView blocks) {
    v6::SdnvReader reader(blocks);
    for (v6::Block block; !reader.left().empty();)
        if (!v6::read_block(reader, block) || is_security_block_v6(block.head.type)) return false;
    return true;
}

/// Whether block `number` is encrypted by a block that goes with the first fragment only: to the
/// receivers of the others it is plain text (RFC 9172 section 3.8).
bool is_encrypted_once(ByteView blocks, std::uint64_t number) {
    codec::CborReader reader(blocks);
    for (v7::Block block; !reader.done() && v7::read_block(reader, block).has_value();)
        if ((block.head.flags & v7::kReplicateBlock) == 0 &&
            v7::is_security_target(block.octets, v7::kConfidentialityBlock, number))
            return true;
    return false;
}

bool blocks_allow_v7(const BundleView &view, ByteView blocks) {
    // RFC 9171 section 4.3.1: without a CRC, a block of the first fragment protects the primary
    // block; the others would have neither.
    if (view.primary_without_crc && view.primary_signed) return false;
    if (is_encrypted_once(blocks, v7::kPayloadBlock)) return false;  // its number is that too
    const v7::Replication replication(blocks);
    codec::CborReader reader(blocks);
    for (v7::Block block; !reader.done();) {
        if (!v7::read_block(reader, block)) return false;
        const bool everywhere = replication.is_in_every_fragment(block.head);
        if (everywhere && is_encrypted_once(blocks, block.head.number)) return false;
        // RFC 9171 section 4.4.2: without a creation time, each fragment needs its age.
        if (view.creation_time == 0 && block.head.type == v7::kBundleAgeBlock && !everywhere)
            return false;
    }
    return true;
}

}  // namespace

bool may_be_fragmented(const BundleView &view, ByteView head) {
    // RFC 9171 section 4.2.3: an anonymous bundle has no identity that its fragments could share.
    if (view.must_not_fragment || view.source.is_null() || view.payload_length < 2) return false;
    // A custody signal names one fragment, and a custodian waits for one signal.
    if (view.custody_requested) return false;
    const ByteView blocks = head.subspan(view.primary_end);
    return view.version == kBpVersion6 ? security_allows_v6(blocks) : blocks_allow_v7(view, blocks);
}

}  // namespace farlink::bp
