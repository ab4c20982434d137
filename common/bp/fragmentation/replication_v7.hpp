// SPDX-License-Identifier: Apache-2.0
// Which extension blocks of a BPv7 bundle go into every fragment (RFC 9171 section 5.8).
// Borrows the blocks; plain functions.
// Any thread.
#pragma once

#include "common/bp/v7/block.hpp"
#include "common/bp/v7/security_targets.hpp"

namespace farlink::bp::v7 {

class Replication {
public:
    /// `blocks` are the extension blocks of a bundle that parse() accepted.
    explicit Replication(ByteView blocks) : blocks_(blocks) {
        codec::CborReader reader(blocks);
        for (Block block; !reader.done() && read_block(reader, block).has_value();)
            secured_ |=
                block.head.type == kIntegrityBlock || block.head.type == kConfidentialityBlock;
    }

    /// Previous node, age and hop count describe each fragment, since each is forwarded and
    /// expires as a bundle of its own. Signed or encrypted ones go by their flag: their security
    /// block may be in the first fragment only.
    [[nodiscard]] bool is_in_every_fragment(const BlockHead &head) const {
        if ((head.flags & kReplicateBlock) != 0) return true;
        const bool describes = head.type == kPreviousNodeBlock || head.type == kBundleAgeBlock ||
                               head.type == kHopCountBlock;
        return describes && !(secured_ && is_protected(blocks_, head.number));
    }

private:
    ByteView blocks_;
    bool secured_ = false;
};

}  // namespace farlink::bp::v7
