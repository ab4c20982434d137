// SPDX-License-Identifier: Apache-2.0
// The keys of a tool that sends or receives blocks of LTP, without bundles.
// A plain function; the caller owns the keys.
// One thread. A fault is a text for the tool's user.
#pragma once

#include <string>

#include "cla/ltp/ltp_keys.hpp"
#include "common/base/result.hpp"

namespace farlink::traffic {

/// Of a link that way_in() or way_out() has read from `url`.
template <class Config>
[[nodiscard]] Result<cla::ltp::LtpKeys, std::string> ltp_keys(
    const Result<Config, std::string> &link, const std::string &url) {
    if (!link) return fail(link.error());
    if (link->url.scheme != "ltp") return fail(url + ": expected ltp://host:port");
    return cla::ltp::LtpKeys::make(*link);
}

}  // namespace farlink::traffic
