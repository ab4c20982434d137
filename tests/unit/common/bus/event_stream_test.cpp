// SPDX-License-Identifier: Apache-2.0
#include "common/bus/event_stream.hpp"

#include <gtest/gtest.h>

namespace farlink::bus::event_stream_test {
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

TEST(EventStream, ARepeatedSnapshotSaysNothingNewUnlessTheLastEventWasLost) {
    EventStream stream = synchronised_stream();
    EXPECT_FALSE(stream.accept_snapshot({7, 10}));
    EXPECT_TRUE(stream.accept_snapshot({7, 11}));
    EXPECT_EQ(stream.accept({7, 12}), Arrival::kInOrder);
    EXPECT_TRUE(stream.synchronised());
}

TEST(EventStream, AnUnaskedSnapshotOfThePastIsDropped) {
    EventStream stream = synchronised_stream();
    EXPECT_FALSE(stream.accept_snapshot({7, 9}));
    EXPECT_TRUE(stream.synchronised());
}

TimePoint at(Duration time) {
    return TimePoint{} + time;
}

TEST(EventRepeat, SaysNothingBeforeTheFirstEvent) {
    EventRepeat repeat;
    EXPECT_EQ(repeat.next_timeout(), kNever);
    repeat.note(0, at(seconds(5)));
    EXPECT_FALSE(repeat.take_due(at(seconds(1000))));
}

TEST(EventRepeat, PausesDoubleUpToALimitAndBeginAgainWithAnEvent) {
    EventRepeat repeat;
    repeat.note(1, at(seconds(10)));
    EXPECT_FALSE(repeat.take_due(at(milliseconds(10'999))));
    EXPECT_TRUE(repeat.take_due(at(seconds(11))));
    EXPECT_EQ(repeat.next_timeout(), at(seconds(13)));
    repeat.note(1, at(seconds(12)));
    EXPECT_EQ(repeat.next_timeout(), at(seconds(13)));
    for (int turn = 0; turn < 10; ++turn) EXPECT_TRUE(repeat.take_due(repeat.next_timeout()));
    const TimePoint last = repeat.next_timeout();
    EXPECT_TRUE(repeat.take_due(last));
    EXPECT_EQ(repeat.next_timeout(), last + EventRepeat::kLongestPause);
    repeat.note(2, last);
    EXPECT_EQ(repeat.next_timeout(), last + EventRepeat::kFirstPause);
}

}  // namespace
}  // namespace farlink::bus::event_stream_test
