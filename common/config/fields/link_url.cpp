// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/link_url.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "common/base/hex.hpp"
#include "common/config/fields/ip_address.hpp"

namespace farlink::config {
namespace {

constexpr std::array<SchemeInfo, 6> kSchemes{{
    {"stcp", "Simple TCP: each bundle follows its length in four octets; no acknowledgements."},
    {"mtcp", "Minimal TCP: each bundle as one CBOR byte string; no acknowledgements."},
    {"tcpclv3",
     "TCP convergence layer version 3 (RFC 7242): sessions, bundles both ways, acknowledgements, "
     "refusals."},
    {"tcpclv4",
     "TCP convergence layer version 4 (RFC 9174): sessions, bundles both ways, acknowledgements, "
     "refusals, TLS."},
    {"udp", "One bundle per datagram; no acknowledgements."},
    {"ltp",
     "Licklider Transmission Protocol over UDP (RFC 5326): blocks in segments, acknowledged by "
     "reports, for light times of seconds to hours."},
}};

bool graphic(char c) {
    return c > 0x20 && c < 0x7f;
}

bool host_name(std::string_view host) {
    const auto allowed = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '.' || c == '_';
    };
    return host.size() <= 253 && std::ranges::all_of(host, allowed) && host.front() != '-' &&
           host.front() != '.' && host.find("..") == std::string_view::npos;
}

std::optional<LinkUrlError> check_host(std::string_view host) {
    if (host.empty()) return LinkUrlError::kNoHost;
    const bool numeric =
        std::ranges::all_of(host, [](char c) { return (c >= '0' && c <= '9') || c == '.'; });
    if (numeric)
        return is_ipv4_address(host) ? std::nullopt : std::optional(LinkUrlError::kBadIpv4Address);
    return host_name(host) ? std::nullopt : std::optional(LinkUrlError::kBadHost);
}

std::optional<std::uint16_t> read_port(std::string_view text) {
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
    if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return port;
}

/// Reads "host:port" or "[address]:port".
std::optional<LinkUrlError> read_authority(std::string_view authority, LinkUrl &url) {
    std::string_view host;
    std::string_view rest;
    if (authority.starts_with('[')) {
        const std::size_t close = authority.find(']');
        if (close == std::string_view::npos) return LinkUrlError::kUnclosedBracket;
        host = authority.substr(1, close - 1);
        rest = authority.substr(close + 1);
        if (!is_ipv6_address(host)) return LinkUrlError::kBadIpv6Address;
    } else {
        const std::size_t colon = authority.rfind(':');
        if (std::ranges::count(authority, ':') > 1) return LinkUrlError::kBareIpv6Address;
        host = authority.substr(0, colon);
        rest = colon == std::string_view::npos ? "" : authority.substr(colon);
        if (const auto error = check_host(host)) return error;
    }
    if (rest.empty() || rest == ":") return LinkUrlError::kNoPort;
    if (!rest.starts_with(':')) return LinkUrlError::kBadHost;
    const auto port = read_port(rest.substr(1));
    if (!port) return LinkUrlError::kBadPort;
    url.host = host;
    url.port = *port;
    return std::nullopt;
}

/// RFC 3986 section 2.1.
std::optional<std::string> percent_decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            out += text[i];
            continue;
        }
        if (text.size() - i < 3) return std::nullopt;
        const auto high = hex_digit(text[i + 1]);
        const auto low = hex_digit(text[i + 2]);
        if (!high || !low) return std::nullopt;
        out += static_cast<char>(*high * 16 + *low);
        i += 2;
    }
    return out;
}

