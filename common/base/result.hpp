// SPDX-License-Identifier: Apache-2.0
// The result of an operation that can fail: a value or a small enum that names the fault.
// Owned by its caller, as any value; no thread affinity.
// Every area has an enum of its own (`CborError`, `StoreError`); data paths do not throw.
#pragma once

#include <expected>
#include <utility>

namespace farlink {

template <class T, class E>
using Result = std::expected<T, E>;

template <class E>
[[nodiscard]] constexpr std::unexpected<std::decay_t<E>> fail(E &&error) {
    return std::unexpected<std::decay_t<E>>(std::forward<E>(error));
}

}  // namespace farlink
