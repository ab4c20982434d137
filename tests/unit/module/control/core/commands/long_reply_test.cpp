// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/commands/long_reply.hpp"

#include <gtest/gtest.h>

#include <string>

namespace farlink::control::long_reply_test {
namespace {

using Json = nlohmann::ordered_json;

/// Runs work at once, or refuses it.
class TestQueue final : public WorkQueue {
public:
    explicit TestQueue(bool full) : full_(full) {}
    bool add(Work work, Then then, std::size_t) override {
        if (full_) return false;
        work({});
        then({});
        return true;
    }

private:
    bool full_;
};

TEST(LongReply, AnErrorIsNotDone) {
    EXPECT_TRUE(written({{"ok", true}}).done);
    const WrittenReply refused = written({{"ok", false}, {"error", "no"}});
    EXPECT_FALSE(refused.done);
    EXPECT_EQ(refused.error, "no");
    EXPECT_EQ(refused.text, R"({"ok":false,"error":"no"})");
}

TEST(LongReply, TextThatIsNotUtf8IsReplaced) {
    EXPECT_EQ(written({{"ok", true}, {"text", "\xff"}}).text,
              "{\"ok\":true,\"text\":\"\xef\xbf\xbd\"}");
}

TEST(LongReply, AFullQueueGivesAnError) {
    for (const bool full : {false, true}) {
        TestQueue queue(full);
        std::string text;
        reply_later(
            queue, [] { return Json{{"ok", true}}; },
            [&](const WrittenReply &reply) { text = reply.text; });
        EXPECT_EQ(Json::parse(text)["ok"], !full) << text;
    }
}

}  // namespace
}  // namespace farlink::control::long_reply_test
