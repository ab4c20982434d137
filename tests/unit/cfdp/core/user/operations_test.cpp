// SPDX-License-Identifier: Apache-2.0
// Two entities whose users ask each other for files, listings and reports.
#include "cfdp/core/user/operations.hpp"

#include <gtest/gtest.h>

#include "tests/support/cfdp_pair.hpp"

namespace farlink::cfdp::operations_test {
namespace {

using test::CfdpPair;
constexpr EntityId kA = CfdpPair::kA;
constexpr EntityId kB = CfdpPair::kB;

RemoteSettings allowing(std::initializer_list<Permission> permissions) {
    RemoteSettings settings;
    settings.ack_limit = settings.nak_limit = 60;
    for (const Permission each : permissions) settings.may.allow(each);
    return settings;
}

struct Users {
    explicit Users(RemoteSettings settings, std::uint64_t seed = 1, unsigned loss = 0)
        : pair(seed, {.loss_percent = loss}, settings), a(kA, *pair.a), b(kB, *pair.b) {}

    struct User {
        User(EntityId id, CfdpPair::End &at)
            : end(at), operations(id, at.entity, at.store, [this](const PutRequest &request) {
                  sent.push_back(request);
                  return end.entity.put(request, next++);
              }) {}
        CfdpPair::End &end;
        std::uint64_t next = 100;
        std::vector<PutRequest> sent;
        UserOperations operations;
    };

    /// Until nothing is to be done any more.
    void run() {
        for (int round = 0; round < 20; ++round) {
            ASSERT_TRUE(pair.run());
            bool more = false;
            for (User *const each : {&a, &b}) {
                for (const Report &report : std::exchange(each->end.ended, {})) {
                    more = true;
                    each->operations.handle_ended(report, pair.now);
                }
            }
            if (!more && pair.a->entity.active() + pair.b->entity.active() == 0) return;
        }
        FAIL() << "it does not come to an end";
    }

    CfdpPair pair;
    User a;
    User b;
};

TEST(CfdpOperations, AFileIsSentForAnother) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Users users(allowing({Permission::kGet}), seed, static_cast<unsigned>(seed % 30));
        users.b.end.store.files["x"] = test::octets_of(3000, seed);
        const auto id = users.a.operations.get({kB, "x", "mine", seed % 4 != 0});
        ASSERT_TRUE(id);
        users.run();
        const Operation *const operation = users.a.operations.find(*id);
        ASSERT_NE(operation, nullptr);
        EXPECT_TRUE(operation->ended) << "seed " << seed;
        if (seed % 4 == 0) continue;  // a file of class 1 may be lost
        EXPECT_TRUE(operation->done) << "seed " << seed;
        EXPECT_EQ(operation->file, "mine");
        EXPECT_EQ(users.a.end.store.files["mine"], users.b.end.store.files["x"]);
    }
}

TEST(CfdpOperations, NothingIsAllowedUnlessItIsConfigured) {
    Users users(allowing({}));
    users.b.end.store.files["x"] = test::octets_of(10, 1);
    const auto get = users.a.operations.get({kB, "x", "mine", {}});
    const auto list = users.a.operations.list(kB, "folder", "listing");
    const auto report = users.a.operations.report(kB, {kA, 1}, "report");
    const auto suspend = users.a.operations.change(kB, {kA, 1}, false);
    users.run();
    for (const auto &id : {get, list, report, suspend}) {
        const Operation *const operation = users.a.operations.find(*id);
        EXPECT_TRUE(operation->ended) << operation->kind;
        EXPECT_FALSE(operation->done) << operation->kind;
    }
    EXPECT_TRUE(users.a.end.store.files.empty());
    EXPECT_EQ(users.a.operations.find(*get)->condition, ConditionCode::kFilestoreRejection);
}

TEST(CfdpOperations, AFolderIsListed) {
    Users users(allowing({Permission::kList}));
    users.b.end.store.forbidden = {"../x"};
    const auto good = users.a.operations.list(kB, "folder", "listing");
    const auto bad = users.a.operations.list(kB, "../x", "listing");
    users.run();
    EXPECT_TRUE(users.a.operations.find(*good)->done);
    EXPECT_EQ(users.a.operations.find(*good)->file, "listing");
    EXPECT_EQ(as_text(users.a.end.store.files["listing"]), "listing of folder");
    EXPECT_TRUE(users.a.operations.find(*bad)->ended);
    EXPECT_FALSE(users.a.operations.find(*bad)->done);
}

