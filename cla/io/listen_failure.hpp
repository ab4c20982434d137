// SPDX-License-Identifier: Apache-2.0
// Logs why an induct cannot listen at its address: the URL, and the reason of the system.
// A plain function of inducts; the result is the reason.
// The loop's thread.
#pragma once

#include <boost/system/error_code.hpp>
#include <string>

#include "common/config/fields/link_url.hpp"
#include "common/runtime/log/log.hpp"

namespace farlink::cla {

/// "cannot listen on tcpclv4://127.0.0.1:4556: Address already in use"
inline std::string log_listen_failure(const config::LinkUrl &url,
                                      const boost::system::error_code &why) {
    Logger("link").error("cannot listen on {}: {}", config::to_string(url), why.message());
    return why.message();
}

}  // namespace farlink::cla
