// SPDX-License-Identifier: Apache-2.0
#include "apps/linkemu/host_port.hpp"

namespace farlink::linkemu {

Result<HostPort, std::string> parse_host_port(const std::string &text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == text.size())
        return fail(text + ": expected host:port");
    std::string host = text.substr(0, colon);
    if (host.front() == '[' && host.back() == ']')
        host = host.substr(1, host.size() - 2);
    else if (host.find(':') != std::string::npos)
        return fail(text + ": an IPv6 address must be in brackets");
    return HostPort{host, text.substr(colon + 1)};
}

}  // namespace farlink::linkemu
