// SPDX-License-Identifier: Apache-2.0
// What the sources of both security blocks share: the rules, a number, and the block itself.
// Functions over a bundle that is changed.
// One thread.
#pragma once

#include <span>

#include "common/bp/bpsec/integrity.hpp"
#include "common/bp/bpsec/scope_input.hpp"

namespace farlink::bp::bpsec {

/// The rules for any new security block: not in a fragment (RFC 9172 section 5.2), targets that
/// are none or repeated, a number that is in use.
[[nodiscard]] Verdict check_new_block(const SecuredBundle &bundle,
                                      std::span<const std::uint64_t> targets,
                                      const NewBlock &block);

/// The requested number, or the lowest that is free; 0: none is.
[[nodiscard]] std::uint64_t number_for(const SecuredBundle &bundle, const NewBlock &block);

/// Adds the block to the bundle, which has room for its number.
[[nodiscard]] Verdict add_new_block(SecuredBundle &bundle, const BlockHeader &header,
                                    const SecurityBlock &block, Place place);

/// Whether an operation covers the primary block's octets, or may: an encrypted BIB cannot be read.
[[nodiscard]] bool is_primary_covered(const SecuredBundle &bundle);

}  // namespace farlink::bp::bpsec
