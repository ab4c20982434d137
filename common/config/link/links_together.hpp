// SPDX-License-Identifier: Apache-2.0
// Checks a link against the other links of its node: ports and neighbours.
// Plain functions that borrow everything; any thread.
// A link of a configuration file is checked against those before it, a link added at run time
// against all others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/base/types.hpp"
#include "common/config/fields/config_error.hpp"
#include "common/config/link/link_config.hpp"

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
    NodeNumber node{};       ///< this node, from which defaults that are not filled in follow
};

/// `path` is the link's place. A field that was wrong by itself is 0 or empty and passed over.
void check_among(const InductConfig &induct, const OtherLinks &others, const std::string &path,
                 std::vector<ConfigError> &errors);
void check_among(const OutductConfig &outduct, const OtherLinks &others, const std::string &path,
                 std::vector<ConfigError> &errors);

/// Whether two sockets of one protocol at these hosts need different ports on every machine.
/// `localhost` is 127.0.0.1 or ::1; other names are not looked up.
[[nodiscard]] bool same_address(const std::string &one, const std::string &other);

/// The induct that listens at this TCP address, too; empty: none. Port 0 is no address.
[[nodiscard]] std::string whose_tcp_address(const std::string &host, std::uint16_t port,
                                            const OtherLinks &others);

/// Does this outduct leave by the port of that induct (`ltpSenderBoundPort`)? One UDP port and one
/// LTP engine then serve both.
[[nodiscard]] bool leaves_by(const OutductConfig &outduct, const InductConfig &induct);
/// The neighbour of that induct that such an outduct is: the entry's address is the outduct's URL.
[[nodiscard]] NeighbourAddress as_neighbour(const OutductConfig &outduct);
/// Each LTP outduct that leaves by an LTP induct's port (`ltpSenderBoundPort`) becomes a neighbour
/// of that induct, to which it sends first. Returns these outducts; they leave `outducts`.
[[nodiscard]] std::vector<OutductConfig> take_spans(std::vector<InductConfig> &inducts,
                                                    std::vector<OutductConfig> &outducts);

}  // namespace farlink::config
