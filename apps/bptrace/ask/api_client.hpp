// SPDX-License-Identifier: Apache-2.0
// One GET request to the HTTP API of a node.
// Plain functions; one thread, which waits.
// The whole request has one time limit; errors are texts for people.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "common/base/result.hpp"
#include "common/base/time.hpp"
#include "common/http/http_client.hpp"

namespace farlink::bptrace {

/// From "https://host:port" or "http://host:port"; IPv6 addresses in brackets.
[[nodiscard]] Result<http::Server, std::string> parse_api_address(std::string_view url);

struct ApiAccess {
    std::string token{};    ///< empty: none
    std::string ca_file{};  ///< certificates to trust; empty: those of the system
};

/// The answer of status 200 as JSON; otherwise why there is none.
[[nodiscard]] Result<nlohmann::ordered_json, std::string> get_json(const http::Server &server,
                                                                   const std::string &token,
                                                                   const std::string &target,
                                                                   Duration limit);

}  // namespace farlink::bptrace
