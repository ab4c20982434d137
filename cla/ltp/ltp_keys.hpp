// SPDX-License-Identifier: Apache-2.0
// The keys of an LTP link: which neighbours must authenticate their segments (RFC 5327
// section 2.1). Owned by the link; used on its loop's thread. Made at start, with an error for each
// bad file.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "cla/ltp/core/codec/authenticator.hpp"
#include "cla/ltp/core/codec/types.hpp"
#include "common/base/result.hpp"
#include "common/config/node/node_config.hpp"

namespace farlink::cla::ltp {

class LtpKeys {
public:
    /// One line that names the file and the reason when a key cannot be used.
    [[nodiscard]] static Result<LtpKeys, std::string> make(const config::InductConfig &config);
    [[nodiscard]] static Result<LtpKeys, std::string> make(const config::OutductConfig &config);

    /// The key of an outduct's peer; null: its segments are not authenticated.
    [[nodiscard]] Authenticator *own() const { return own_.get(); }
    /// The key for segments of this engine from this IP address.
    [[nodiscard]] Authenticator *of(EngineId engine, std::string_view address) const;
    /// Weaknesses of the key files, one line each.
    [[nodiscard]] const std::vector<std::string> &warnings() const { return warnings_; }

private:
    struct Neighbour {
        NodeNumber node;      ///< 0: any engine at `address`
        std::string address;  ///< an IP address or a prefix
        std::unique_ptr<Authenticator> key;
    };

    /// Returns the error; empty: none. A key that is not configured is null.
    [[nodiscard]] std::string add(const config::LtpAuthenticationConfig &config,
                                  std::unique_ptr<Authenticator> &to);

    std::unique_ptr<Authenticator> own_;
    std::vector<Neighbour> neighbours_;
    std::vector<std::string> warnings_;
};

}  // namespace farlink::cla::ltp
