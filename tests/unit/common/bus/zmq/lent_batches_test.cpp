// SPDX-License-Identifier: Apache-2.0
#include "common/bus/zmq/lent_batches.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <thread>

namespace farlink::bus::lent_batches_test {
namespace {

/// Lends a batch with `bundles` bundles; its number.
LentBatches::Loan &lend(LentBatches &lent, std::uint64_t sequence, std::size_t bundles = 2) {
    auto batch = std::make_unique<Batch>();
    batch->sequence = sequence;
    batch->bundles.resize(bundles);
    LentBatches::Loan &loan = lent.begin(*batch, AgentId::kEgress);
    loan.batch = std::move(batch);
    return loan;
}

/// What the borrower says of it.
bool set_outcomes(LentBatches &lent, std::uint64_t number, std::size_t bundles = 2,
                  BatchOwner owner = BatchOwner::kIngress) {
    Batch outcome;
    outcome.owner = owner;
    outcome.sequence = number;
    outcome.bundles.resize(bundles);
    for (BatchedBundle &bundle : outcome.bundles) bundle.outcome = Outcome::kStored;
    outcome.done = static_cast<std::uint32_t>(bundles);
    return lent.handle_outcome(outcome, AgentId::kEgress);
}

bool readable(int descriptor, int patience_ms = 0) {
    pollfd polled{descriptor, POLLIN, 0};
    return ::poll(&polled, 1, patience_ms) == 1;
}

TEST(LentBatches, ComeBackWithTheirOutcomesAndTheirOwnSequence) {
    LentBatches lent;
    const LentBatches::Loan &loan = lend(lent, 7);
    EXPECT_EQ(lent.size(), 1U);
    EXPECT_EQ(loan.batch->sequence, loan.number);
    const Batch *kept = loan.batch.get();
    ASSERT_TRUE(set_outcomes(lent, loan.number));
    const BatchPtr back = lent.poll_returned();
    ASSERT_EQ(back.get(), kept);
    EXPECT_EQ(back->sequence, 7U);
    EXPECT_EQ(back->outcome_of(back->bundles[1]), Outcome::kStored);
    EXPECT_EQ(lent.size(), 0U);
    EXPECT_EQ(lent.poll_returned(), nullptr);
}

TEST(LentBatches, TellOfAPartBeforeTheyComeBack) {
    LentBatches lent;
    const LentBatches::Loan &loan = lend(lent, 7);
    Batch some;
    some.sequence = loan.number;
    some.bundles.resize(2);
    some.bundles[1].outcome = Outcome::kTooLate;
    some.done = 1;
    ASSERT_TRUE(lent.handle_outcome(some, AgentId::kEgress));
    const BatchPtr part = lent.poll_returned();
    ASSERT_NE(part, nullptr);
    EXPECT_EQ(part->whole, loan.batch.get());
    EXPECT_EQ(part->sequence, 7U);
    EXPECT_EQ(part->bundles[1].outcome, Outcome::kTooLate);
    EXPECT_EQ(lent.poll_returned(), nullptr) << "the batch is out";
    EXPECT_EQ(lent.size(), 1U);
    lent.take_back(AgentId::kEgress);
    const BatchPtr back = lent.poll_returned();
    ASSERT_NE(back, nullptr);
    EXPECT_EQ(back->outcome_of(back->bundles[0]), Outcome::kNotSent);
    EXPECT_EQ(back->outcome_of(back->bundles[1]), Outcome::kReturnedEarly);
}

TEST(LentBatches, RefusesOutcomesOfWhatIsNotOut) {
    LentBatches lent;
    EXPECT_FALSE(set_outcomes(lent, 0));
    const std::uint64_t first = lend(lent, 1).number;
    EXPECT_FALSE(set_outcomes(lent, first + 1)) << "no such place";
    EXPECT_FALSE(set_outcomes(lent, first, 3)) << "other bundles";
    EXPECT_FALSE(set_outcomes(lent, first, 2, BatchOwner::kStorage));
    EXPECT_TRUE(set_outcomes(lent, first));
    EXPECT_FALSE(set_outcomes(lent, first)) << "twice";
    ASSERT_NE(lent.poll_returned(), nullptr);
    const std::uint64_t second = lend(lent, 2).number;
    EXPECT_NE(first, second) << "the same place, another batch";
    EXPECT_FALSE(set_outcomes(lent, first));
    EXPECT_TRUE(set_outcomes(lent, second));
    ASSERT_NE(lent.poll_returned(), nullptr);
}

TEST(LentBatches, WaitUntilNobodyReadsThem) {
    LentBatches lent;
    LentBatches::Loan &loan = lend(lent, 1);
    loan.lease.take();
    loan.lease.take();
    ASSERT_TRUE(set_outcomes(lent, loan.number));
    EXPECT_EQ(lent.poll_returned(), nullptr);
    std::thread reader([&] {
        loan.lease.let_go();
        loan.lease.let_go();
    });
    ASSERT_TRUE(readable(lent.descriptor(), 10'000)) << "it wakes its owner";
    reader.join();
    EXPECT_NE(lent.poll_returned(), nullptr);
    EXPECT_FALSE(readable(lent.descriptor()));
}

TEST(LentBatches, CanBeWokenByTheirOwner) {
    LentBatches lent;
    lent.wake();
    EXPECT_TRUE(readable(lent.descriptor()));
    EXPECT_EQ(lent.poll_returned(), nullptr);
    EXPECT_FALSE(readable(lent.descriptor()));
    lent.wake();  // unheard at the end
}

TEST(LentBatches, OfABorrowerThatIsGoneComeBackInTheirOrder) {
    LentBatches lent;
    LentBatches::Loan &read = lend(lent, 1);
    read.lease.take();
    for (std::uint64_t sequence = 2; sequence < 6; ++sequence) (void)lend(lent, sequence);
    lent.take_back(AgentId::kStorage);
    EXPECT_EQ(lent.poll_returned(), nullptr) << "nothing was lent to that one";
    lent.take_back(AgentId::kEgress);
    EXPECT_TRUE(readable(lent.descriptor()));
    for (std::uint64_t sequence = 2; sequence < 6; ++sequence) {
        const BatchPtr back = lent.poll_returned();
        ASSERT_NE(back, nullptr);
        EXPECT_EQ(back->sequence, sequence);
        EXPECT_EQ(back->outcome_of(back->bundles[0]), Outcome::kNotSent);
    }
    EXPECT_EQ(lent.poll_returned(), nullptr) << "somebody still reads the first";
    read.lease.let_go();
    EXPECT_NE(lent.poll_returned(), nullptr);
    EXPECT_FALSE(set_outcomes(lent, read.number)) << "an answer that comes late";
}

TEST(LentBatches, ABatchThatCannotBeLentComesBackUnchanged) {
    LentBatches lent;
    auto batch = std::make_unique<Batch>();
    batch->sequence = 9;
    batch->bundles.resize(1);
    lent.give_back(std::move(batch));
    EXPECT_TRUE(readable(lent.descriptor()));
    const BatchPtr back = lent.poll_returned();
    ASSERT_NE(back, nullptr);
    EXPECT_EQ(back->sequence, 9U);
    EXPECT_EQ(back->uniform, Outcome::kNotSent);
    EXPECT_EQ(lent.size(), 0U);
}

// Answers to a process that has died must not fit what the next one has lent.
TEST(LentBatches, NumbersOfTwoProcessesDiffer) {
    LentBatches one;
    LentBatches other;
    EXPECT_NE(lend(one, 1).number, lend(other, 1).number);
}

TEST(LentBatches, EndsWhenTheLastReaderIsDone) {
    std::atomic<bool> let_go{false};
    std::thread reader;
    {
        LentBatches lent;
        LentBatches::Loan &loan = lend(lent, 1);
        loan.lease.take();
        reader = std::thread([&] {
            let_go = true;
            loan.lease.let_go();
        });
    }
    EXPECT_TRUE(let_go);
    reader.join();
}

TEST(LentBatches, ManyAtATimeInAnyOrder) {
    LentBatches lent;
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t round = 0; round < 3; ++round) {
        numbers.clear();
        for (std::uint64_t i = 0; i < 100; ++i) numbers.push_back(lend(lent, i).number);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            ASSERT_TRUE(set_outcomes(lent, numbers[(i * 37) % numbers.size()]));
        std::uint64_t sum = 0;
        while (const BatchPtr back = lent.poll_returned()) sum += back->sequence;
        EXPECT_EQ(sum, 99U * 100 / 2);
    }
    EXPECT_EQ(lent.size(), 0U);
}

}  // namespace
}  // namespace farlink::bus::lent_batches_test
