// SPDX-License-Identifier: Apache-2.0
// Every PDU there and back, cut at every octet, and with every octet changed.
#include "cfdp/core/pdu/pdu.hpp"

#include <gtest/gtest.h>

#include "cfdp/core/pdu/options.hpp"
#include "common/base/random.hpp"
#include "tests/support/hex.hpp"

namespace farlink::cfdp::pdu_test {
namespace {

std::vector<PduBody> bodies(bool large) {
    static const Bytes kData{1, 2, 3, 4, 5};
    const std::uint64_t far = large ? 0x123456789aULL : 0x12345678ULL;
    Metadata metadata{.closure_requested = true,
                      .checksum_type = 3,
                      .file_size = far,
                      .source_name = "a/b.txt",
                      .destination_name = "c"};
    metadata.options = {{Tlv::kMessageToUser, {'h', 'i'}},
                        {Tlv::kFaultHandlerOverride, {0x72}},
                        {Tlv::kFlowLabel, {}}};
    return {
        FileData{.offset = far, .data = kData},
        FileData{.offset = 7,
                 .data = kData,
                 .has_metadata = true,
                 .continuation = 3,
                 .metadata = ByteView(kData).first(2)},
        FileData{},
        Eof{.checksum = 0xdeadbeef, .file_size = far},
        Eof{.condition = ConditionCode::kCancelRequested, .file_size = 5, .fault_location = 3},
        Finished{.status = FileStatus::kRetained},
        Finished{.condition = ConditionCode::kChecksumFailure,
                 .incomplete = true,
                 .status = FileStatus::kDiscarded,
                 .filestore_responses = {{0x0f, 1, 'x', 0}},
                 .fault_location = 200},
        Ack{Directive::kEof, ConditionCode::kNoError, TransactionStatus::kActive},
        Ack{Directive::kFinished, ConditionCode::kInactivity, TransactionStatus::kTerminated},
        metadata,
        Nak{.scope_begin = 0, .scope_end = far, .requests = {{0, 0}, {5, far}}},
        Nak{},
        Prompt{.keep_alive = true},
        Prompt{},
        KeepAlive{.progress = far},
    };
}

bool towards_sender(const PduBody &body) {
    const auto *ack = std::get_if<Ack>(&body);
    if (ack != nullptr) return ack->of == Directive::kEof;
    return std::holds_alternative<Finished>(body) || std::holds_alternative<Nak>(body) ||
           std::holds_alternative<KeepAlive>(body);
}

std::vector<std::pair<PduHeader, PduBody>> all() {
    std::vector<std::pair<PduHeader, PduBody>> pdus;
    for (const bool large : {false, true})
        for (const bool crc : {false, true})
            for (const std::uint8_t bytes : {1, 2, 3, 8})
                for (PduBody &body : bodies(large)) {
                    PduHeader header{.crc = crc,
                                     .large_file = large,
                                     .id = {9, 77},
                                     .destination = 200,
                                     .entity_bytes = bytes,
                                     .sequence_bytes = static_cast<std::uint8_t>(9 - bytes)};
                    header.towards_sender = towards_sender(body);
                    header.unacknowledged = std::holds_alternative<Prompt>(body);
                    pdus.emplace_back(header, std::move(body));
                }
    return pdus;
}

TEST(Pdu, IsTheSameThereAndBack) {
    for (const auto &[header, body] : all()) {
        const Bytes octets = encode_pdu(header, body);
        const auto pdu = decode_pdu(octets);
        ASSERT_TRUE(pdu) << name_of(pdu.error()) << ' ' << test::to_hex(octets);
        EXPECT_EQ(pdu->header, header);
        EXPECT_EQ(encode_pdu(pdu->header, pdu->body), octets);
        EXPECT_EQ(pdu->body.index(), body.index());
    }
}

TEST(Pdu, OctetsByHand) {
    const PduHeader header{.unacknowledged = true, .id = {1, 2}, .destination = 3};
    EXPECT_EQ(test::to_hex(encode_pdu(header, Eof{.checksum = 0x01020304, .file_size = 5})),
              "24000a00010203"
              "04"
              "00"
              "01020304"
              "00000005");
    EXPECT_EQ(test::to_hex(encode_pdu(header, FileData{.offset = 16})),
              "34000400010203"
              "00000010");
}

TEST(Pdu, CrcOfTheCatalogue) {
    EXPECT_EQ(pdu_crc(as_bytes("123456789")), 0x29b1);
}

TEST(Pdu, CutAtEveryOctetIsAnError) {
    for (const auto &[header, body] : all()) {
        const Bytes octets = encode_pdu(header, body);
        for (std::size_t size = 0; size < octets.size(); ++size)
            EXPECT_FALSE(decode_pdu(ByteView(octets).first(size)));
        Bytes longer = octets;
        longer.push_back(0);
        const auto trailing = decode_pdu(longer);
        ASSERT_FALSE(trailing);
        EXPECT_EQ(trailing.error(), PduError::kTrailing);
    }
}

TEST(Pdu, WithAShorterDataFieldIsAnErrorOrAnotherPdu) {
    for (const auto &[header, body] : all()) {
        if (header.crc) continue;
        const Bytes octets = encode_pdu(header, body);
        for (std::size_t size = header_bytes(header); size < octets.size(); ++size) {
            Bytes cut(octets.begin(), octets.begin() + static_cast<std::ptrdiff_t>(size));
            store_be(cut.data() + 1, static_cast<std::uint16_t>(size - header_bytes(header)));
            if (const auto pdu = decode_pdu(cut)) (void)encode_pdu(pdu->header, pdu->body);
        }
    }
}

TEST(Pdu, ACrcFindsEveryChangedOctet) {
    for (const auto &[header, body] : all()) {
        if (!header.crc) continue;
        Bytes octets = encode_pdu(header, body);
        for (std::size_t i = 4; i < octets.size(); ++i) {
            octets[i] ^= 0x41;
            const auto pdu = decode_pdu(octets);
            ASSERT_FALSE(pdu);
            EXPECT_EQ(pdu.error(), PduError::kCrc);
            octets[i] ^= 0x41;
        }
    }
}

TEST(Pdu, AnyChangedOctetIsAnErrorOrAPdu) {
    Random random(1);
    for (const auto &[header, body] : all()) {
        const Bytes octets = encode_pdu(header, body);
        for (std::size_t i = 0; i < octets.size(); ++i) {
            Bytes changed = octets;
            changed[i] = static_cast<std::uint8_t>(random.next());
            if (const auto pdu = decode_pdu(changed)) (void)encode_pdu(pdu->header, pdu->body);
        }
    }
}

TEST(Pdu, TowardsTheWrongEndIsAnError) {
    PduHeader header{.towards_sender = true, .id = {1, 2}, .destination = 3};
    const auto pdu = decode_pdu(encode_pdu(header, Eof{}));
    ASSERT_FALSE(pdu);
    EXPECT_EQ(pdu.error(), PduError::kDirection);
}

TEST(Pdu, OtherVersionsAndDirectivesAreErrors) {
    Bytes octets = encode_pdu({.id = {1, 2}, .destination = 3}, Prompt{});
    octets[7] = 10;
    EXPECT_EQ(decode_pdu(octets).error(), PduError::kDirective);
    octets[0] = 0;
    EXPECT_EQ(decode_pdu(octets).error(), PduError::kVersion);
}

TEST(Pdu, OffsetsThatWrapAroundAreErrors) {
    const Bytes data(10);
    const PduHeader header{.large_file = true, .id = {1, 2}, .destination = 3};
    const FileData wraps{.offset = ~std::uint64_t{0} - 3, .data = data};
    EXPECT_EQ(decode_pdu(encode_pdu(header, wraps)).error(), PduError::kField);
    const Nak back{.scope_end = 9, .requests = {{5, 4}}};
    PduHeader answer = header;
    answer.towards_sender = true;
    EXPECT_EQ(decode_pdu(encode_pdu(answer, back)).error(), PduError::kField);
}

TEST(Pdu, OneBehindAnotherIsFoundByItsLengths) {
    Bytes octets;
    std::vector<std::size_t> sizes;
    for (const auto &[header, body] : all()) {
        const Bytes pdu = encode_pdu(header, body);
        sizes.push_back(pdu.size());
        append(octets, pdu);
    }
    ByteView left = octets;
    for (const std::size_t size : sizes) {
        ASSERT_EQ(first_pdu_bytes(left), size);
        EXPECT_EQ(first_pdu_bytes(left.first(size - 1)), 0U);
        left = left.subspan(size);
    }
    EXPECT_EQ(first_pdu_bytes(left), 0U);
}

TEST(PduOptions, FilestoreRequestsThereAndBack) {
    using Action = FilestoreRequest::Action;
    for (unsigned action = 0; action < 9; ++action) {
        FilestoreRequest request{static_cast<Action>(action), "one", {}};
        if (action >= 2 && action <= 4) request.second_name = "two";
        const Bytes value = *encode_filestore_request(request);
        EXPECT_EQ(decode_filestore_request(value), request);
        for (std::size_t size = 0; size < value.size(); ++size)
            EXPECT_FALSE(decode_filestore_request(ByteView(value).first(size)));
        EXPECT_EQ(encode_filestore_response({request})[0], action << 4 | 15);
        EXPECT_EQ(action_named(name_of(request.action)), request.action);
    }
    EXPECT_FALSE(decode_filestore_request(Bytes{0x90, 0}));
    const std::string longest(126, 'x');
    EXPECT_TRUE(encode_filestore_request({Action::kRename, longest, longest}));
    EXPECT_FALSE(encode_filestore_request({Action::kRename, longest, longest + "x"}));
    EXPECT_FALSE(encode_filestore_request({Action::kCreate, std::string(300, 'x'), {}}));
}

TEST(PduOptions, FilestoreResponsesHaveTheNumbersOfTheStandard) {
    using Action = FilestoreRequest::Action;
    using enum FilestoreResult;
    const struct {
        Action action;
        FilestoreResult result;
        unsigned status;
    } cases[] = {{Action::kCreate, kDone, 0},          {Action::kCreate, kRefused, 1},
                 {Action::kDelete, kFirstMissing, 1},  {Action::kDelete, kRefused, 2},
                 {Action::kRename, kFirstMissing, 1},  {Action::kRename, kExists, 2},
                 {Action::kRename, kRefused, 3},       {Action::kAppend, kFirstMissing, 1},
                 {Action::kAppend, kSecondMissing, 2}, {Action::kReplace, kRefused, 3},
                 {Action::kCreateFolder, kRefused, 1}, {Action::kRemoveFolder, kFirstMissing, 1},
                 {Action::kRemoveFolder, kRefused, 2}, {Action::kDenyFile, kRefused, 2},
                 {Action::kDenyFolder, kDone, 0},      {Action::kAppend, kNotPerformed, 15}};
    for (const auto &each : cases) {
        FilestoreResponse response{{each.action, "a", {}}, each.result};
        if (has_second_name(each.action)) response.request.second_name = "b";
        const Bytes value = encode_filestore_response(response);
        EXPECT_EQ(value[0], static_cast<unsigned>(each.action) << 4 | each.status);
        EXPECT_EQ(decode_filestore_response(value), response);
        for (std::size_t size = 0; size < value.size(); ++size)
            EXPECT_FALSE(decode_filestore_response(ByteView(value).first(size)));
    }
    // What is not there needs no denial.
    EXPECT_EQ(encode_filestore_response({{Action::kDenyFile, "a", {}}, kFirstMissing})[0], 0x70);
    EXPECT_FALSE(decode_filestore_response(Bytes{0x09, 1, 'a', 0}));
}

TEST(PduOptions, OverridesAndReservedMessages) {
    EXPECT_EQ(decode_handler_override(Bytes{0x73})->condition, ConditionCode::kNakLimit);
    EXPECT_EQ(decode_handler_override(Bytes{0x73})->handler, FaultHandler::kIgnore);
    EXPECT_FALSE(decode_handler_override(Bytes{0x70}));
    EXPECT_FALSE(decode_handler_override(Bytes{}));
    EXPECT_EQ(reserved_message_type(as_bytes("cfdp\x10")), 0x10);
    EXPECT_FALSE(reserved_message_type(as_bytes("cfdp")));
    EXPECT_FALSE(reserved_message_type(as_bytes("other")));
}

TEST(PduOptions, FewestOctets) {
    EXPECT_EQ(bytes_for(0), 1);
    EXPECT_EQ(bytes_for(255), 1);
    EXPECT_EQ(bytes_for(256), 2);
    EXPECT_EQ(bytes_for(65536), 4);
    EXPECT_EQ(bytes_for(std::uint64_t{1} << 32), 8);
}

}  // namespace
}  // namespace farlink::cfdp::pdu_test
