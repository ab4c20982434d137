// SPDX-License-Identifier: Apache-2.0
// What a loop lends to its links: the reactor and the memory to read into.
// Owned by the agent whose loop it is.
// One thread.
#pragma once

#include <boost/asio/io_context.hpp>

#include "cla/api/link.hpp"
#include "common/buffer/read_buffer.hpp"

namespace farlink::cla {

struct LinkResources {
    boost::asio::io_context &io;
    ReadBuffer &buffer;
    LinkHost &host;
    /// Numbers the sessions of all links of the process's loop.
    std::uint32_t &next_upstream;
};

}  // namespace farlink::cla
