// SPDX-License-Identifier: Apache-2.0
#include "common/bus/event_stream.hpp"

#include <gtest/gtest.h>

namespace farlink::bus {
namespace {

using Arrival = EventStream::Arrival;

/// A stream that has its first snapshot: epoch 7, sequence 10.
EventStream synchronised_stream() {
    EventStream stream;
    EXPECT_TRUE(stream.take_request());
    EXPECT_TRUE(stream.accept_snapshot({7, 10}));
    return stream;
}

TEST(EventStream, AsksForASnapshotAtStartOnce) {
    EventStream stream;
    EXPECT_FALSE(stream.synchronised());
    EXPECT_TRUE(stream.take_request());
    EXPECT_TRUE(stream.snapshot_requested());
    EXPECT_FALSE(stream.take_request());
    EXPECT_TRUE(stream.accept_snapshot({7, 0}));
    EXPECT_TRUE(stream.synchronised());
    EXPECT_FALSE(stream.take_request());
    EXPECT_EQ(stream.accept({7, 1}), Arrival::kInOrder);
}

TEST(EventStream, EventsFollowTheSnapshot) {
    EventStream stream = synchronised_stream();
    EXPECT_EQ(stream.accept({7, 9}), Arrival::kDuplicate);
    EXPECT_EQ(stream.accept({7, 10}), Arrival::kDuplicate);
    EXPECT_EQ(stream.accept({7, 11}), Arrival::kInOrder);
    EXPECT_EQ(stream.accept({7, 11}), Arrival::kDuplicate);
    EXPECT_TRUE(stream.synchronised());
}

TEST(EventStream, AGapAsksForASnapshotOnce) {
    EventStream stream = synchronised_stream();
    EXPECT_EQ(stream.accept({7, 13}), Arrival::kGap);
    EXPECT_FALSE(stream.synchronised());
    EXPECT_TRUE(stream.take_request());
    EXPECT_EQ(stream.accept({7, 20}), Arrival::kGap);
    EXPECT_FALSE(stream.take_request());
    EXPECT_TRUE(stream.accept_snapshot({7, 20}));
    EXPECT_TRUE(stream.synchronised());
}

TEST(EventStream, ASnapshotThatMissesAppliedEventsIsAskedForAgain) {
    EventStream stream = synchronised_stream();
    EXPECT_EQ(stream.accept({7, 13}), Arrival::kGap);
    EXPECT_TRUE(stream.take_request());
    EXPECT_EQ(stream.accept({7, 14}), Arrival::kInOrder);
    EXPECT_FALSE(stream.accept_snapshot({7, 13}));
    EXPECT_TRUE(stream.take_request());
    EXPECT_TRUE(stream.accept_snapshot({7, 15}));
    EXPECT_EQ(stream.accept({7, 15}), Arrival::kDuplicate);
    EXPECT_EQ(stream.accept({7, 16}), Arrival::kInOrder);
}

TEST(EventStream, ARestartedPublisherIsAskedEvenWhileAnAnswerIsAwaited) {
    EventStream stream = synchronised_stream();
    EXPECT_EQ(stream.accept({7, 13}), Arrival::kGap);
    EXPECT_TRUE(stream.take_request());
    EXPECT_EQ(stream.accept({8, 1}), Arrival::kNewEpoch);
    EXPECT_TRUE(stream.take_request());
    EXPECT_TRUE(stream.accept_snapshot({8, 1}));
    EXPECT_EQ(stream.accept({8, 2}), Arrival::kInOrder);
}

TEST(EventStream, AnEventBeforeTheFirstSnapshotIsANewEpoch) {
    EventStream stream;
    EXPECT_TRUE(stream.take_request());
    EXPECT_EQ(stream.accept({7, 5}), Arrival::kNewEpoch);
    EXPECT_TRUE(stream.take_request());
    EXPECT_FALSE(stream.accept_snapshot({7, 4}));
    EXPECT_TRUE(stream.take_request());
    EXPECT_TRUE(stream.accept_snapshot({7, 5}));
}

TEST(EventStream, AnUnaskedSnapshotOfThePastIsDropped) {
    EventStream stream = synchronised_stream();
    EXPECT_FALSE(stream.accept_snapshot({7, 9}));
    EXPECT_TRUE(stream.synchronised());
}

}  // namespace
}  // namespace farlink::bus
