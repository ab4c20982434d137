// SPDX-License-Identifier: Apache-2.0
// How batches travel: header and payload frames (the golden octets are the format, see wire_test).
#include "common/bus/wire/wire_batch.hpp"

#include <gtest/gtest.h>

#include "tests/unit/common/bus/wire/wire_samples.hpp"

namespace farlink::bus::wire_batch_test {
namespace {

class WireBatch : public testing::Test {
protected:
    Result<Message, WireError> receive(const EncodedMessage &encoded, TimePoint now = {}) {
        return decode(encoded.header, encoded.frames, {slabs, batches}, now);
    }
    EncodedMessage encode_release(TimePoint now = {}) {
        Message message = ReleaseBatch{std::move(sample.batch)};
        EncodedMessage encoded = encode(message, now);
        sample.batch = std::move(std::get<ReleaseBatch>(message).batch);
        return encoded;
    }

    SampleBatch sample;
    SlabPool slabs{256, 4096};
    BatchPool batches{BatchOwner::kIngress};
};

Bytes octets_of(const Batch &batch, const BatchedBundle &bundle) {
    Bytes octets;
    for (const ByteView slice : batch.slices_of(bundle)) append(octets, slice);
    return octets;
}

TEST_F(WireBatch, SlicesOfOneSlabShareAFrameThatIsNotCopied) {
    const EncodedMessage encoded = encode_release();
    ASSERT_EQ(encoded.frames.size(), 2U);
    EXPECT_EQ(encoded.frames[0].data(), sample.first->data);
    EXPECT_EQ(encoded.frames[0].size(), 32U);
    EXPECT_EQ(encoded.frames[1].data(), sample.second->data + 1);
    EXPECT_EQ(encoded.frames[1].size(), 4U);
}

TEST_F(WireBatch, SlicesFarApartOrOutOfOrderGetFramesOfTheirOwn) {
    sample.add({{sample.first->data + 200, 3}}, 1, 2);
    sample.add({{sample.first->data + 40, 3}}, 1, 2);
    EXPECT_EQ(encode_release().frames.size(), 4U);
}

TEST_F(WireBatch, GoldenOctets) {
    SampleBatch one;
    one.batch->bundles.resize(1);
    one.batch->resumes = true;
    one.batch->number = 0x104;
    one.batch->behind = {0x105, 0, 0, 0x106, 0x107};
    one.batch->piece = {0x107, 0x108, 0x109};
    one.batch->sent_payload = 0x10a;
    const EncodedMessage encoded = encode(ForwardBatch{std::move(one.batch)}, TimePoint{});
    const Bytes expected{
        'F',  'L',  19,   1,                                          // forward batch
        1,                                                            // owner: storage
        2,                                                            // which instance of it
        5,    0,    0,    0,                                          // link
        9,    0,    0,    0,    0,    0,    0,    0,                  // next hop
        3,    0,    0,    0,    0,    0,    0,    0,                  // sender
        77,   0,    0,    0,    0,    0,    0,    0,                  // sequence
        4,    0,    0,    0,                                          // upstream
        1,    0,    0,                                                // resumes, retried, copy
        0x04, 0x01, 0,    0,    0,    0,    0,    0,                  // number
        0x07, 0x01, 0,    0,    0,    0,    0,    0,                  // spool
        0x08, 0x01, 0,    0,    0,    0,    0,    0,                  // offset
        0x09, 0x01, 0,    0,    0,    0,    0,    0,                  // left
        0x0a, 0x01, 0,    0,    0,    0,    0,    0,                  // sent payload
        0x05, 0x01, 0,    0,    0,    0,    0,    0,                  // behind: instance 0
        0,    0,    0,    0,    0,    0,    0,    0,                  // 1
        0,    0,    0,    0,    0,    0,    0,    0,                  // 2
        0x06, 0x01, 0,    0,    0,    0,    0,    0,                  // 3
        0x07, 0x01, 0,    0,    0,    0,    0,    0,                  // applications
        1,    0,    0,    0,                                          // bundles
        10,   0,    0,    0,    0,    0,    0,    0,                  // size
        0x01, 0x01, 0,    0,    0,    0,    0,    0,                  // arrival
        0x01, 0x02, 0,    0,    0,    0,    0,    0,                  // flow
        0x01, 0x03, 0,    0,    0,    0,    0,    0,                  // record
        0x01, 0x04, 0,    0,    0,    0,    0,    0,                  // expiry
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,               // age: -1 ns
        6,    0,    0,    0,    8,    0,    0,    0,                  // primary end, head end
        7,    2,    4,    2,                                          // version ... requests
        3,    0,    0,    0,                                          // transfer
        1,    0,    0,    0,                                          // slices
        0,    0,    0,    0,    0,    0,    0,    0,    10, 0, 0, 0,  // frame, offset, length
    };
    EXPECT_EQ(encoded.header, expected);
}

TEST_F(WireBatch, EachKindOfBatchHasItsType) {
    SampleBatch store;
    SampleBatch release;
    EXPECT_EQ(encode(StoreBatch{std::move(store.batch)}).header[3], 2);
    EXPECT_EQ(encode(ReleaseBatch{std::move(release.batch)}).header[3], 3);
}

TEST_F(WireBatch, RoundTrip) {
    const auto message = receive(encode_release());
    ASSERT_TRUE(message.has_value());
    const Batch &got = *std::get<ReleaseBatch>(*message).batch;
    const Batch &sent = *sample.batch;
    EXPECT_EQ(got.owner, BatchOwner::kStorage);
    EXPECT_EQ(got.instance, 2);
    EXPECT_EQ(got.link, sent.link);
    EXPECT_EQ(got.next_hop, sent.next_hop);
    EXPECT_EQ(got.sender, sent.sender);
    EXPECT_EQ(got.sequence, sent.sequence);
    EXPECT_EQ(got.bytes, sent.bytes);
    EXPECT_EQ(got.requests, kReportDeletion);
    EXPECT_FALSE(got.resumes);
    EXPECT_EQ(got.number, sent.number);
    EXPECT_EQ(got.behind, sent.behind);
    EXPECT_EQ(got.sent_payload, sent.sent_payload);
    EXPECT_EQ(got.slabs.size(), 1U);
    ASSERT_EQ(got.bundles.size(), sent.bundles.size());
    for (std::size_t index = 0; index < sent.bundles.size(); ++index) {
        const BatchedBundle &one = got.bundles[index];
        const BatchedBundle &other = sent.bundles[index];
        EXPECT_EQ(octets_of(got, one), octets_of(sent, other));
        EXPECT_EQ(one.size, other.size);
        EXPECT_EQ(one.arrival, other.arrival);
        EXPECT_EQ(one.flow, other.flow);
        EXPECT_EQ(one.record, other.record);
        EXPECT_EQ(one.expiry, other.expiry);
        EXPECT_EQ(one.received, other.received);
        EXPECT_EQ(one.slice_count, other.slice_count);
        EXPECT_EQ(one.primary_end, other.primary_end);
        EXPECT_EQ(one.head_end, other.head_end);
        EXPECT_EQ(one.version, other.version);
        EXPECT_EQ(one.priority, other.priority);
        EXPECT_EQ(one.outcome, other.outcome);
        EXPECT_EQ(one.requests, other.requests);
    }
}

TEST_F(WireBatch, TheSendersMemoryIsFreeOnceDecoded) {
    const EncodedMessage encoded = encode_release();
    Bytes first(encoded.frames[0].begin(), encoded.frames[0].end());
    Bytes second(encoded.frames[1].begin(), encoded.frames[1].end());
    const std::vector<ByteView> frames{first, second};
    const auto message = decode(encoded.header, frames, {slabs, batches});
    std::ranges::fill(first, std::uint8_t{0xee});
    std::ranges::fill(second, std::uint8_t{0xee});
    const Batch &got = *std::get<ReleaseBatch>(*message).batch;
    EXPECT_EQ(octets_of(got, got.bundles[2]), octets_of(*sample.batch, sample.batch->bundles[2]));
}

TEST_F(WireBatch, ReceptionTimesMoveToTheReadersTimeLine) {
    const EncodedMessage encoded = encode_release(TimePoint{seconds(100)});
    const auto message = receive(encoded, TimePoint{seconds(7)});
    ASSERT_TRUE(message.has_value());
    EXPECT_EQ(std::get<ReleaseBatch>(*message).batch->bundles[0].received,
              TimePoint{seconds(-93) + nanoseconds(1)});
}

TEST_F(WireBatch, CutAnywhereItIsRefusedAndNothingStaysPinned) {
    const EncodedMessage encoded = encode_release();
    for (std::size_t length = 4; length < encoded.header.size(); ++length) {
        const auto message =
            decode(ByteView(encoded.header).first(length), encoded.frames, {slabs, batches});
        ASSERT_FALSE(message.has_value()) << length;
        EXPECT_EQ(message.error(), WireError::kTruncated);
        ASSERT_EQ(slabs.pinned_bytes(), 0U);
    }
}

TEST_F(WireBatch, AnyOctetMayBeWrong) {
    EncodedMessage encoded = encode_release();
    for (std::size_t place = 4; place < encoded.header.size(); ++place) {
        for (const std::uint8_t wrong : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
            const std::uint8_t right = std::exchange(encoded.header[place], wrong);
            const auto message = receive(encoded);
            if (message) {
                const Batch &got = *std::get<ReleaseBatch>(*message).batch;
                for (const BatchedBundle &bundle : got.bundles)
                    EXPECT_EQ(octets_of(got, bundle).size(), bundle.size);
            }
            encoded.header[place] = right;
        }
    }
    EXPECT_EQ(slabs.pinned_bytes(), 0U);
}

TEST_F(WireBatch, SlicesOutsideOfTheirFrameAreRefused) {
    EncodedMessage encoded = encode_release();
    encoded.frames[1] = encoded.frames[1].first(3);
    EXPECT_EQ(receive(encoded).error(), WireError::kBadSlices);
    encoded.frames.pop_back();
    EXPECT_EQ(receive(encoded).error(), WireError::kBadSlices);
}

TEST_F(WireBatch, AHeadThatDoesNotLieInTheFirstSliceIsRefused) {
    sample.batch->bundles[2].head_end = 9;
    EXPECT_EQ(receive(encode_release()).error(), WireError::kBadSlices);
    sample.batch->bundles[2].head_end = 3;
    EXPECT_EQ(receive(encode_release()).error(), WireError::kBadSlices);
}

TEST_F(WireBatch, WithoutMemoryItIsRefused) {
    SlabPool small(16, 32);
    const EncodedMessage encoded = encode_release();
    EXPECT_EQ(decode(encoded.header, encoded.frames, {small, batches}).error(),
              WireError::kNoMemory);
}

TEST_F(WireBatch, AnEmptyBatchNeedsNoMemory) {
    sample.batch->bundles.clear();
    const EncodedMessage encoded = encode_release();
    EXPECT_TRUE(encoded.frames.empty());
    const auto message = receive(encoded);
    ASSERT_TRUE(message.has_value());
    EXPECT_TRUE(std::get<ReleaseBatch>(*message).batch->bundles.empty());
    EXPECT_EQ(slabs.pinned_bytes(), 0U);
}

TEST_F(WireBatch, OutcomesTravelWithoutTheirBundles) {
    SampleBatch sent;
    sent.batch->bundles[1].outcome = Outcome::kSent;
    sent.batch->sent_payload = 0x102;
    const EncodedMessage encoded = encode(BatchOutcome{std::move(sent.batch)});
    Bytes expected{'F', 'L', kWireVersion, 4, 1, 77, 0, 0, 0, 0, 0, 0, 0};
    append(expected, Bytes{2, 1, 0, 0, 0, 0, 0, 0});  // sent payload
    append(expected, Bytes{3, 0, 0, 0, 4, 1, 4});
    EXPECT_EQ(encoded.header, expected);
    EXPECT_TRUE(encoded.frames.empty());
    const auto message = receive(encoded);
    ASSERT_TRUE(message.has_value());
    EXPECT_TRUE(set_outcomes(*std::get<BatchOutcome>(*message).batch, *sample.batch));
    EXPECT_EQ(sample.batch->bundles[0].outcome, Outcome::kNotSent);
    EXPECT_EQ(sample.batch->bundles[1].outcome, Outcome::kSent);
    EXPECT_EQ(sample.batch->sent_payload, 0x102U);
    EXPECT_EQ(sample.batch->done, 3U);
}

TEST_F(WireBatch, APartHasSomeOutcomesAndTheBatchTheOthers) {
    for (BatchedBundle &bundle : sample.batch->bundles) bundle.outcome = Outcome::kPending;
    sample.batch->done = 0;
    SampleBatch part;
    for (BatchedBundle &bundle : part.batch->bundles) bundle.outcome = Outcome::kPending;
    part.batch->bundles[2].outcome = Outcome::kTooLate;
    auto message = receive(encode(BatchOutcome{std::move(part.batch)}));
    ASSERT_TRUE(message.has_value());
    const Batch &some = *std::get<BatchOutcome>(*message).batch;
    ASSERT_TRUE(is_part(some));
    const BatchPtr published = part_of(some, *sample.batch);
    ASSERT_NE(published, nullptr);
    EXPECT_EQ(published->whole, sample.batch.get());
    EXPECT_EQ(published->bundles[2].outcome, Outcome::kTooLate);
    EXPECT_EQ(published->bundles[1].outcome, Outcome::kPending);
    EXPECT_EQ(part_of(some, *sample.batch)->done, 0U) << "once each";

    SampleBatch rest;
    for (BatchedBundle &bundle : rest.batch->bundles) bundle.outcome = Outcome::kSent;
    rest.batch->bundles[1].outcome = Outcome::kReturnedEarly;  // of which nobody has told
    message = receive(encode(BatchOutcome{std::move(rest.batch)}));
    ASSERT_TRUE(message.has_value());
    const Batch &all = *std::get<BatchOutcome>(*message).batch;
    EXPECT_FALSE(is_part(all));
    EXPECT_TRUE(set_outcomes(all, *sample.batch));
    EXPECT_EQ(sample.batch->bundles[0].outcome, Outcome::kSent);
    EXPECT_EQ(sample.batch->bundles[1].outcome, Outcome::kNotSent);
    EXPECT_EQ(sample.batch->bundles[2].outcome, Outcome::kReturnedEarly);
    EXPECT_EQ(sample.batch->done, 3U);
}

TEST_F(WireBatch, AUniformOutcomeIsThatOfEveryBundle) {
    SampleBatch sent;
    sent.batch->uniform = Outcome::kSent;
    const auto message = receive(encode(BatchOutcome{std::move(sent.batch)}));
    ASSERT_TRUE(message.has_value());
    EXPECT_TRUE(set_outcomes(*std::get<BatchOutcome>(*message).batch, *sample.batch));
    for (const BatchedBundle &bundle : sample.batch->bundles)
        EXPECT_EQ(sample.batch->outcome_of(bundle), Outcome::kSent);
}

TEST_F(WireBatch, EveryOutcomeTravels) {
    for (int each = 0; each <= static_cast<int>(Outcome::kTooManyFragments); ++each) {
        SampleBatch sent;
        sent.batch->uniform = static_cast<Outcome>(each);
        EXPECT_TRUE(receive(encode(BatchOutcome{std::move(sent.batch)}))) << each;
    }
}

TEST_F(WireBatch, OutcomesOfAnotherBatchAreNotCopied) {
    SampleBatch other;
    other.batch->sequence = 78;
    EXPECT_FALSE(set_outcomes(*other.batch, *sample.batch));
    other.batch->sequence = 77;
    other.batch->bundles.pop_back();
    EXPECT_FALSE(set_outcomes(*other.batch, *sample.batch));
}

}  // namespace
}  // namespace farlink::bus::wire_batch_test
