// SPDX-License-Identifier: Apache-2.0
#include "common/files/record_log.hpp"

#include <gtest/gtest.h>

namespace farlink::files::record_log_test {
namespace {

TEST(RecordLog, ATornEndEndsIt) {
    Bytes log;
    append_record(log, as_bytes("one"));
    const std::size_t first = log.size();
    append_record(log, as_bytes("second"));
    for (std::size_t size = 0; size <= log.size(); ++size) {
        RecordReader reader(ByteView(log).first(size));
        std::size_t records = 0;
        while (reader.next()) ++records;
        EXPECT_EQ(records, size == log.size() ? 2U : size >= first ? 1U : 0U) << size;
        EXPECT_EQ(reader.read(), size == log.size() ? size : size >= first ? first : 0U);
    }
}

TEST(RecordLog, ARecordMayHaveManyOctets) {
    Bytes log;
    const Bytes content(1'000'000, 7);
    append_record(log, content);
    RecordReader reader(log);
    const auto record = reader.next();
    ASSERT_TRUE(record.has_value());
    EXPECT_EQ(record->size(), content.size());
}

TEST(RecordLog, DamageEndsIt) {
    Bytes log;
    append_record(log, as_bytes("one"));
    const std::size_t first = log.size();
    append_record(log, as_bytes("second"));
    for (std::size_t at = first; at < log.size(); ++at) {
        Bytes damaged = log;
        damaged[at] ^= 1;
        RecordReader reader(damaged);
        ASSERT_TRUE(reader.next().has_value());
        EXPECT_FALSE(reader.next().has_value()) << at;
    }
}

}  // namespace
}  // namespace farlink::files::record_log_test
