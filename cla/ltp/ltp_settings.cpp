// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/ltp_settings.hpp"

#include <algorithm>

#include "cla/io/resources.hpp"
#include "common/config/review/ltp_advice.hpp"

namespace farlink::cla::ltp {
PeerConfig peer_config(const config::LinkOptions &link, EngineId remote) {
    const config::LtpConfig &ltp = link.ltp;
    PeerConfig peer;
    peer.engine = remote;
    peer.timing = {ltp.owlt, ltp.margin};
    peer.data_mtu = ltp.data_segment_mtu;
    peer.report_mtu = ltp.report_segment_mtu;
    peer.retries = ltp.max_retries;
    peer.checkpoint_every = ltp.checkpoint_every;
    peer.report_delay = ltp.report_delay;
    peer.repair_delay = ltp.repair_delay;
    peer.max_send_sessions = ltp.max_send_sessions;
    peer.max_send_bytes = link.max_in_flight_bytes;
    peer.max_receive_sessions = ltp.max_receive_sessions;
    peer.max_receive_bytes = std::max(link.max_unacknowledged_bytes, link.max_bundle_size_bytes);
    peer.max_block_bytes = link.max_bundle_size_bytes;
    peer.ping_interval = ltp.ping_interval;
    peer.rate = link.rate_limit;
    return peer;
}

void set_spooling(PeerConfig &peer, const config::LinkOptions &link, const ReadBuffer &buffer) {
    peer.spool_above = buffer.spool_above();
    peer.max_spooled_bytes = largest_bundle(link, buffer, link.max_bundle_size_bytes);
}

void warn_of_limits(Logger &log, const config::LinkOptions &link, BitRate rate) {
    if (rate.value() == 0) return;
    for (const std::string &warning :
         config::pipeline_warnings(link, rate, config::kTypicalBundleBytes))
        log.warn("link {}: {}", link.id.value(), warning);
}

}  // namespace farlink::cla::ltp
