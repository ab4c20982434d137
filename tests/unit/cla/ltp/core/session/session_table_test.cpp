// SPDX-License-Identifier: Apache-2.0
#include "cla/ltp/core/session/session_table.hpp"

#include <gtest/gtest.h>

#include <map>

#include "common/base/random.hpp"

namespace farlink::cla::ltp::session_table_test {
namespace {

TEST(LtpSessionTable, AgreesWithAMap) {
    Random random(7);
    SessionTable table(random.next());
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> wanted;
    for (std::uint32_t step = 0; step < 50'000; ++step) {
        const PeerId peer{static_cast<std::uint32_t>(random.below(3))};
        const std::uint64_t number = random.below(400);
        const auto found = wanted.find({peer.value(), number});
        ASSERT_EQ(table.find(peer, number),
                  found == wanted.end() ? SessionTable::kNone : found->second);
        if (found == wanted.end()) {
            table.add(peer, number, step);
            wanted[{peer.value(), number}] = step;
        } else {
            table.remove(peer, number);
            wanted.erase(found);
        }
        ASSERT_EQ(table.size(), wanted.size());
    }
    for (const auto &[key, slot] : wanted)
        ASSERT_EQ(table.find(PeerId{key.first}, key.second), slot);
}

}  // namespace
}  // namespace farlink::cla::ltp::session_table_test
