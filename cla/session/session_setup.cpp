// SPDX-License-Identifier: Apache-2.0
#include "cla/session/session_setup.hpp"

#include <limits>
#include <utility>

namespace farlink::cla {
namespace {

constexpr std::uint64_t kSegmentMru = 16 << 20;
constexpr std::uint64_t kMaxSegment = 256 << 10;
constexpr std::uint64_t kTransferMru = 32 << 20;
constexpr std::uint64_t kMaxUnacknowledged = 64 << 20;
/// Enough for one full write beyond what the kernel holds.
constexpr std::uint64_t kMaxUnsent = 512 << 10;
constexpr std::uint32_t kMaxTransfers = 65536;
constexpr std::uint32_t kHandshakeSeconds = 10;
constexpr seconds kTerminationLimit{5};
/// A segment of the default size takes less than four minutes at 9600 bit/s.
constexpr std::chrono::minutes kAcknowledgeLimit{10};

template <class Number>
Number or_default(Number configured, Number usual) {
    return configured == 0 ? usual : configured;
}

TlsPolicy policy_of(config::TlsMode mode) {
    switch (mode) {
        case config::TlsMode::kNone:
            return TlsPolicy::kNone;
        case config::TlsMode::kOptional:
            return TlsPolicy::kOptional;
        case config::TlsMode::kRequired:
            return TlsPolicy::kRequired;
    }
    return TlsPolicy::kRequired;
}

template <class LinkConfig>
Result<SessionSetup, std::string> make_setup(const LinkConfig &config, CoreFactory make_core,
                                             SessionRole role) {
    SessionSetup setup{.make_core = std::move(make_core),
                       .config = session_config(config, role),
                       .policy = PeerPolicy(config),
                       .tls = std::nullopt,
                       .expected_host = {},
                       .rate_limit = config.rate_limit,
                       .idle_limit = {},
                       .stranger_limit = {}};
    if (config.tls.mode != config::TlsMode::kNone) {
        auto context = TlsContext::make(config.tls, role);
        if (!context) return fail(std::move(context.error()));
        setup.tls = std::move(*context);
    }
    return setup;
}

}  // namespace

SessionConfig session_config(const config::LinkOptions &options, SessionRole role) {
    SessionConfig session;
    session.role = role;
    session.node_id = options.node_id;
    session.tls = policy_of(options.tls.mode);
    session.keep_alive = seconds(options.keep_alive_interval_s);
    session.segment_mru = or_default(options.segment_mru_bytes, kSegmentMru);
    session.transfer_mru = or_default(options.max_bundle_size_bytes, kTransferMru);
    session.max_segment = or_default(options.max_segment_bytes, kMaxSegment);
    session.max_unacknowledged = or_default(options.max_unacknowledged_bytes, kMaxUnacknowledged);
    session.max_unsent = kMaxUnsent;
    session.max_transfers = or_default(options.max_in_flight_bundles, kMaxTransfers);
    session.handshake_limit = seconds(or_default(options.handshake_timeout_s, kHandshakeSeconds));
    session.termination_limit = kTerminationLimit;
    session.acknowledge_limit = kAcknowledgeLimit;
    session.transfer_limit = kTransferLimit;
    session.strict = options.strict;
    return session;
}

Result<SessionSetup, std::string> make_session_setup(const config::InductConfig &config,
                                                     CoreFactory make_core) {
    auto setup = make_setup(config, std::move(make_core), SessionRole::kPassive);
    if (!setup) return setup;
    setup->idle_limit = seconds(config.idle_timeout_s);
    setup->stranger_limit = seconds(config.stranger_idle_timeout_s);
    setup->config.disconnect_without_room =
        config.on_no_resources == config::NoResources::kDisconnect;
    setup->config.always_limited = config.on_no_resources == config::NoResources::kPause;
    return setup;
}

// An outduct keeps an idle session: after its end it would connect again at once.
Result<SessionSetup, std::string> make_session_setup(const config::OutductConfig &config,
                                                     CoreFactory make_core) {
    auto setup = make_setup(config, std::move(make_core), SessionRole::kActive);
    if (setup) setup->expected_host = config.url.host;
    return setup;
}

}  // namespace farlink::cla
