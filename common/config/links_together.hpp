// SPDX-License-Identifier: Apache-2.0
// What a link may not have in common with the other links of its node: ports and neighbours.
// Plain functions that borrow everything; any thread.
// A configuration file is checked link by link, against those before; a link that comes while the
// node runs against all that there are.
#pragma once

#include <string>
#include <vector>

#include "common/config/config_error.hpp"
#include "common/config/node_config.hpp"

namespace farlink::config {

struct OtherLinks {
    template <class Config>
    struct Named {
        std::string name;  ///< for the error: "inductsConfig[1]"
        const Config *config = nullptr;
    };
    std::vector<Named<InductConfig>> inducts;
    std::vector<Named<OutductConfig>> outducts;
    bool may_share = false;  ///< an LTP outduct may have the port of an induct
};

/// `path` is the link's place. A field that was wrong by itself is 0 or empty and passed over.
void check_among(const InductConfig &induct, const OtherLinks &others, const std::string &path,
                 std::vector<ConfigError> &errors);
void check_among(const OutductConfig &outduct, const OtherLinks &others, const std::string &path,
                 std::vector<ConfigError> &errors);

/// Each LTP outduct that leaves by an LTP induct's port (`ltpSenderBoundPort`) becomes a neighbour
/// of that induct, to which it sends first: the entry's address is then the outduct's URL.
void move_spans(std::vector<InductConfig> &inducts, std::vector<OutductConfig> &outducts);

}  // namespace farlink::config
