// SPDX-License-Identifier: Apache-2.0
// The keys of an LTP link: who must prove that its segments are its own (RFC 5327 section 2.1).
// Owned by the link; used on its loop's thread. Made at start, when what is wrong with a file is
// said.
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

    /// Of the peer of an outduct; null: its segments are taken as they come.
    [[nodiscard]] Authenticator *own() const { return own_.get(); }
    /// Of whoever sends as this engine from this IP address.
    [[nodiscard]] Authenticator *of(EngineId engine, std::string_view address) const;
    /// What is weak about the files, a line each.
    [[nodiscard]] const std::vector<std::string> &warnings() const { return warnings_; }

private:
    struct Neighbour {
        NodeNumber node;      ///< 0: whoever sends from `address`
        std::string address;  ///< an IP address or a prefix
        std::unique_ptr<Authenticator> key;
    };

    /// What is wrong; empty: nothing. A key that is not wanted is null.
    [[nodiscard]] std::string add(const config::LtpAuthenticationConfig &config,
                                  std::unique_ptr<Authenticator> &to);

    std::unique_ptr<Authenticator> own_;
    std::vector<Neighbour> neighbours_;
    std::vector<std::string> warnings_;
};

}  // namespace farlink::cla::ltp
