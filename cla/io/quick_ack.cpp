// SPDX-License-Identifier: Apache-2.0
#include "cla/io/quick_ack.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace farlink::cla {

void QuickAck::acknowledge_now(int socket) {
    const int yes = 1;
    (void)::setsockopt(socket, IPPROTO_TCP, TCP_QUICKACK, &yes, sizeof yes);
}

}  // namespace farlink::cla
