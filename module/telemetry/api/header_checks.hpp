// SPDX-License-Identifier: Apache-2.0
// Checks of a request before its path: Host, Origin and token.
// Made once at start; a value that does not change. Any thread.
// They keep foreign web pages from using the node through a visitor's browser.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/config/operations/api_config.hpp"
#include "module/telemetry/api/request/call.hpp"

namespace farlink::telemetry {

class HeaderChecks {
public:
    explicit HeaderChecks(const config::ApiConfig &config);

    /// The refusal of an unknown Host (DNS rebinding) or of a foreign Origin; nothing otherwise.
    [[nodiscard]] std::optional<Answer> refusal(const Call &call) const;
    /// Reading needs no token when the server listens on loopback only.
    [[nodiscard]] bool open_to_read() const { return loopback_; }
    [[nodiscard]] bool secure() const { return secure_; }

    /// The token of `Authorization: Bearer TOKEN` (RFC 6750 section 2.1); empty when absent.
    [[nodiscard]] static std::string_view bearer(std::string_view authorization);
    /// The token among the subprotocols of a WebSocket client; empty when absent.
    [[nodiscard]] static std::string_view offered_token(std::string_view protocols);
    /// True when the client offers `farlink.v1`.
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
