// SPDX-License-Identifier: Apache-2.0
// What a pair of TCPCLv4 sessions keeps, whatever hosts, clocks and connections do to it.
#include "cla/tcpcl/v4/core/session.hpp"
#include "tests/fuzz/session_operations.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
    return farlink::test::play_operations<farlink::cla::tcpclv4::Session>(data, size, false);
}
