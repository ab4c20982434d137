// SPDX-License-Identifier: Apache-2.0
#include "apps/shared/files/sent_book.hpp"

#include <gtest/gtest.h>

#include "common/files/record_log.hpp"

namespace farlink::files::sent_book_test {
namespace {

constexpr FileVersion kVersion{100, 5, 6};

SentBook loaded(ByteView records, const std::string &destination = "ipn:2.1") {
    SentBook book(destination);
    RecordReader reader(records);
    while (const auto record = reader.next()) EXPECT_EQ(book.load(*record), "");
    return book;
}

TEST(SentBook, WhatIsDoneAndWhatIsOpen) {
    SentBook book("ipn:2.1");
    Bytes records = book.all_records();
    TransferId id{};
    id.fill(3);
    book.begin("large", kVersion, id);
    book.accept("large", {0, 40});
    book.accept("large", {60, 80});
    book.begin("whole", kVersion, id);
    book.accept("whole", {0, 100});
    book.finish("whole", kVersion);
    book.finish("small", kVersion);
    append(records, book.take_records());
    EXPECT_TRUE(book.take_records().empty());
    for (const SentBook &again : {loaded(records), loaded(loaded(records).all_records())}) {
        EXPECT_TRUE(again.is_done("whole", kVersion));
        EXPECT_TRUE(again.is_done("small", kVersion));
        EXPECT_FALSE(again.is_done("small", {101, 5, 6}));
        EXPECT_FALSE(again.is_done("large", kVersion));
        EXPECT_EQ(again.find_open("whole", kVersion), nullptr);
        EXPECT_EQ(again.find_open("large", {100, 5, 7}), nullptr);
        const auto *open = again.find_open("large", kVersion);
        ASSERT_NE(open, nullptr);
        EXPECT_EQ(open->transfer, id);
        EXPECT_EQ(open->accepted.all(), (std::vector<Extent>{{0, 40}, {60, 80}}));
    }
}

TEST(SentBook, AnotherDestinationHasAnotherBook) {
    const Bytes records = SentBook("ipn:2.1").all_records();
    RecordReader reader(records);
    SentBook book("ipn:3.1");
    EXPECT_NE(book.load(*reader.next()), "");
    EXPECT_NE(SentBook("ipn:2.1").load(as_bytes("something else")), "");
    EXPECT_NE(SentBook("ipn:2.1").load({}), "");
}

}  // namespace
}  // namespace farlink::files::sent_book_test
