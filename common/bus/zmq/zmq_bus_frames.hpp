// SPDX-License-Identifier: Apache-2.0
// Received frames as slabs: large ones stay in ZeroMQ's memory.
// Included by zmq_bus_remote.cpp only. Owned by a RemotePort; its thread only.
// A frame is returned to ZeroMQ with the last reference to its slab.
#pragma once

#include <memory>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "common/buffer/slab.hpp"

namespace farlink::bus {

class FrameSlabs final : public SlabOwner {
public:
    /// Takes the octets over.
    [[nodiscard]] SlabRef keep(zmq::message_t frame) {
        if (free_.empty()) {
            all_.push_back(std::make_unique<Frame>());
            free_.push_back(all_.back().get());
        }
        Frame &kept = *free_.back();
        free_.pop_back();
        kept.message = std::move(frame);
        kept.data = kept.message.data<std::uint8_t>();
        kept.capacity = static_cast<std::uint32_t>(kept.message.size());
        kept.owner = this;
        return SlabRef(&kept);
    }

private:
    struct Frame : Slab {
        zmq::message_t message;
    };
    void release(Slab *slab) override {
        auto *frame = static_cast<Frame *>(slab);
        frame->message.rebuild();
        free_.push_back(frame);
    }

    std::vector<std::unique_ptr<Frame>> all_;
    std::vector<Frame *> free_;
};

}  // namespace farlink::bus
