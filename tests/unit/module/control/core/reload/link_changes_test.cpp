// SPDX-License-Identifier: Apache-2.0
#include "module/control/core/reload/link_changes.hpp"

#include <gtest/gtest.h>

#include "common/config/node/load_node_config.hpp"

namespace farlink::control::link_changes_test {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kFolder = "/etc/farlink";

Json induct(const std::string &url) {
    return {{"url", url}};
}
Json outduct(int node, const std::string &url = "tcpclv4://127.0.0.1:4600") {
    return {{"url", url}, {"nextHopNodeId", node}};
}
Json with(Json link, const char *key, const Json &value) {
    link[key] = value;
    return link;
}

Json file_of(const Json &inducts, const Json &outducts, unsigned instances = 1) {
    const Json file{{"myNodeId", 10},
                    {"threads", {{"instances", instances}}},
                    {"inductsConfig", inducts},
                    {"outductsConfig", outducts}};
    return Json::parse(file.dump());  // numbers without a sign, as in a file
}

ComparedFile compared(const Json &file) {
    return {file, config::normal_form(file.dump())};
}

/// A running node, its file, and what commands have changed.
class Running {
public:
    explicit Running(const Json &file)
        : file_(file),
          config_(parsed(file)),
          links(config_),
          numbers(links_of_file(config_, file)) {}

    LinkChanges reload(const Json &after, const std::set<std::string> &again = {}) const {
        return find_link_changes(links, numbers, compared(file_), compared(after), kFolder, again);
    }
    LinkChanges revert() const { return find_reverted_links(links, numbers, file_, kFolder); }

