// SPDX-License-Identifier: Apache-2.0
#include "common/config/fields/link_url.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <string>
#include <vector>

namespace farlink::config::link_url_test {
namespace {

TEST(LinkUrl, ReadsHostAndPort) {
    const auto url = parse_link_url("stcp://relay-1.example.org:4556");
    ASSERT_TRUE(url);
    EXPECT_EQ(url->scheme, "stcp");
    EXPECT_EQ(url->host, "relay-1.example.org");
    EXPECT_EQ(url->port, 4556);
    EXPECT_TRUE(url->options.empty());
}

TEST(LinkUrl, BracketsHoldIpv6Addresses) {
    const auto url = parse_link_url("stcp://[2001:db8::7]:65535");
    ASSERT_TRUE(url);
    EXPECT_EQ(url->host, "2001:db8::7");
    EXPECT_EQ(url->port, 65535);
}

TEST(LinkUrl, TextReadsBack) {
    for (const std::string_view text :
         {"stcp://0.0.0.0:0", "stcp://[::1]:4556", "stcp://localhost:1"}) {
        const auto url = parse_link_url(text);
        ASSERT_TRUE(url) << text;
        EXPECT_EQ(to_string(*url), text);
    }
    EXPECT_EQ(to_string(LinkUrl{"x", "h", 1, {{"a", "1"}, {"b", "2"}}}), "x://h:1?a=1&b=2");
    EXPECT_EQ(authority_of(LinkUrl{"x", "h", 1, {{"a", "1"}}}), "h:1");
    EXPECT_EQ(authority_of(LinkUrl{"x", "::1", 1, {}}), "[::1]:1");
}

TEST(LinkUrl, OptionsAreReadAndDecoded) {
    const auto url = parse_link_url("udp://h:1?ca=a%2Fb%26c%25%c3%A9&window=5&plus=1+1&is=x=y&no=");
    ASSERT_TRUE(url);
    const std::map<std::string, std::string> expected{
        {"ca", "a/b&c%\xc3\xa9"}, {"window", "5"}, {"plus", "1+1"}, {"is", "x=y"}, {"no", ""}};
    EXPECT_EQ(url->options, expected);
}

TEST(LinkUrl, OptionsOfAnyOctetsReadBack) {
    std::string octets;
    for (int octet = 0; octet < 256; ++octet) octets += static_cast<char>(octet);
    const LinkUrl url{"tcpclv4", "h", 1, {{"ca", octets}}};
    const auto again = parse_link_url(to_string(url));
    ASSERT_TRUE(again);
    EXPECT_EQ(again->options, url.options);
}

struct UrlCase {
    std::string_view text;
    LinkUrlError error;
};

TEST(LinkUrl, EveryErrorHasItsName) {
    constexpr UrlCase kCases[] = {
        {"", LinkUrlError::kNoScheme},
        {"localhost:4556", LinkUrlError::kNoScheme},
        {"://host:1", LinkUrlError::kNoScheme},
        {"stcp:/host:1", LinkUrlError::kNoScheme},
        {"STCP://host:1", LinkUrlError::kUnknownScheme},
        {"lpt://host:1", LinkUrlError::kUnknownScheme},
        {"stcp://ho st:1", LinkUrlError::kBadCharacter},
        {"stcp://host:1\n", LinkUrlError::kBadCharacter},
        {"stcp://h\xc3\xb6st:1", LinkUrlError::kBadCharacter},
        {"stcp://user@host:1", LinkUrlError::kUnexpectedPart},
        {"stcp://host:1/", LinkUrlError::kUnexpectedPart},
        {"stcp://host:1#x", LinkUrlError::kUnexpectedPart},
        {"stcp://", LinkUrlError::kNoHost},
        {"stcp://:1", LinkUrlError::kNoHost},
        {"stcp://-host:1", LinkUrlError::kBadHost},
        {"stcp://a..b:1", LinkUrlError::kBadHost},
        {"stcp://h*st:1", LinkUrlError::kBadHost},
        {"stcp://[::1]4556", LinkUrlError::kBadHost},
        {"stcp://256.0.0.1:1", LinkUrlError::kBadIpv4Address},
        {"stcp://10.0.1:1", LinkUrlError::kBadIpv4Address},
        {"stcp://[::g]:1", LinkUrlError::kBadIpv6Address},
        {"stcp://[]:1", LinkUrlError::kBadIpv6Address},
        {"stcp://[::1:4556", LinkUrlError::kUnclosedBracket},
        {"stcp://::1:4556", LinkUrlError::kBareIpv6Address},
        {"stcp://host", LinkUrlError::kNoPort},
        {"stcp://host:", LinkUrlError::kNoPort},
        {"stcp://[::1]", LinkUrlError::kNoPort},
        {"stcp://host:65536", LinkUrlError::kBadPort},
        {"stcp://host:-1", LinkUrlError::kBadPort},
        {"stcp://host:+1", LinkUrlError::kBadPort},
        {"stcp://host:1a", LinkUrlError::kBadPort},
        {"stcp://host:1?x", LinkUrlError::kBadOption},
        {"stcp://host:1?=y", LinkUrlError::kBadOption},
        {"stcp://host:1?&", LinkUrlError::kBadOption},
        {"stcp://host:1?a=1&a=2", LinkUrlError::kRepeatedOption},
        {"stcp://host:1?a=%", LinkUrlError::kBadEscape},
        {"stcp://host:1?a=%4", LinkUrlError::kBadEscape},
        {"stcp://host:1?a=%g0", LinkUrlError::kBadEscape},
        {"stcp://host:1?a=%0g", LinkUrlError::kBadEscape},
    };
    for (const UrlCase &test : kCases) {
        const auto url = parse_link_url(test.text);
        ASSERT_FALSE(url) << test.text;
        EXPECT_EQ(to_string(url.error()), to_string(test.error)) << test.text;
    }
}

TEST(LinkUrl, EveryErrorHasAPhrase) {
    for (int i = 0; i <= static_cast<int>(LinkUrlError::kRepeatedOption); ++i)
        EXPECT_FALSE(to_string(static_cast<LinkUrlError>(i)).empty()) << i;
}

TEST(LinkUrl, AnyOctetsAreAnsweredAndEveryPrefixToo) {
    const std::string good = "stcp://[2001:db8::7]:4556?a=b&c=%7Ed";
    for (std::size_t cut = 0; cut <= good.size(); ++cut)
        (void)parse_link_url(std::string_view(good).substr(0, cut));
    std::mt19937_64 random(11);
    for (int i = 0; i < 20'000; ++i) {
        std::string text = good;
        for (int change = 0; change < 3; ++change)
            text[random() % text.size()] = static_cast<char>(random());
        (void)parse_link_url(text);
    }
}

TEST(LinkUrl, KnownSchemes) {
    std::vector<std::string_view> names;
    for (const SchemeInfo &scheme : known_schemes()) {
        names.push_back(scheme.name);
        EXPECT_TRUE(scheme.help.ends_with('.')) << scheme.name;
        EXPECT_TRUE(parse_link_url(std::string(scheme.name) + "://h:1")) << scheme.name;
    }
    EXPECT_EQ(names,
              (std::vector<std::string_view>{"stcp", "mtcp", "tcpclv3", "tcpclv4", "udp", "ltp"}));
}

}  // namespace
}  // namespace farlink::config::link_url_test
