// SPDX-License-Identifier: Apache-2.0
// Who may talk to the server, before anything is done: by the names that browsers ask for it, by
// the page that they ask from, and by token.
// Made once at start; a value that does not change. Any thread.
// A page of somebody else cannot read, change or listen to the node by a visitor's browser.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/node/api_config.hpp"
#include "module/telemetry/api/call.hpp"

namespace farlink::telemetry {

class Access {
public:
    explicit Access(const config::ApiConfig &config);

    /// What refuses the request, if anything does: an unknown Host (DNS rebinding), or an Origin
    /// that is another one.
    [[nodiscard]] std::optional<Answer> refusal(const Call &call) const;
    /// Reading needs no token where only this machine can ask.
    [[nodiscard]] bool open_to_read() const { return loopback_; }
    [[nodiscard]] bool secure() const { return secure_; }

    /// The token of `Authorization: Bearer TOKEN` (RFC 6750 section 2.1); empty: there is none.
    [[nodiscard]] static std::string_view bearer(std::string_view authorization);
    /// The token among the subprotocols that a WebSocket client offers; likewise.
    [[nodiscard]] static std::string_view offered_token(std::string_view protocols);
    /// Whether it offers `farlink.v1`.
    [[nodiscard]] static bool offers_protocol(std::string_view protocols);

    static constexpr std::string_view kProtocol = "farlink.v1";

private:
    [[nodiscard]] bool host_allowed(std::string_view host) const;

    bool loopback_ = true;
    bool secure_ = false;
    std::string address_;
    std::vector<std::string> hosts_;  ///< in lower case
};

}  // namespace farlink::telemetry
