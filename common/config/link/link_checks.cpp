// SPDX-License-Identifier: Apache-2.0
#include "common/config/link/link_checks.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string_view>
#include <system_error>
#include <utility>

#include "common/bp/eid/eid.hpp"
#include "common/config/fields/ip_address.hpp"

namespace farlink::config {
namespace {

/// The whole path, for errors about a file.
constexpr std::size_t kLongestFileName = 4096;
/// The header extension of RFC 5327 has one octet more.
constexpr std::size_t kMaxLtpKeyIdBytes = 32;

class LinkChecks {
public:
    LinkChecks(const LinkContext &context, const std::string &path,
               std::vector<ConfigError> &errors)
        : context_(context), path_(path), errors_(errors) {}

    void check_induct(const InductConfig &induct) {
        check_options(induct);
        check_tls(induct.tls, true);
        for (std::size_t i = 0; i < induct.neighbours.size(); ++i) {
            const std::string path = item_path("neighbours", i);
            check_neighbour(induct.neighbours[i], path);
            check_neighbour_key(induct, induct.neighbours[i].ltp_authentication, path + '.');
        }
    }

    void check_outduct(const OutductConfig &outduct) {
        check_options(outduct);
        check_tls(outduct.tls, false);
        if (!outduct.url.scheme.empty()) check_destination(outduct.url);
        if (outduct.next_hop != NodeNumber{}) check_next_hop(outduct.next_hop);
        check_peer(outduct);
        if (!outduct.bind_address.empty()) check_own_address(outduct);
        check_back_off(outduct);
    }

private:
    void add(std::string_view key, std::string problem, std::string expected,
             std::string hint = {}) {
        errors_.push_back(
            {member_path(path_, key), std::move(problem), std::move(expected), std::move(hint)});
    }

    void check_options(const LinkOptions &link) {
        if (context_.buffer_bytes != 0 && link.max_bundle_size_bytes > context_.buffer_bytes)
            add("maxBundleSizeBytes",
                "found " + std::to_string(link.max_bundle_size_bytes) +
                    ", which is more than bufferBytes",
                "at most " + std::to_string(context_.buffer_bytes) + " (bytes)");
        if (!link.node_id.empty()) check_node_id("nodeId", link.node_id);
        check_authentication(link.ltp.authentication, "");
        const std::uint32_t bits = link.ltp.random_number_bits;
        if (bits > 32 && bits < 64)
            add("ltpRandomNumberSizeBits", "found " + std::to_string(bits), "32 or 64 (bits)");
    }

    bool check_node_id(std::string_view key, const std::string &text) {
        const auto eid = bp::Eid::parse(text);
        const bool good = eid && !eid->view().is_null();
        if (!good)
            add(key, "found " + in_quotes(text),
                "an endpoint id such as \"ipn:10.0\" or \"dtn://name/\"");
        return good;
    }

    // ---- outducts

    void check_destination(const LinkUrl &url) {
        if (url.port == 0) add("url", "found port 0", "the port where the neighbour listens");
        if (is_any_address(url.host))
            add("url", "found " + in_quotes(url.host) + ", which is not an address to connect to",
                "the neighbour's host name or address");
    }

    void check_next_hop(NodeNumber next_hop) {
        const std::string found = "found " + std::to_string(next_hop.value());
        if (next_hop == context_.node)
            add("nextHopNodeId", found + ", which is this node", "another node");
        if (next_hop == NodeNumber{bp::kLocalNodeNumber})
            add("nextHopNodeId", found + ", which means \"the local node\" everywhere",
                "another node");
    }

    void check_peer(const OutductConfig &outduct) {
        const std::string &peer = outduct.peer_node_id;
        if (peer.empty() || !check_node_id("peerNodeId", peer)) return;
        const auto eid = bp::Eid::parse(peer);
        const bool other = eid->view().scheme == bp::EidScheme::kIpn &&
                           outduct.next_hop != NodeNumber{} &&
                           eid->view().node_number() != outduct.next_hop;
        if (other)
            add("peerNodeId", "found " + in_quotes(peer) + ", which is not nextHopNodeId",
                "an endpoint id of node " + std::to_string(outduct.next_hop.value()));
    }

    void check_own_address(const OutductConfig &outduct) {
        const std::string &own = outduct.bind_address;
        const std::string &peer = outduct.url.host;
        const bool ipv4 = is_ipv4_address(own);
        if (!ipv4 && !is_ipv6_address(own))
            return add("bindAddress", "found " + in_quotes(own), "an IP address of this machine");
        if (ipv4 ? is_ipv6_address(peer) : is_ipv4_address(peer))
            add("bindAddress",
                "found " + in_quotes(own) + ", from which " + peer + " cannot be reached",
                ipv4 ? "an IPv6 address" : "an IPv4 address");
    }

