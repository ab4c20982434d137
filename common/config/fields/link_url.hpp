// SPDX-License-Identifier: Apache-2.0
// Reads a link's URL, `scheme://host:port?option=value&...`, and lists the schemes.
// Plain functions; the result is a value, the tables are constant.
// Any thread.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "common/base/result.hpp"

namespace farlink::config {

/// A link as a URL: `stcp://host:port`; options may follow as query parameters.
struct LinkUrl {
    std::string scheme;
    std::string host;
    std::uint16_t port = 0;  ///< 0: assigned by the system (inducts only)
    std::map<std::string, std::string> options;
};

/// The scheme of one convergence layer.
struct SchemeInfo {
    std::string_view name;
    std::string_view help;
};

/// The schemes of all convergence layers.
[[nodiscard]] std::span<const SchemeInfo> known_schemes();

enum class LinkUrlError : std::uint8_t {
    kNoScheme,  ///< no "://"
    kUnknownScheme,
    kBadCharacter,    ///< a space, a control character or one outside of ASCII
    kUnexpectedPart,  ///< user, path or fragment
    kNoHost,
    kBadHost,  ///< neither a host name nor an address
    kBadIpv4Address,
    kBadIpv6Address,
    kUnclosedBracket,  ///< "[" without "]"
    kBareIpv6Address,  ///< an IPv6 address outside of brackets
    kNoPort,
    kBadPort,    ///< not a number from 0 to 65535
    kBadOption,  ///< not of the form name=value
    kBadEscape,  ///< "%" without two hexadecimal digits
    kRepeatedOption,
};
/// A phrase for a message: "unknown scheme", "no port", ...
[[nodiscard]] std::string_view to_string(LinkUrlError error);

/// Options are not checked here: link_from_url.hpp makes a link of them, by the keys of
/// link_fields.hpp. "%2F" in a value is the octet with that number.
[[nodiscard]] Result<LinkUrl, LinkUrlError> parse_link_url(std::string_view text);

/// For a value in a query (RFC 3986 section 3.4): what would end it, or is no graphic character of
/// ASCII, becomes "%2F" and the like.
[[nodiscard]] std::string percent_encoded(std::string_view text);

/// Its "host:port", with an IPv6 address in brackets.
[[nodiscard]] std::string authority_of(const LinkUrl &url);
/// The URL's canonical text; parse_link_url() reads it back.
[[nodiscard]] std::string to_string(const LinkUrl &url);

}  // namespace farlink::config
