// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/node/link_options.hpp"

#include <CLI/CLI.hpp>

#include "apps/farlinkctl/shared/number_options.hpp"
#include "apps/shared/options/tool_options.hpp"
#include "common/config/fields/json_document.hpp"
#include "common/config/fields/link_url.hpp"
#include "common/config/fields/text_file.hpp"
#include "common/plan/contact_fields.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMostLinks = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t kLeastPing = 16;
constexpr std::uint64_t kMostPing = 64 * 1024;
constexpr double kLongestWait = 60;

CLI::Validator link_number() {
    return whole_number("the number of a link", 0, kMostLinks);
}

void add_number(CLI::App &command, ControlOptions &options) {
    command.add_option("link", options.link, "number of the link, as in `status`")
        ->transform(link_number())
        ->required();
}

void add_what(CLI::App &command, ControlOptions &options) {
    command
        .add_option("what", options.link_text,
                    "configuration of the link: a JSON file with one entry of inductsConfig or "
                    "outductsConfig, or a URL with the keys as options: "
                    "tcpclv4://10.0.0.2:4556?nextHopNodeId=20")
        ->required();
}

void add_set(CLI::App &link, ControlOptions &options) {
    CLI::App *const set = add_command_of_node(link, options, "set", "link set",
                                              "override the rate and one-way light time of a link; "
                                              "values not given are taken from the contact plan");
    add_number(*set, options);
    auto *what = set->add_option_group("values", "at least one");
    what->add_option("--rate", options.rate_bits_per_s, "bits per second: 500k, 1G; 0: unlimited")
        ->transform(amount("bits per second (0: unlimited)", 0, config::kHighestRateBitsPerSecond));
    what->add_option("--owlt", options.owlt_s, "one-way light time in seconds")
        ->transform(seconds_from_0("seconds of one-way light time", config::kMaxOwltSeconds));
    what->add_flag_function(
            "--as-planned", [](std::int64_t) {}, "use the values of the contact plan again")
        ->excludes("--rate")
        ->excludes("--owlt");
    what->require_option(1, 2);
}

/// "20" is a number in JSON, "ipn:10.1" a text.
Json value_of(const std::string &text) {
    Json value = Json::parse(text, nullptr, false);
    if (value.is_number() || value.is_boolean()) return value;
    return text;
}

/// A link in the form of the configuration file.
Result<Json, std::string> link_of(const std::string &text) {
    if (text.find("://") != std::string::npos) {
        auto url = config::parse_link_url(text);
        if (!url) return fail(text + ": " + std::string(config::to_string(url.error())));
        Json link{{"url", ""}};
        for (const auto &[key, value] : url->options) link[key] = value_of(value);
        url->options.clear();
        link["url"] = config::to_string(*url);
        return link;
    }
    const auto content = config::read_text_file(text);
    if (!content) return fail(text + ": " + content.error().problem);
    if (config::nested_too_deeply(*content)) return fail(text + ": JSON nested too deeply");
    Json link = Json::parse(*content, nullptr, false);
    if (!link.is_object())
        return fail(text +
                    ": not a JSON object; expected an entry of inductsConfig or outductsConfig");
    return link;
}

}  // namespace

void add_link_commands(CLI::App &link, ControlOptions &options) {
    for (const auto &[word, name, help] :
         {std::tuple("up", "link up", "undo `down`: the link follows the contact plan again"),
          std::tuple("down", "link down", "take a link down until `link up`"),
          std::tuple(
              "remove", "link remove",
              "remove a link until the node ends; its bundles wait or are sent by another route")})
        add_number(*add_command_of_node(link, options, word, name, help), options);
    CLI::App *const add =
        add_command_of_node(link, options, "add", "link add", "add a link until the node ends");
    add->add_option("direction", options.direction, "induct or outduct")
        ->check(CLI::IsMember({"induct", "outduct"}))
        ->required();
    add_what(*add, options);
    add->add_option("--link", options.new_link, "number of the link; default: a free number")
        ->transform(link_number());
    CLI::App *const change = add_command_of_node(link, options, "change", "link change",
                                                 "replace a link until the node ends");
    add_number(*change, options);
    add_what(*change, options);
    add_set(link, options);
}

void add_ping_command(CLI::App &app, ControlOptions &options) {
    CLI::App *const ping = add_command_of_node(
        app, options, "ping", "ping", "ping an endpoint from a running node, by the node's routes");
    PingArguments &with = options.ping;
    ping->add_option(
            "destination", with.destination,
            "an endpoint, such as ipn:20.2047, or the number of a node, for its echo service")
        ->required();
    ping->add_option("--count", with.count, "number of requests")
        ->transform(amount("requests", 1))
        ->capture_default_str();
    ping->add_option("--interval", with.interval_s, "time between requests, seconds")
        ->check(CLI::Range(0.0, 1e6))
        ->capture_default_str();
    ping->add_option("--bundle-size", with.size_bytes, "payload bytes, 16 to 65536: 64, 10k")
        ->transform(amount("bytes", kLeastPing, kMostPing))
        ->capture_default_str();
    ping->add_option("--timeout", with.timeout_s, "time limit of each reply, seconds, at most 60")
        ->check(CLI::Range(0.001, kLongestWait))
        ->capture_default_str();
    ping->add_option("--bp-version", with.version, "bundle protocol version, 7 or 6")
        ->check(CLI::IsMember({6, 7}))
        ->capture_default_str();
}

Result<Json, std::string> link_request(const ControlOptions &options) {
    Json request{{"command", options.command}};
    if (options.command != "link add") request["link"] = options.link;
    if (options.command == "link add") {
        request["direction"] = options.direction;
        if (options.new_link) request["link"] = *options.new_link;
    }
    if (options.command == "link add" || options.command == "link change") {
        auto link = link_of(options.link_text);
        if (!link) return fail(link.error());
        request["config"] = std::move(*link);
    }
    if (options.rate_bits_per_s) request["rateBitsPerSec"] = *options.rate_bits_per_s;
    if (options.owlt_s) request["owlt"] = *options.owlt_s;
    return request;
}

}  // namespace farlink::ctl