TEST(CfdpOperations, ATransactionIsReportedSuspendedAndResumed) {
    Users users(allowing({Permission::kReport, Permission::kSuspend}));
    // It stays open: its file data is lost.
    users.pair.filter = [](Bytes &pdu) {
        const auto read = decode_pdu(pdu);
        return read->header.id.sequence != 1 || !std::holds_alternative<FileData>(read->body);
    };
    const TransactionId file = users.pair.put(3000, {});
    (void)users.pair.run(seconds(1));
    const auto ask = [&](auto id) {
        for (int round = 0; round < 10; ++round) {
            (void)users.pair.run(milliseconds(500));
            for (auto *const each : {&users.a, &users.b})
                for (const Report &report : std::exchange(each->end.ended, {}))
                    each->operations.handle_ended(report, users.pair.now);
        }
        return *users.a.operations.find(*id);
    };
    auto found = ask(users.a.operations.report(kB, file, "report"));
    EXPECT_TRUE(found.done);
    EXPECT_EQ(found.state, "active");
    EXPECT_NE(as_text(users.a.end.store.files["report"]).find("transaction 1/1"),
              std::string::npos);
    found = ask(users.a.operations.change(kB, file, false));
    EXPECT_TRUE(found.done);
    EXPECT_EQ(found.state, "suspended");
    EXPECT_TRUE(users.b.end.entity.report(file)->suspended);
    found = ask(users.a.operations.change(kB, file, true));
    EXPECT_TRUE(found.done);
    EXPECT_FALSE(users.b.end.entity.report(file)->suspended);
    found = ask(users.a.operations.change(kB, {kA, 999}, false));
    EXPECT_FALSE(found.done);
    EXPECT_EQ(found.state, "unrecognized");
}

Report asked_by(EntityId remote, const std::vector<UserMessage> &messages) {
    Report report{.id = {remote, 7}, .remote = remote, .outcome = Outcome{.complete = true}};
    for (const UserMessage &each : messages) report.messages.push_back(*encode_user_message(each));
    return report;
}

TEST(CfdpOperations, ReservedMessagesAndThirdEntitiesAreNotReached) {
    Users users(allowing({Permission::kGet}));
    users.b.end.entity.set_remote({.entity = 3});
    users.b.end.store.files["x"] = test::octets_of(10, 1);
    const Bytes trap = *encode_user_message(ProxyPut{kA, "x", "y"});
    users.b.operations.handle_ended(
        asked_by(kA, {ProxyPut{kA, "x", "mine"}, ProxyOption{false, trap},
                      ProxyOption{false, {'o', 'k'}}}),
        users.pair.now);
    ASSERT_EQ(users.b.sent.size(), 1U);
    const auto messages = messages_in(users.b.sent[0].options);
    ASSERT_EQ(messages.size(), 2U);
    EXPECT_EQ(messages[0], (Bytes{'o', 'k'}));
    EXPECT_TRUE(find_message<Originating>(messages));
    // Another destination needs a permission of its own.
    users.b.operations.handle_ended(asked_by(kA, {ProxyPut{3, "x", "mine"}}), users.pair.now);
    ASSERT_EQ(users.b.sent.size(), 2U);
    EXPECT_EQ(users.b.sent[1].destination, kA);
    EXPECT_TRUE(find_message<ProxyPutResponse>(messages_in(users.b.sent[1].options)));
}

TEST(CfdpOperations, AFloodOfListingsIsBounded) {
    Users users(allowing({Permission::kList}));
    std::size_t with_content = 0;
    const Report asked = asked_by(kA, {ListingRequest{"folder", "listing"}});
    for (int round = 0; round < 100; ++round)
        users.b.operations.handle_ended(asked, users.pair.now);
    for (const PutRequest &each : users.b.sent) with_content += each.content.has_value() ? 1 : 0;
    EXPECT_EQ(users.b.sent.size(), 100U);
    EXPECT_EQ(with_content, UserOperations::kMostContents);
    users.run();
    users.b.operations.handle_ended(asked, users.pair.now);
    EXPECT_TRUE(users.b.sent.back().content);
}

/// Of an entity of a pair, with more remote entities that may do all of this.
struct Shared : Users {
    Shared() : Users(settings()) {
        RemoteSettings more = settings();
        for (const EntityId each : {30, 31, 32}) {
            more.entity = each;
            b.end.entity.set_remote(more);
        }
        b.end.store.files["x"] = test::octets_of(10, 1);
    }
    static RemoteSettings settings() {
        return allowing({Permission::kGet, Permission::kList, Permission::kReport});
    }
    void ask(EntityId from, const UserMessage &message, std::size_t count) {
        const Report asked = asked_by(from, {message});
        while (count-- > 0) b.operations.handle_ended(asked, pair.now);
    }
    /// Of those that were sent.
    std::size_t contents_to(EntityId remote) const {
        std::size_t count = 0;
        for (const PutRequest &each : b.sent)
            count += each.destination == remote && each.content ? 1 : 0;
        return count;
    }
    const Shortage &shortage(EntityId of) const { return b.operations.shortages().at(of); }
};

