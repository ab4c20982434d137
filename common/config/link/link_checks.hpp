// SPDX-License-Identifier: Apache-2.0
// What the fields of one link must have in common, and the defaults that follow from the node.
// Plain functions that borrow everything; any thread.
// Files of TLS are looked for, not read: what is in them is judged by the layer that uses them.
#pragma once

#include <string>
#include <vector>

#include "common/config/fields/config_error.hpp"
#include "common/config/link/link_config.hpp"

namespace farlink::config {

/// What a link takes from the node that it belongs to.
struct LinkContext {
    NodeNumber node;                                    ///< 0: not known, `nodeId` stays empty
    std::uint64_t buffer_bytes = 128ULL * 1024 * 1024;  ///< 0: was wrong, nothing is checked by it
    std::string folder;  ///< relative file names are meant relative to it
};

/// `path` is the link's place, "outductsConfig[1]", or empty. A field that was wrong by itself is
/// 0 or empty and passed over.
void check_link(const InductConfig &induct, const LinkContext &context, const std::string &path,
                std::vector<ConfigError> &errors);
void check_link(const OutductConfig &outduct, const LinkContext &context, const std::string &path,
                std::vector<ConfigError> &errors);

/// Of a link without errors.
void fill_link_defaults(InductConfig &induct, const LinkContext &context);
void fill_link_defaults(OutductConfig &outduct, const LinkContext &context);

}  // namespace farlink::config