    void check_back_off(const OutductConfig &outduct) {
        const auto as_ms = [](Duration time) {
            return std::to_string(std::chrono::duration_cast<milliseconds>(time).count());
        };
        if (outduct.reconnect_max == Duration{} || outduct.reconnect_min <= outduct.reconnect_max)
            return;
        add("reconnectMinMilliseconds",
            "found " + as_ms(outduct.reconnect_min) +
                ", which is more than reconnectMaxMilliseconds",
            "at most " + as_ms(outduct.reconnect_max) + " (milliseconds)");
    }

    // ---- inducts

    void check_neighbour(const NeighbourAddress &neighbour, const std::string &path) {
        if (!neighbour.address.empty() && !is_address_or_prefix(neighbour.address))
            add_at(path + ".address", "found " + in_quotes(neighbour.address),
                   "an IP address, or a prefix such as \"10.1.0.0/16\"");
        if (neighbour.node != NodeNumber{} && neighbour.node == context_.node)
            add_at(path + ".nodeId",
                   "found " + std::to_string(neighbour.node.value()) + ", which is this node",
                   "another node");
        if (neighbour.peer_node_id.empty()) return;
        if (!bp::Eid::parse(neighbour.peer_node_id))
            add_at(path + ".peerNodeId", "found " + in_quotes(neighbour.peer_node_id),
                   "a node id such as \"dtn://rover/\"");
        else if (neighbour.node == NodeNumber{})
            add_at(path + ".nodeId", "missing", "the number that peerNodeId stands for");
    }

    void add_at(const std::string &path, std::string problem, std::string expected) {
        errors_.push_back({path_.empty() ? path : path_ + '.' + path, std::move(problem),
                           std::move(expected), ""});
    }

    // ---- LTP authentication (RFC 5327 section 2.1)

    void check_neighbour_key(const InductConfig &induct, const LtpAuthenticationConfig &key,
                             const std::string &path) {
        if (key.wanted && induct.url.scheme != "ltp")
            add_at(path + "ltpAuthentication", "found, but " + induct.url.scheme + " has none",
                   "an induct with an ltp:// url");
        check_authentication(key, path);
    }

    void check_authentication(const LtpAuthenticationConfig &key, const std::string &path) {
        const std::string file = path + "ltpAuthenticationKeyFile";
        const std::string id = path + "ltpAuthenticationKeyId";
        if (!key.key_id.empty() && !key.wanted)
            add_at(id, "found, but ltpAuthenticationKeyFile is missing",
                   "ltpAuthenticationKeyFile as well");
        const bool hexadecimal =
            key.key_id.size() % 2 == 0 &&
            key.key_id.find_first_not_of("0123456789abcdefABCDEF") == std::string::npos;
        if (!hexadecimal || key.key_id.size() > 2 * kMaxLtpKeyIdBytes)
            add_at(id, "found " + in_quotes(key.key_id), "up to 32 octets in hexadecimal digits");
        if (!key.wanted) return;
        const bool null = key.suite == LtpCiphersuite::kNull;
        if (null && !key.key_file.empty())
            add_at(file, "found, but the key of \"NULL\" is public", "only one of the two");
        if (!null && key.key_file.empty())
            add_at(file, "missing", "the file of the key that both ends have");
        check_file(file, key.key_file, "a file with a key in hexadecimal digits");
    }

    // ---- TLS: an unprotected link must not look protected

    void check_tls(const TlsConfig &tls, bool induct) {
        if (tls.mode == TlsMode::kNone) return check_no_tls(tls);
        if (tls.insecure && !tls.ca_file.empty())
            add("ca", "found " + in_quotes(tls.ca_file) + ", which tlsInsecure makes useless",
                "only one of the two");
        if (!tls.insecure && tls.ca_file.empty())
            add("ca", "missing",
                "the file of the authorities that the peer's certificate must come from",
                "without it, \"tlsInsecure\": true accepts any peer");
        if (tls.chain_only && tls.insecure)
            add("tlsVerify", "found \"chain\", which tlsInsecure makes useless",
                "only one of the two");
        if (!tls.crl_file.empty() && tls.ca_file.empty())
            add("crl", "found " + in_quotes(tls.crl_file) + ", but no \"ca\"",
                "\"ca\" as well: the lists are those of its authorities");
        check_pair(tls, induct);
        check_file("ca", tls.ca_file);
        check_file("crl", tls.crl_file);
        check_file("cert", tls.certificate_file);
        check_file("key", tls.key_file);
    }

