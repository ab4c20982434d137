// SPDX-License-Identifier: Apache-2.0
#include "cla/tcpcl/v3/core/backlog.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "tests/support/octets.hpp"

namespace farlink::cla::tcpclv3::backlog_test {
namespace {

struct Known {
    std::uint64_t token;
    Bytes head;
    std::vector<ByteView> pieces;
};

TEST(Backlog, GivesBackWhatItWasGivenInOrder) {
    Random random(3);
    const Bytes arena = test::octets_of(5000, 1);
    Backlog backlog;
    std::deque<Known> model;
    std::uint64_t bytes = 0;
    const auto size_of = [](const Known &known) {
        std::uint64_t size = known.head.size();
        for (const ByteView piece : known.pieces) size += piece.size();
        return size;
    };
    for (std::uint64_t step = 0; step < 20'000; ++step) {
        const std::uint64_t choice = random.below(20);
        if (choice < 10) {
            Known known{step, test::octets_of(random.below(60), step), {}};
            for (std::uint64_t i = 0; i <= random.below(4); ++i)
                known.pieces.push_back(ByteView(arena).subspan(random.below(100), 100));
            Bytes transient = known.head;
            backlog.push({transient, known.pieces[0], std::span(known.pieces).subspan(1),
                          size_of(known), step});
            std::ranges::fill(transient, std::uint8_t{0});
            bytes += size_of(known);
            model.push_back(std::move(known));
        } else if (!model.empty()) {
            const bool back = choice == 19;
            const Known &gone = back ? model.back() : model.front();
            bytes -= size_of(gone);
            if (!back) {
                const TxBundle front = backlog.front();
                ASSERT_EQ(front.token, gone.token);
                ASSERT_EQ(front.size, size_of(gone));
                ASSERT_TRUE(std::ranges::equal(front.head, gone.head));
                ASSERT_EQ(front.rest.size() + 1, gone.pieces.size());
                ASSERT_EQ(front.body.data(), gone.pieces[0].data());
                for (std::size_t i = 1; i < gone.pieces.size(); ++i)
                    ASSERT_EQ(front.rest[i - 1].data(), gone.pieces[i].data());
                backlog.pop();
                model.pop_front();
            } else {
                backlog.pop_back();
                model.pop_back();
            }
        }
        ASSERT_EQ(backlog.size(), model.size());
        ASSERT_EQ(backlog.bytes(), bytes);
    }
    backlog.clear();
    EXPECT_TRUE(backlog.empty());
    EXPECT_EQ(backlog.bytes(), 0U);
}

}  // namespace
}  // namespace farlink::cla::tcpclv3::backlog_test
