// SPDX-License-Identifier: Apache-2.0
// Carries what the disks find at the start to the thread that restores it, in chunks: disks are
// read at the same time, as far as there is room, and beside the work of taking the records in.
// Owned by the storage agent while it opens its disks; add() and end() on one thread for each disk,
// take() on the agent's.
// A disk that is far ahead waits.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "module/storage/disk/disk_io.hpp"

namespace farlink::storage {

class RestoreQueue {
public:
    /// Records of one disk in the order in which they were found.
    class Chunk {
    public:
        explicit Chunk(DiskIndex disk) : disk_(disk) {}

        [[nodiscard]] DiskIndex disk() const { return disk_; }
        [[nodiscard]] std::size_t size() const { return found_.size(); }
        [[nodiscard]] const Hash128 &identity(std::size_t at) const {
            return found_[at].record.head.identity;
        }
        /// Its label is valid as long as the chunk.
        [[nodiscard]] RestoredRecord record(std::size_t at) const {
            RestoredRecord record = found_[at].record;
            record.label = ByteView(labels_).subspan(found_[at].label_at, found_[at].label_size);
            return record;
        }

    private:
        friend class RestoreQueue;
        struct Found {
            RestoredRecord record;
            std::size_t label_at = 0;
            std::size_t label_size = 0;
        };
        void add(const RestoredRecord &record) {
            // Neighbours mostly go the same way.
            std::size_t at = found_.empty() ? 0 : found_.back().label_at;
            const std::size_t size = record.label.size();
            if (found_.empty() || found_.back().label_size != size ||
                !std::equal(record.label.begin(), record.label.end(), labels_.data() + at)) {
                at = labels_.size();
                append(labels_, record.label);
            }
            found_.push_back({record, at, size});
        }

        DiskIndex disk_;
        std::vector<Found> found_;
        Bytes labels_;
    };

    /// For so many disks, each of which will end().
    explicit RestoreQueue(std::size_t disks) : queues_(disks) {}

    void add(DiskIndex disk, const RestoredRecord &record) {
        std::optional<Chunk> &chunk = queues_[disk].unsent;
        if (!chunk) {
            chunk.emplace(disk);
            chunk->found_.reserve(kChunkRecords);
        }
        chunk->add(record);
        if (chunk->size() == kChunkRecords) send(queues_[disk]);
    }
    void end(DiskIndex disk) {
        if (queues_[disk].unsent) send(queues_[disk]);
        const std::lock_guard guard(mutex_);
        queues_[disk].ended = true;
        changed_.notify_all();
    }
    /// The next chunk, all of the first disk before those of the second: a flow's queue is walked
    /// through once for each disk. Nothing when all have ended.
    [[nodiscard]] std::optional<Chunk> take() {
        std::unique_lock lock(mutex_);
        for (; at_ < queues_.size(); ++at_) {
            DiskQueue &queue = queues_[at_];
            changed_.wait(lock, [&queue] { return !queue.chunks.empty() || queue.ended; });
            if (queue.chunks.empty()) continue;
            std::optional<Chunk> chunk = std::move(queue.chunks.front());
            queue.chunks.pop_front();
            changed_.notify_all();
            return chunk;
        }
        return std::nullopt;
    }

private:
    static constexpr std::size_t kChunkRecords = 1024;
    static constexpr std::size_t kMostChunks = 64;  ///< of a disk; some 8 MB

    struct DiskQueue {
        std::optional<Chunk> unsent;  ///< belongs to the thread of the disk
        std::deque<Chunk> chunks;
        bool ended = false;
    };

    void send(DiskQueue &queue) {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&queue] { return queue.chunks.size() < kMostChunks; });
        queue.chunks.push_back(std::move(*queue.unsent));
        queue.unsent.reset();
        changed_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<DiskQueue> queues_;  ///< by disk
    std::size_t at_ = 0;            ///< the disk whose turn it is
};

}  // namespace farlink::storage