/// Reads "name=value&name=value".
std::optional<LinkUrlError> read_options(std::string_view query, LinkUrl &url) {
    while (!query.empty()) {
        const std::size_t end = std::min(query.find('&'), query.size());
        const std::string_view option = query.substr(0, end);
        query.remove_prefix(std::min(end + 1, query.size()));
        const std::size_t equals = option.find('=');
        if (equals == std::string_view::npos || equals == 0) return LinkUrlError::kBadOption;
        auto value = percent_decoded(option.substr(equals + 1));
        if (!value) return LinkUrlError::kBadEscape;
        const auto [place, fresh] =
            url.options.emplace(option.substr(0, equals), std::move(*value));
        if (!fresh) return LinkUrlError::kRepeatedOption;
    }
    return std::nullopt;
}

}  // namespace

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view kHex = "0123456789ABCDEF";
    constexpr std::string_view kSpecial = "%&#+=";
    std::string out;
    for (const char c : text) {
        if (graphic(c) && kSpecial.find(c) == std::string_view::npos) {
            out += c;
            continue;
        }
        const auto octet = static_cast<unsigned char>(c);
        out += {'%', kHex[octet >> 4], kHex[octet & 0xf]};
    }
    return out;
}

std::span<const SchemeInfo> known_schemes() {
    return kSchemes;
}

std::string_view to_string(LinkUrlError error) {
    switch (error) {
        case LinkUrlError::kNoScheme:
            return "no scheme";
        case LinkUrlError::kUnknownScheme:
            return "unknown scheme";
        case LinkUrlError::kBadCharacter:
            return "a space or a character outside of ASCII";
        case LinkUrlError::kUnexpectedPart:
            return "a user, a path or a fragment";
        case LinkUrlError::kNoHost:
            return "no host";
        case LinkUrlError::kBadHost:
            return "neither a host name nor an address";
        case LinkUrlError::kBadIpv4Address:
            return "not a valid IPv4 address";
        case LinkUrlError::kBadIpv6Address:
            return "not a valid IPv6 address";
        case LinkUrlError::kUnclosedBracket:
            return "no ] after [";
        case LinkUrlError::kBareIpv6Address:
            return "an IPv6 address without brackets";
        case LinkUrlError::kNoPort:
            return "no port";
        case LinkUrlError::kBadPort:
            return "the port is not a number from 0 to 65535";
        case LinkUrlError::kBadOption:
            return "an option that is not name=value";
        case LinkUrlError::kBadEscape:
            return "a % that two hexadecimal digits do not follow";
        case LinkUrlError::kRepeatedOption:
            return "an option given twice";
    }
    return "";
}

Result<LinkUrl, LinkUrlError> parse_link_url(std::string_view text) {
    if (!std::ranges::all_of(text, graphic)) return fail(LinkUrlError::kBadCharacter);
    constexpr std::string_view kSeparator = "://";
    const std::size_t scheme_end = text.find(kSeparator);
    if (scheme_end == std::string_view::npos || scheme_end == 0)
        return fail(LinkUrlError::kNoScheme);
    LinkUrl url;
    url.scheme = text.substr(0, scheme_end);
    if (std::ranges::find(kSchemes, url.scheme, &SchemeInfo::name) == kSchemes.end())
        return fail(LinkUrlError::kUnknownScheme);

    std::string_view authority = text.substr(scheme_end + kSeparator.size());
    std::string_view query;
    if (const std::size_t mark = authority.find('?'); mark != std::string_view::npos) {
        query = authority.substr(mark + 1);
        authority = authority.substr(0, mark);
    }
    if (authority.find_first_of("/@#") != std::string_view::npos)
        return fail(LinkUrlError::kUnexpectedPart);
    if (const auto error = read_authority(authority, url)) return fail(*error);
    if (const auto error = read_options(query, url)) return fail(*error);
    return url;
}

std::string authority_of(const LinkUrl &url) {
    const bool bracketed = url.host.find(':') != std::string::npos;
    return (bracketed ? '[' + url.host + ']' : url.host) + ':' + std::to_string(url.port);
}

std::string to_string(const LinkUrl &url) {
    std::string text = url.scheme + "://" + authority_of(url);
    char mark = '?';
    for (const auto &[name, value] : url.options) {
        text += mark + name + '=' + percent_encoded(value);
        mark = '&';
    }
    return text;
}

}  // namespace farlink::config
