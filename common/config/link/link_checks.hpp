// SPDX-License-Identifier: Apache-2.0
// Checks the fields of one link against each other, and sets defaults that depend on the node.
// Plain functions that borrow everything; any thread.
// TLS files must exist; their content is checked by the convergence layer that uses them.
#pragma once

#include <string>
#include <vector>

#include "common/config/fields/config_error.hpp"
#include "common/config/link/link_config.hpp"

namespace farlink::config {

/// The properties of the node that a link depends on.
struct LinkContext {
    NodeNumber node;                                    ///< 0: unknown, `nodeId` stays empty
    std::uint64_t buffer_bytes = 128ULL * 1024 * 1024;  ///< 0: invalid, not used in checks
    std::string folder;                                 ///< the base of relative file names
};

/// `path` is the link's place, "outductsConfig[1]", or empty. An invalid field is 0 or empty and is
/// skipped.
void check_link(const InductConfig &induct, const LinkContext &context, const std::string &path,
                std::vector<ConfigError> &errors);
void check_link(const OutductConfig &outduct, const LinkContext &context, const std::string &path,
                std::vector<ConfigError> &errors);

/// Of a link without errors.
void fill_link_defaults(InductConfig &induct, const LinkContext &context);
void fill_link_defaults(OutductConfig &outduct, const LinkContext &context);

}  // namespace farlink::config
