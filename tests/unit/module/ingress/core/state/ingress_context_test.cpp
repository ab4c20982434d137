// SPDX-License-Identifier: Apache-2.0
// How much ingress takes into memory: what a stop of the node can store.
#include "module/ingress/core/state/ingress_context.hpp"

#include "common/buffer/read_buffer.hpp"
#include "module/storage/disk/disk_io.hpp"
#include "tests/unit/module/ingress/core/ingress_fixture.hpp"

namespace farlink::ingress::ingress_context_test {
namespace {

constexpr std::uint64_t kMemory = 2 * 1024 * 1024;
constexpr std::uint64_t kIndexBytes = 40;
constexpr std::uint64_t kLabelBytes = 3 + 17 + 17;

class MemoryTest : public IngressFixture {
protected:
    /// Reads bundles as links do, while there is memory; storage answers nothing.
    void fill(std::size_t payload_bytes) {
        ReadBuffer buffer(pool);
        for (MutableBytes space = buffer.space(1024); !space.empty(); space = buffer.space(1024)) {
            ReceivedBundles received;
            std::size_t used = 0;
            for (Bytes next = bundle(2, payload_bytes).octets(); used + next.size() <= space.size();
                 next = bundle(2, payload_bytes).octets()) {
                std::ranges::copy(next, space.subspan(used).begin());
                received.add(buffer.slab(), space.subspan(used, next.size()));
                used += next.size();
            }
            buffer.commit(space.size());
            core().handle_bundles(kUp, received, now);
            received.clear();
            collect();
        }
    }
    /// What a stop writes: all that storage has been lent, and what waits behind it.
    [[nodiscard]] std::uint64_t disk_bytes() {
        std::uint64_t sum = 0;
        for (const BatchPtr &batch : at_storage)
            for (const BatchedBundle &each : batch->bundles)
                sum += record_bytes(kLabelBytes, each.size) + kIndexBytes;
        return sum;
    }
};

TEST_F(MemoryTest, HoldsNoMoreThanTheReserveOnDiskTakes) {
    for (const std::size_t payload_bytes : {1U, 100U, 900U}) {
        core().handle(bus::StorageReserve{kMemory}, now);
        fill(payload_bytes);
        std::uint64_t lent = 0;
        for (const BatchPtr &batch : at_storage) lent += batch->bundles.size();
        EXPECT_EQ(lent, value(IngressCounter::kInFlight)) << "nothing else is in memory";
        // The last slab is filled.
        const std::uint64_t last = kSlab + kSlab / 40 * kMemoryPerBundle;
        EXPECT_LE(disk_bytes(), kDiskPerMemory * (kMemory + last)) << payload_bytes;
        EXPECT_GT(disk_bytes(), kMemory / 2) << "the memory is used";
        finish();
        EXPECT_EQ(pool.pinned_bytes(), 0U);
    }
}

// A reserve that is smaller than this makes no sense, and a larger one than for the memory is none.
TEST_F(MemoryTest, IsLimitedByTheReserve) {
    const std::uint64_t most = pool.limit_bytes();
    core().handle(bus::StorageReserve{3 * kMemory}, now);
    EXPECT_EQ(pool.limit_bytes(), 3 * kMemory);
    core().handle(bus::StorageReserve{1}, now);
    EXPECT_EQ(pool.limit_bytes(), 1024U * 1024);
    core().handle(bus::StorageReserve{~std::uint64_t{0}}, now);
    EXPECT_EQ(pool.limit_bytes(), most);
}

TEST_F(MemoryTest, IsSharedByAllInstances) {
    config.threads.instances = 4;
    core().handle(bus::StorageReserve{8 * kMemory}, now);
    EXPECT_EQ(pool.limit_bytes(), 2 * kMemory);
}

TEST_F(MemoryTest, WithoutAReserveOnlySessionsThatAcknowledgeAreRead) {
    core().handle_upstream_opened(kUp, false);
    core().handle_upstream_opened(kUp2, true);
    core().handle(bus::StorageReserve{0}, now);
    collect();
    EXPECT_TRUE(paused(kUp));
    EXPECT_FALSE(paused(kUp2));
    core().handle(bus::StorageReserve{kMemory}, now);
    collect();
    EXPECT_FALSE(paused(kUp));
}

// Their kernels have a little of such sessions, and have acknowledged it.
TEST_F(MemoryTest, AStopReadsThemNevertheless) {
    core().handle_upstream_opened(kUp, false);
    core().handle(bus::StorageReserve{0}, now);
    core().drain(now);
    collect();
    EXPECT_FALSE(paused(kUp));
}

}  // namespace
}  // namespace farlink::ingress::ingress_context_test
