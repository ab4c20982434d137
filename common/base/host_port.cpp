// SPDX-License-Identifier: Apache-2.0
#include "common/base/host_port.hpp"

#include <charconv>
#include <system_error>

namespace farlink {

std::optional<HostPort> split_host_port(std::string_view text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    HostPort found{.host = text.substr(0, colon)};
    const std::string_view digits = text.substr(colon + 1);
    const char *const last = digits.data() + digits.size();
    const auto [end, error] = std::from_chars(digits.data(), last, found.port);
    if (error != std::errc{} || end != last) return std::nullopt;
    found.bracketed = found.host.starts_with('[') && found.host.ends_with(']');
    if (found.bracketed) found.host = found.host.substr(1, found.host.size() - 2);
    if (found.host.empty() || (!found.bracketed && found.host.contains(':'))) return std::nullopt;
    return found;
}

}  // namespace farlink