    void check_no_tls(const TlsConfig &tls) {
        const auto useless = [this](std::string_view key) {
            add(key, "found, but \"tls\" is \"none\": the link is not protected",
                "\"tls\": \"required\" or \"optional\" as well");
        };
        if (!tls.ca_file.empty()) useless("ca");
        if (!tls.crl_file.empty()) useless("crl");
        if (!tls.certificate_file.empty()) useless("cert");
        if (!tls.key_file.empty()) useless("key");
        if (tls.insecure) useless("tlsInsecure");
        if (tls.chain_only) useless("tlsVerify");
    }

    void check_pair(const TlsConfig &tls, bool induct) {
        const bool certificate = !tls.certificate_file.empty();
        const bool key = !tls.key_file.empty();
        if (!certificate && (key || induct))
            add("cert", "missing", "the file of this node's certificate",
                key ? "it belongs to \"key\"" : "an induct cannot offer TLS without");
        if (!key && (certificate || induct))
            add("key", "missing", "the file of this node's private key",
                certificate ? "it belongs to \"cert\"" : "an induct cannot offer TLS without");
    }

    void check_file(std::string_view key, const std::string &name,
                    std::string expected = "a PEM file") {
        if (name.empty()) return;
        const std::filesystem::path file = std::filesystem::path(context_.folder) / name;
        std::error_code error;
        const auto status = std::filesystem::status(file, error);
        if (std::filesystem::exists(status) && !std::filesystem::is_directory(status)) return;
        const std::string why = std::filesystem::is_directory(status) ? "which is a folder"
                                : status.type() == std::filesystem::file_type::not_found
                                    ? "which does not exist"
                                    : error.message();
        add(key, "found " + in_quotes(file.string(), kLongestFileName) + ", " + why,
            std::move(expected));
    }

    const LinkContext &context_;
    const std::string &path_;
    std::vector<ConfigError> &errors_;
};

void locate(std::string &file, const LinkContext &context) {
    if (!file.empty()) file = (std::filesystem::path(context.folder) / file).string();
}

void fill_options(LinkOptions &link, const LinkContext &context) {
    constexpr std::uint64_t kShareOfBuffer = 4;
    if (link.max_bundle_size_bytes == 0)
        link.max_bundle_size_bytes = std::min<std::uint64_t>(
            context.buffer_bytes / kShareOfBuffer, std::numeric_limits<std::uint32_t>::max());
    if (link.node_id.empty() && context.node != NodeNumber{})
        link.node_id = bp::Eid(context.node.value(), 0).to_string();
    if (link.ltp.engine_id == 0) link.ltp.engine_id = context.node.value();
    for (std::string *file : {&link.tls.ca_file, &link.tls.crl_file, &link.tls.certificate_file,
                              &link.tls.key_file, &link.ltp.authentication.key_file})
        locate(*file, context);
}

/// Less memory is small beside what the kernel may hold of each connection.
constexpr std::uint64_t kAmpleBufferBytes = std::uint64_t{128} << 20;

// Without acknowledgements a sender takes for sent what the kernel holds, which a shutdown on a
// full disk stores in the place that is reserved for `bufferBytes`.
void limit_kernel_buffers(InductConfig &induct, std::uint64_t buffer_bytes) {
    constexpr std::uint64_t kLeast = 64 * 1024;
    constexpr std::uint64_t kShareOfBuffer = 64;
    if (induct.url.scheme != "stcp" && induct.url.scheme != "mtcp") return;
    const bool given =
        std::ranges::find(induct.given_keys, "socketBufferBytes") != induct.given_keys.end();
    if (!given && buffer_bytes < kAmpleBufferBytes)
        induct.socket_buffer_bytes = std::max(kLeast, buffer_bytes / kShareOfBuffer);
}

}  // namespace

void check_link(const InductConfig &induct, const LinkContext &context, const std::string &path,
                std::vector<ConfigError> &errors) {
    LinkChecks(context, path, errors).check_induct(induct);
}

void check_link(const OutductConfig &outduct, const LinkContext &context, const std::string &path,
                std::vector<ConfigError> &errors) {
    LinkChecks(context, path, errors).check_outduct(outduct);
}

void fill_link_defaults(InductConfig &induct, const LinkContext &context) {
    fill_options(induct, context);
    limit_kernel_buffers(induct, context.buffer_bytes);
    for (NeighbourAddress &neighbour : induct.neighbours)
        locate(neighbour.ltp_authentication.key_file, context);
}

void fill_link_defaults(OutductConfig &outduct, const LinkContext &context) {
    fill_options(outduct, context);
    if (outduct.peer_node_id.empty() && outduct.next_hop != NodeNumber{})
        outduct.peer_node_id = bp::Eid(outduct.next_hop.value(), 0).to_string();
}

}  // namespace farlink::config
