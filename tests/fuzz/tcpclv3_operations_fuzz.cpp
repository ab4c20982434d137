// SPDX-License-Identifier: Apache-2.0
// What a pair of TCPCLv3 sessions keeps, whatever hosts, clocks and connections do to it.
#include "cla/tcpcl/v3/core/session.hpp"
#include "tests/fuzz/session_operations.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    return farlink::test::play_operations<farlink::cla::tcpclv3::Session>(data, size, true);
}
