// SPDX-License-Identifier: Apache-2.0
// The socket of one application: reads into its session, writes what that has queued.
// Owned by AppServer; the loop's thread.
// Reading and writing take turns, so that other connections get theirs.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <functional>

#include "cla/io/link_body.hpp"
#include "common/buffer/read_buffer.hpp"
#include "common/buffer/reception_shares.hpp"
#include "common/runtime/file_descriptor.hpp"
#include "common/runtime/monotonic_timer.hpp"
#include "module/applications/core/applications_core.hpp"

namespace farlink::applications {

class AppConnection : public cla::LinkBody {
public:
    struct Host {
        boost::asio::io_context &io;
        ReadBuffer &buffer;
        ApplicationsCore &core;
        /// The core may have messages, or other sessions something to write.
        std::function<void()> drain;
        /// The connection is over.
        std::function<void(UpstreamId)> closed;
    };
    /// `socket` is connected and does not block.
    AppConnection(Host &host, AppSession &session, FileDescriptor socket);

    void start();
    /// The session has something to write, has ended, or may be read again.
    void handle_touched();
    void abandon();

private:
    void read_when_ready();
    void read();
    [[nodiscard]] bool read_once(TimePoint now);
    void write();
    void write_when_ready();
    void finish();
    void give_up_later();
    void give_up();
    void release_memory();
    void arm();
    void handle_due();
    [[nodiscard]] bool compact(TimePoint now);

    Host &host_;
    AppSession &session_;
    boost::asio::posix::stream_descriptor socket_;
    MonotonicTimer timer_;
    ReceptionShares::Hold hold_;
    TimePoint armed_ = kNever;
    TimePoint compact_due_ = kNever;
    TimePoint memory_due_ = kNever;
    TimePoint linger_due_ = kNever;  ///< the peer has not read the last octets
    std::size_t budget_ = 0;         ///< octets that this turn may still read
    bool waits_to_read_ = false;
    bool waits_to_write_ = false;
    bool stopped_reading_ = false;
    bool over_ = false;
};

}  // namespace farlink::applications