TEST(CfdpOperations, ListingsAreSharedByEntities) {
    const ListingRequest listing{"folder", "listing"};
    Shared shared;
    shared.ask(30, listing, 100);
    EXPECT_EQ(shared.contents_to(30), 8U);
    EXPECT_EQ(shared.shortage(30), (Shortage{92, 0}));
    shared.ask(31, listing, 100);
    EXPECT_EQ(shared.contents_to(31), 8U);
    // All are sent to others: the first of them is cancelled.
    shared.ask(32, listing, 1);
    EXPECT_EQ(shared.contents_to(32), 1U);
    EXPECT_EQ(shared.shortage(30).given_up, 1U);
    EXPECT_EQ(shared.b.end.entity.report({kB, 100})->state, "cancelling");
    EXPECT_EQ(shared.b.end.entity.report({kB, 101})->state, "sending");
    shared.ask(31, listing, 1);
    EXPECT_EQ(shared.contents_to(31), 8U);
}

TEST(CfdpOperations, ProxyPutsAndAnswersOfOneEntityLeaveRoom) {
    const std::size_t part = UserOperations::kMostForOthers / 4;
    const std::size_t work = part - part / 4;
    Shared shared;
    shared.ask(30, ProxyPut{30, "x", "mine"}, 20'000);
    // Refusals are answered while there is room for answers.
    EXPECT_EQ(shared.b.sent.size(), part);
    EXPECT_EQ(shared.shortage(30).refused, 20'000 - work + 20'000 - part);
    EXPECT_FALSE(shared.b.end.entity.is_full());
    shared.ask(31, ProxyPut{31, "x", "mine"}, 1);
    EXPECT_EQ(shared.b.sent.back().destination, 31U);
    EXPECT_EQ(shared.b.sent.back().source_name, "x");
    // Nor do answers of what is not allowed fill the table.
    shared.ask(32, ProxyPut{kA, "x", "theirs"}, 20'000);
    EXPECT_EQ(shared.shortage(32).refused, 20'000 - part);
    // An end makes room.
    Report ended{.id = {kB, 100}, .remote = 30, .sending = true, .outcome = Outcome{}};
    shared.b.operations.handle_ended(ended, shared.pair.now);
    const std::size_t before = shared.b.sent.size();
    shared.ask(30, ProxyPut{30, "x", "mine"}, 1);
    EXPECT_EQ(shared.b.sent.size(), before + 1);
}

TEST(CfdpOperations, AProxyPutIsCancelledByWhoHasAskedForIt) {
    Users users(allowing({Permission::kGet}));
    users.b.end.store.files["x"] = test::octets_of(10, 1);
    users.b.operations.handle_ended(asked_by(kA, {ProxyPut{kA, "x", "mine"}}), users.pair.now);
    users.b.operations.handle_ended(asked_by(kB, {ProxyCancel{}, Originating{{kA, 7}}}),
                                    users.pair.now);
    EXPECT_EQ(users.b.end.entity.report({kB, 100})->state, "sending");
    users.b.operations.handle_ended(asked_by(kA, {ProxyCancel{}, Originating{{kA, 7}}}),
                                    users.pair.now);
    EXPECT_EQ(users.b.end.entity.report({kB, 100})->state, "cancelling");
}

TEST(CfdpOperations, AnAnswerOfAnotherEntityIsNone) {
    Users users(allowing({}));
    const auto id = users.a.operations.list(kB, "folder", "listing");
    users.a.operations.handle_ended(
        asked_by(3, {ListingResponse{false, "folder", "listing"}, Originating{*id}}),
        users.pair.now);
    EXPECT_FALSE(users.a.operations.find(*id)->ended);
}

TEST(CfdpOperations, AQuestionThatDoesNotArriveEnds) {
    Users users(allowing({}));
    users.pair.cut = true;
    const auto id = users.a.operations.list(kB, "folder", "listing");
    users.run();
    EXPECT_TRUE(users.a.operations.find(*id)->ended);
    EXPECT_EQ(users.a.operations.find(*id)->condition, ConditionCode::kPositiveAckLimit);
    EXPECT_FALSE(users.a.operations.list(kB, std::string(300, 'x'), "listing"));
}

}  // namespace
}  // namespace farlink::cfdp::operations_test
