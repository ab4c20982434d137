// SPDX-License-Identifier: Apache-2.0
// What carries PDUs: UDP or bundles.
// Owned by the daemon; its loop's thread.
// A layer has its own pace: PDUs are polled from the entity only while it is ready.
#pragma once

#include <functional>
#include <string>

#include "cfdp/core/pdu/types.hpp"
#include "common/base/bytes.hpp"
#include "common/base/time.hpp"

namespace farlink::cfdpd {

struct LayerHooks {
    /// A PDU of this remote entity has come.
    std::function<void(cfdp::EntityId from, ByteView pdu)> on_pdu;
    /// It may be ready again.
    std::function<void()> on_room;
    /// The layer has ended, for people.
    std::function<void(const std::string &reason)> on_lost;
};

class LowerLayer {
public:
    virtual ~LowerLayer() = default;
    virtual void start(LayerHooks hooks) = 0;
    virtual void close() = 0;
    [[nodiscard]] virtual bool serves(cfdp::EntityId remote) const = 0;
    /// When a PDU may be sent; kNever: on_room follows.
    [[nodiscard]] virtual TimePoint ready_at(cfdp::EntityId remote, TimePoint now) const = 0;
    virtual void send(cfdp::EntityId remote, Bytes pdu, TimePoint now) = 0;
    /// No more PDUs follow for now.
    virtual void flush() {}
};

}  // namespace farlink::cfdpd
