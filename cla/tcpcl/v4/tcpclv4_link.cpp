// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v4/tcpclv4_link.hpp"

#include "cla/tcpcl/v4/core/session.hpp"

namespace farlink::cla::tcpclv4 {

std::unique_ptr<SessionCore> make_session(const SessionConfig &config, UpstreamId id) {
    return std::make_unique<Session>(config, id);
}

}  // namespace farlink::cla::tcpclv4
