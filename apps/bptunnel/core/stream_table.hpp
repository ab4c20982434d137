// SPDX-License-Identifier: Apache-2.0
// The streams between two ends of a tunnel: what arrives becomes events, what is to be sent becomes
// messages.
// Owned by the end of one peer; one thread; times are given.
// Numbers of streams ascend and are not used twice, so that late messages of closed ones are
// recognised.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "apps/bptunnel/core/adu.hpp"
#include "apps/bptunnel/core/seen_numbers.hpp"
#include "apps/bptunnel/core/stream.hpp"

namespace farlink::bptunnel {

struct StreamLimits {
    std::size_t streams = 256;
    std::uint64_t window = std::uint64_t{1} << 20;
    Duration idle = std::chrono::hours(1);
    /// How long octets wait for the message that opens their stream.
    Duration opening = std::chrono::seconds(60);
};

struct StreamEvent {
    enum class Type : std::uint8_t {
        kOpened,  ///< by the peer
        kMoved,   ///< there are octets, an end or credit
        kReset,   ///< it is gone: by the peer, by a fault or after idle time
    };
    Type type = Type::kMoved;
    std::uint32_t stream = 0;
};

struct StreamFaults {
    std::uint64_t ignored = 0;  ///< messages for no stream
    std::uint64_t refused = 0;  ///< streams beyond the limit
    std::uint64_t faults = 0;   ///< messages that are not allowed
    std::uint64_t idle = 0;
};

class StreamTable {
public:
    /// The listening end opens streams, the other one never does.
    StreamTable(StreamLimits limits, bool opens) : limits_(limits), opens_(opens) {}

    [[nodiscard]] bool full() const { return streams_.size() >= limits_.streams; }
    [[nodiscard]] std::size_t size() const { return streams_.size(); }

    /// Messages to send are appended to `out` by all of these.
    [[nodiscard]] std::uint32_t open(TimePoint now, Bytes &out);
    [[nodiscard]] std::vector<StreamEvent> take(ByteView messages, TimePoint now, Bytes &out);
    /// Up to may_send(): octets of the application.
    void send(std::uint32_t stream, ByteView octets, TimePoint now, Bytes &out);
    void send_end(std::uint32_t stream, Bytes &out);
    [[nodiscard]] Bytes take_ready(std::uint32_t stream);
    void used(std::uint32_t stream, std::size_t bytes, TimePoint now, Bytes &out);
    /// 0: no such stream.
    [[nodiscard]] std::uint64_t may_send(std::uint32_t stream) const;
    /// The peer has ended its direction, and all of it is taken.
    [[nodiscard]] bool ended(std::uint32_t stream) const;
    /// Ends both directions at once.
    void reset(std::uint32_t stream, ResetReason reason, Bytes &out);
    /// Forgets a stream that has ended in both directions.
    void close(std::uint32_t stream) { streams_.erase(stream); }
    [[nodiscard]] std::vector<StreamEvent> expire(TimePoint now, Bytes &out);
    /// The other end has restarted, or this one has a new session: no message is sent.
    [[nodiscard]] std::vector<std::uint32_t> clear();

    [[nodiscard]] const StreamFaults &faults() const { return faults_; }

private:
    [[nodiscard]] Stream *find(std::uint32_t stream);
    [[nodiscard]] const Stream *find(std::uint32_t stream) const;
    [[nodiscard]] Stream *find_or_add(const Message &message, TimePoint now, Bytes &out);
    void take_one(const Message &message, TimePoint now, Bytes &out,
                  std::vector<StreamEvent> &events);
    [[nodiscard]] bool apply(Stream &stream, const Message &message, Bytes &out,
                             std::vector<StreamEvent> &events);
    void fault(const Message &message, Bytes &out, std::vector<StreamEvent> &events);

    StreamLimits limits_;
    bool opens_;
    std::map<std::uint32_t, Stream> streams_;
    SeenNumbers known_;  ///< streams of the peer, open or closed
    std::uint32_t next_stream_ = 0;
    StreamFaults faults_;
};

}  // namespace farlink::bptunnel