    void add(const Json &link, bool outduct) {
        auto read = links.read(link.dump(), outduct, kNoLink);
        ASSERT_TRUE(read) << read.error().to_string();
        read->by_command = true;
        links.put(*read);
    }
    void change(LinkId number, const Json &link) {
        auto read = links.read(link.dump(), links.find(number)->outduct(), number);
        ASSERT_TRUE(read) << read.error().to_string();
        read->by_command = true;
        links.put(*read);
    }

private:
    static config::NodeConfig parsed(const Json &file) {
        auto config = config::parse_node_config(file.dump());
        EXPECT_TRUE(config) << config.error().to_string();
        return config ? std::move(*config) : config::NodeConfig{};
    }
    Json file_;
    config::NodeConfig config_;

public:
    LinkOverrides links;
    FileLinks numbers;
};

/// "-1 ~0 +3": removed, changed, added.
std::string steps_of(const LinkChanges &changes) {
    std::string text;
    for (const LinkStep &step : changes.steps)
        text += (text.empty() ? "" : " ") +
                std::string(step.verb == bus::LinkVerb::kAdd      ? "+"
                            : step.verb == bus::LinkVerb::kRemove ? "-"
                                                                  : "~") +
                std::to_string(step.link.id.value());
    EXPECT_TRUE(changes.errors.empty()) << changes.errors.front().to_string();
    return text;
}

const Json kInducts = Json::array({induct("tcpclv4://127.0.0.1:4556")});
const Json kOutducts = Json::array({outduct(20), outduct(30)});

TEST(LinkChanges, OnlyLinksThatDifferAreTouched) {
    const Running node(file_of(kInducts, kOutducts));
    EXPECT_EQ(steps_of(node.reload(file_of(kInducts, kOutducts))), "");
    const LinkChanges changed = node.reload(
        file_of(kInducts, Json::array({outduct(20), with(outduct(30), "strict", true)})));
    EXPECT_EQ(steps_of(changed), "~2");
    ASSERT_EQ(changed.changes.size(), 1U);
    EXPECT_EQ(changed.changes[0].path, "outductsConfig[1]");
    EXPECT_EQ(changed.changes[0].text, "strict: false before, true now");
    EXPECT_TRUE(changed.steps[0].before);
    EXPECT_EQ(changed.steps[0].path, "outductsConfig[1]");
}

TEST(LinkChanges, ALinkKeepsItsNumberWhenItsPlaceChanges) {
    const Running node(file_of(kInducts, kOutducts));
    const LinkChanges changed =
        node.reload(file_of(kInducts, Json::array({outduct(40), outduct(30), outduct(20)})));
    EXPECT_EQ(steps_of(changed), "+3");
    EXPECT_EQ(changed.numbers.outducts, (std::vector{LinkId{3}, LinkId{2}, LinkId{1}}));
    EXPECT_EQ(changed.numbers.inducts, (std::vector{LinkId{0}}));
}

TEST(LinkChanges, WhatGoesMakesRoomForWhatComes) {
    const Running node(file_of(kInducts, kOutducts));
    const LinkChanges changed = node.reload(
        file_of(Json::array({induct("stcp://127.0.0.1:4556")}), Json::array({outduct(20)})));
    EXPECT_EQ(steps_of(changed), "-0 -2 +3") << "the port of the old induct";
}

TEST(LinkChanges, LinksMayExchangeTheirPorts) {
    const Running node(file_of(
        kInducts, Json::array({with(outduct(20, "ltp://a:1"), "ltpSenderBoundPort", 5001),
                               with(outduct(30, "ltp://b:1"), "ltpSenderBoundPort", 5002)})));
    EXPECT_EQ(
        steps_of(node.reload(file_of(
            kInducts, Json::array({with(outduct(20, "ltp://a:1"), "ltpSenderBoundPort", 5002),
                                   with(outduct(30, "ltp://b:1"), "ltpSenderBoundPort", 5001)})))),
        "~1 ~2");
}

TEST(LinkChanges, AnOutductThatLeavesByAnInductsPortFromNowOnGetsAnotherNumber) {
    const Json ltp = Json::array({induct("ltp://127.0.0.1:1113")});
    const Running node(file_of(ltp, Json::array({outduct(20, "ltp://10.0.0.2:1113")})));
    const LinkChanges changed = node.reload(file_of(
        ltp, Json::array({with(outduct(20, "ltp://10.0.0.2:1113"), "ltpSenderBoundPort", 1113)})));
    EXPECT_EQ(steps_of(changed), "-1 +2");
    EXPECT_EQ(changed.steps[1].link.carrier, LinkId{0});
}

TEST(LinkChanges, WhatLeavesByAnInductsPortGoesBeforeItAndComesBehindIt) {
    const Json span = with(outduct(20, "ltp://10.0.0.2:1113"), "ltpSenderBoundPort", 1113);
    const Running node(
        file_of(Json::array({induct("ltp://127.0.0.1:1113")}), Json::array({span, outduct(30)})));
    EXPECT_EQ(node.numbers.outducts, (std::vector{LinkId{2}, LinkId{1}})) << "spans come last";
    const LinkChanges gone = node.reload(file_of(kInducts, Json::array({outduct(30)})));
    EXPECT_EQ(steps_of(gone), "-2 -0 +3");
}

TEST(LinkChanges, AnInstanceOfAnotherNumberMeansAnotherNumber) {
    const Running node(file_of(kInducts, Json::array({with(outduct(20), "instance", 1)}), 2));
    const LinkChanges changed =
        node.reload(file_of(kInducts, Json::array({with(outduct(20), "instance", 2)}), 2));
    EXPECT_EQ(steps_of(changed).substr(0, 2), "-1");
    ASSERT_EQ(changed.steps.size(), 2U);
    EXPECT_EQ(changed.steps[1].link.id.value() % 2, 1U);
}

TEST(LinkChanges, KeysOfLtpThatHaveChangedReplaceTheLink) {
    const Running node(file_of(kInducts, kOutducts));
    EXPECT_EQ(steps_of(node.reload(file_of(kInducts, kOutducts), {"outductsConfig[0]"})), "~1");
}

TEST(LinkChanges, FilesOfALinkAreAbsolute) {
    const Json link = with(
        with(induct("ltp://127.0.0.1:1113"), "ltpAuthenticationKeyFile", "a.key"), "neighbours",
        Json::array({{{"nodeId", 5}, {"ltpAuthenticationKeyFile", "/x/b.key"}}}));
    const Json sent = Json::parse(link_json_for_module(link, kFolder));
    EXPECT_EQ(sent["ltpAuthenticationKeyFile"], "/etc/farlink/a.key");
    EXPECT_EQ(sent["neighbours"][0]["ltpAuthenticationKeyFile"], "/x/b.key");
    const Json tls = Json::parse(
        link_json_for_module(with(with(outduct(20), "ca", "ca.pem"), "crl", "crl.pem"), kFolder));
    EXPECT_EQ(tls["ca"], "/etc/farlink/ca.pem");
    EXPECT_EQ(tls["crl"], "/etc/farlink/crl.pem");
}

// ---- beside changes by commands

TEST(LinkChanges, WhatACommandHasChangedStays) {
    Running node(file_of(kInducts, kOutducts));
    node.add(outduct(50), true);  // link 3
    node.change(LinkId{1}, with(outduct(20), "strict", true));
    node.links.remove(LinkId{2});
    const LinkChanges changed =
        node.reload(file_of(kInducts, Json::array({with(outduct(20), "allowMissingAge", true),
                                                   with(outduct(30), "allowMissingAge", true)})));
    EXPECT_EQ(steps_of(changed), "");
    ASSERT_EQ(changed.changes.size(), 2U);
    EXPECT_NE(changed.changes[0].text.find("config revert"), std::string::npos);
    EXPECT_EQ(steps_of(node.reload(file_of(kInducts, Json::array({outduct(30)})))), "")
        << "gone from the file, and changed by a command";
}

TEST(LinkChanges, ALinkThatACommandHasAddedAlreadyIsTheFiles) {
    Running node(file_of(kInducts, kOutducts));
    node.add(outduct(50), true);
    const Json more = Json::array({outduct(20), outduct(30), outduct(50)});
    const LinkChanges same = node.reload(file_of(kInducts, more));
    EXPECT_EQ(steps_of(same), "");
    EXPECT_EQ(same.numbers.outducts.back(), LinkId{3});
    EXPECT_TRUE(same.as_filed.contains(LinkId{3}));
    Json other = more;
    other[2]["strict"] = true;
    EXPECT_FALSE(node.reload(file_of(kInducts, other)).as_filed.contains(LinkId{3}));
}

TEST(LinkChanges, ALinkThatACommandHasAddedMayBeInTheWay) {
    Running node(file_of(kInducts, kOutducts));
    node.add(induct("stcp://127.0.0.1:7000"), false);
    const LinkChanges changed = node.reload(
        file_of(Json::array({kInducts[0], induct("mtcp://127.0.0.1:7000")}), kOutducts));
    ASSERT_EQ(changed.errors.size(), 1U);
    EXPECT_EQ(changed.errors[0].path, "inductsConfig[1].url");
}

TEST(LinkChanges, ARevertUndoesThemAll) {
    Running node(file_of(kInducts, kOutducts));
    EXPECT_EQ(steps_of(node.revert()), "");
    node.add(outduct(50), true);
    node.change(LinkId{1}, with(outduct(20), "strict", true));
    node.links.remove(LinkId{2});
    const LinkChanges undone = node.revert();
    EXPECT_EQ(steps_of(undone), "-3 ~1 +2");
    ASSERT_EQ(undone.changes.size(), 3U);
    EXPECT_EQ(undone.changes[0].path, "outductsConfig[0]");
    EXPECT_EQ(undone.changes[0].text, "link 1: strict: true now");
    EXPECT_EQ(undone.changes[1].kind, config::ChangeKind::kRemoved);
    EXPECT_EQ(undone.changes[2].path, "outductsConfig[2]");
    EXPECT_EQ(undone.changes[2].kind, config::ChangeKind::kAdded);
}

}  // namespace
}  // namespace farlink::control::link_changes_test
