// SPDX-License-Identifier: Apache-2.0
#include "cla/factory/link_factory.hpp"

#include <string_view>

#include "cla/factory/link_handles.hpp"
#include "cla/ltp/ltp_induct.hpp"
#include "cla/ltp/ltp_keys.hpp"
#include "cla/ltp/ltp_outduct.hpp"
#include "cla/session/session_induct.hpp"
#include "cla/session/session_outduct.hpp"
#include "cla/stcp/stcp_induct.hpp"
#include "cla/stcp/stcp_outduct.hpp"
#include "cla/tcpcl/v3/tcpclv3_link.hpp"
#include "cla/tcpcl/v4/tcpclv4_link.hpp"
#include "cla/udp/udp_induct.hpp"
#include "cla/udp/udp_outduct.hpp"
#include "common/config/fields/link_url.hpp"

namespace farlink::cla {
namespace {

/// Takes the place of an induct whose configuration cannot be used; the log has the reason.
class UnusableInduct final : public Induct {
public:
    [[nodiscard]] bool open() override { return false; }
    void close() override {}
    [[nodiscard]] std::uint16_t port() const override { return 0; }
};

/// Takes the place of an outduct whose configuration cannot be used.
class UnusableOutduct final : public Outduct {
public:
    UnusableOutduct(LinkHost &host, LinkId id) : host_(host), id_(id) {}

    void open() override { host_.on_state(id_, LinkState::kClosed, LinkFault::kTlsFailed); }
    void close() override {}
    [[nodiscard]] std::uint64_t transmit_credit() const override { return 0; }
    void transmit(std::span<const TxBundle>) override {}
    void flush() override {}

private:
    LinkHost &host_;
    LinkId id_;
};

/// The protocol of a scheme's sessions; empty for a convergence layer without sessions.
CoreFactory sessions_of(std::string_view scheme) {
    if (scheme == "tcpclv4") return tcpclv4::make_session;
    if (scheme == "tcpclv3") return tcpclv3::make_session;
    return {};
}

bool is_stcp(std::string_view scheme) {
    return scheme == "stcp" || scheme == "mtcp";
}

/// A peer that checks the certificate would refuse this node (RFC 9174 section 4.4.4.3).
std::optional<std::string> find_foreign_name(const TlsContext &tls,
                                             const config::LinkOptions &link) {
    const CertificateNames names = tls.own_names();
    if (prove_node_id(names, link.node_id) != Proof::kMismatch) return std::nullopt;
    std::string named;
    for (const std::string &id : names.node_ids) named += (named.empty() ? "" : ", ") + id;
    return "TLS: " + link.tls.certificate_file + ": the certificate is for " + named +
           ", but this node announces itself as " + link.node_id;
}

/// RFC 9174 section 4.4.2: the certificate of an entity has a NODE-ID. This node needs one only
/// where nothing else proves the peer; other nodes may need one always (section 4.4.4.3).
void warn_of_missing_name(const TlsContext &tls, const config::LinkOptions &link) {
    if (link.tls.certificate_file.empty()) return;
    const CertificateNames names = tls.own_names();
    if (!names.node_ids.empty()) return;
    const bool named = !names.dns_names.empty() || !names.addresses.empty();
    Logger("link").warn(
        "TLS: {}: the certificate has no NODE-ID, {} refuse this node, and no peer accepts the "
        "certificate as proof of {}",
        link.tls.certificate_file,
        named ? "only a DNS name or IP address: peers that require a NODE-ID"
              : "DNS name or IP address: peers that require TLS",
        link.node_id);
}

template <class LinkConfig>
std::optional<std::string> check(const LinkConfig &config) {
    const std::string &scheme = config.url.scheme;
    const bool wants_tls = config.tls.mode != config::TlsMode::kNone;
    CoreFactory sessions = sessions_of(scheme);
    if (!sessions && wants_tls) return "TLS: " + scheme + " does not support TLS";
    if (scheme == "ltp") {
        if (auto keys = ltp::LtpKeys::make(config); !keys) return std::move(keys.error());
        return std::nullopt;
    }
    if (!sessions) return std::nullopt;
    auto setup = make_session_setup(config, std::move(sessions));
    if (!setup) return std::move(setup.error());
    if (setup->tls) return find_foreign_name(*setup->tls, config);
    return std::nullopt;
}

void log_error(const config::LinkUrl &url, const std::string &wrong) {
    Logger("link").error("link {}://{}: {}", url.scheme, config::authority_of(url), wrong);
}

template <class LinkConfig>
std::optional<SessionSetup> setup_of(const LinkConfig &config) {
    if (const auto wrong = check(config)) {
        log_error(config.url, *wrong);
        return std::nullopt;
    }
    auto setup = make_session_setup(config, sessions_of(config.url.scheme));
    if (!setup) return std::nullopt;
    if (setup->tls) warn_of_missing_name(*setup->tls, config);
    return std::move(*setup);
}

template <class LinkConfig>
std::optional<ltp::LtpKeys> keys_of(const LinkConfig &config) {
    auto keys = ltp::LtpKeys::make(config);
    if (!keys) {
        log_error(config.url, keys.error());
        return std::nullopt;
    }
    for (const std::string &warning : keys->warnings()) Logger("link").warn("{}", warning);
    return std::move(*keys);
}

}  // namespace

std::optional<std::string> check_link(const config::InductConfig &config) {
    return check(config);
}

std::optional<std::string> check_link(const config::OutductConfig &config) {
    return check(config);
}

std::unique_ptr<Induct> make_induct(LinkResources resources, const config::InductConfig &config) {
    if (is_stcp(config.url.scheme))
        return std::make_unique<InductHandle<stcp::StcpInduct>>(resources, config);
    if (config.url.scheme == "udp")
        return std::make_unique<InductHandle<udp::UdpInduct>>(resources, config);
    if (config.url.scheme == "ltp") {
        auto keys = keys_of(config);
        if (!keys) return std::make_unique<UnusableInduct>();
        return std::make_unique<ltp::LtpInduct>(resources, config, std::move(*keys));
    }
    FARLINK_INVARIANT(sessions_of(config.url.scheme));
    auto setup = setup_of(config);
    if (!setup) return std::make_unique<UnusableInduct>();
    return std::make_unique<SessionInduct>(resources, config, std::move(*setup));
}

std::unique_ptr<Outduct> make_outduct(LinkResources resources, const config::OutductConfig &config,
                                      std::uint64_t seed) {
    if (is_stcp(config.url.scheme))
        return std::make_unique<OutductHandle<stcp::StcpOutduct>>(resources, config, seed);
    if (config.url.scheme == "udp")
        return std::make_unique<OutductHandle<udp::UdpOutduct>>(resources, config, seed);
    if (config.url.scheme == "ltp") {
        auto keys = keys_of(config);
        if (!keys) return std::make_unique<UnusableOutduct>(resources.host, config.id);
        return std::make_unique<ltp::LtpOutduct>(resources, config, std::move(*keys), seed);
    }
    FARLINK_INVARIANT(sessions_of(config.url.scheme));
    auto setup = setup_of(config);
    if (!setup) return std::make_unique<UnusableOutduct>(resources.host, config.id);
    return std::make_unique<SessionOutduct>(resources, config, std::move(*setup), seed);
}

}  // namespace farlink::cla
