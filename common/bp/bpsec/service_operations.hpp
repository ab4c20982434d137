// SPDX-License-Identifier: Apache-2.0
// The operations of one service in a bundle.
// A plain function; the caller owns the list.
// One thread.
#pragma once

#include <vector>

#include "common/bp/bpsec/secured_bundle.hpp"

namespace farlink::bp::bpsec {

/// Those of `service` that can be read now replace what is in `to`, so that each can be tried while
/// the bundle changes.
inline void list_operations(const SecuredBundle &bundle, Service service,
                            std::vector<Operation> &to) {
    bundle.list_operations(to);
    std::erase_if(to, [service](const Operation &one) { return one.service != service; });
}

}  // namespace farlink::bp::bpsec
