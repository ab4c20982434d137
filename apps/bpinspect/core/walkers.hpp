// SPDX-License-Identifier: Apache-2.0
// The walkers over whole bundles and administrative records of both versions.
// Plain functions on values; a record may hold a bundle, so they call each other.
// Any thread.
#pragma once

#include "apps/bpinspect/core/item_fields.hpp"

namespace farlink::inspect {

/// An encapsulated bundle in an encapsulated bundle and so on: further ones are not taken apart.
inline constexpr unsigned kMostNested = 4;

/// What a walker fills beside its fields.
struct Walk {
    Deviations &deviations;
    Inspection &summary;
    unsigned depth = 0;  ///< bundles round this one
};

[[nodiscard]] Field bundle_field7(const Window &window, Walk &walk);
[[nodiscard]] Field bundle_field6(const Window &window, Walk &walk);
/// Appends the fields of an administrative record to `to`.
void add_record7(const Window &window, Field &to, Walk &walk);
void add_record6(const Window &window, Field &to, Walk &walk);

/// A bundle that a record contains: of either version, taken apart without its summary.
[[nodiscard]] Field encapsulated_field(const Window &window, Walk &walk);

}  // namespace farlink::inspect
