// SPDX-License-Identifier: Apache-2.0
#include <farlink/client/address.hpp>

#include <charconv>
#include <cstdlib>

namespace farlink::client {

std::optional<Address> parse_address(std::string_view text) {
    constexpr std::string_view kUsual = "/run/farlink/applications.sock";
    if (text.empty()) {
        const char *const chosen = std::getenv("FARLINK_APPLICATIONS");
        text = chosen != nullptr && *chosen != '\0' ? std::string_view(chosen) : kUsual;
    }
    if (!text.starts_with("tcp:")) {
        if (text.starts_with("unix:")) text.remove_prefix(5);
        return text.empty() ? std::nullopt : std::optional(Address{std::string(text), {}, 0});
    }
    text.remove_prefix(4);
    while (text.starts_with('/')) text.remove_prefix(1);
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos || colon == 0) return std::nullopt;
    const std::string_view digits = text.substr(colon + 1);
    std::string_view host = text.substr(0, colon);
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    Address address{{}, std::string(host), 0};
    const auto [at, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), address.port);
    if (error != std::errc{} || at != digits.data() + digits.size()) return std::nullopt;
    return address;
}

}  // namespace farlink::client
