// SPDX-License-Identifier: Apache-2.0
// Received frames, as the thread sanitizer may see them: octets of the thread that reads them.
// Part of zmq_bus_remote.cpp; nobody else includes it. The thread of the port only.
// The system's libzmq is not instrumented: without this each read of what its own thread has
// received would be examined as a race, and suppressed reports cost most of the time.
#pragma once

#include <vector>
#include <zmq.hpp>

#if defined(__SANITIZE_THREAD__)
extern "C" {
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
}
#endif

namespace farlink::bus {

/// Of a whole message; nothing at all without the thread sanitizer.
inline void make_visible([[maybe_unused]] std::vector<zmq::message_t> &frames) {
#if defined(__SANITIZE_THREAD__)
    AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
    for (zmq::message_t &frame : frames) frame = zmq::message_t(frame.data(), frame.size());
    AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
#endif
}

}  // namespace farlink::bus
