// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/plan/plan_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <span>

#include "apps/farlinkctl/shared/exit_code.hpp"
#include "common/config/fields/instant.hpp"
#include "common/config/node/load_node_config.hpp"
#include "common/plan/contact_fields.hpp"
#include "common/plan/plan_checks.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::ctl {

std::string moment_text(const config::ContactPlan &plan, DtnTime moment) {
    std::string text = config::in_words({plan.absolute, moment});
    if (plan.absolute && text.ends_with(".000Z")) text.replace(text.size() - 5, 5, "Z");
    return text;
}

std::optional<DtnTime> read_moment(const config::ContactPlan &plan, const std::string &text) {
    if (plan.absolute) return text == "now" ? read_wall_clock().dtn_ms : config::parse_utc(text);
    std::string_view digits(text);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    double seconds = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), seconds);
    const bool number = error == std::errc{} && end == digits.data() + digits.size();
    if (!number || !(seconds >= 0 && seconds <= static_cast<double>(config::kLatestSecond)))
        return std::nullopt;
    return static_cast<DtnTime>(std::llround(seconds * 1000));
}

std::string moments_of(const config::ContactPlan &plan) {
    return plan.absolute ? "a time in UTC such as 2026-01-02T03:04:05Z, or now"
                         : "seconds from the start of the plan";
}

std::string rate_text(BitRate rate) {
    if (rate.value() == 0) return "no limit";
    constexpr std::array<const char *, 5> kUnits{"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"};
    auto value = static_cast<double>(rate.value());
    std::size_t unit = 0;
    for (; value >= 1000 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.4g %s", value, kUnits[unit]);
    return text.data();
}

std::string owlt_text(Duration owlt) {
    return config::decimal(static_cast<std::uint64_t>(owlt.count()), 9) + " s";
}

std::map<Direction, std::vector<const config::PlanContact *>> by_direction(
    const config::ContactPlan &plan, std::uint64_t node) {
    std::map<Direction, std::vector<const config::PlanContact *>> directions;
    for (const config::PlanContact &contact : plan.contacts) {
        const bool wanted = node == 0 || contact.source == NodeNumber{node} ||
                            contact.destination == NodeNumber{node};
        if (wanted) directions[{contact.source, contact.destination}].push_back(&contact);
    }
    for (auto &[direction, contacts] : directions)
        std::ranges::sort(contacts, {}, &config::PlanContact::start);
    return directions;
}

Result<LoadedPlan, config::ConfigErrors> load_plan(const PlanOptions &options) {
    LoadedPlan loaded;
    std::span<const config::NodeEndpoints> names;
    if (!options.config.empty()) {
        auto node = config::load_node_config(options.config);
        if (!node) return fail(std::move(node.error()));
        names = loaded.node.emplace(std::move(*node)).routing.nodes;
    }
    auto plan = config::load_contact_plan(options.file, read_wall_clock().dtn_ms, names);
    if (!plan) return fail(std::move(plan.error()));
    loaded.plan = std::move(*plan);
    return loaded;
}

std::optional<config::ContactPlan> open_plan(const PlanOptions &options) {
    auto loaded = load_plan(options);
    if (loaded) return std::move(loaded->plan);
    std::fputs(loaded.error().to_string().c_str(), stderr);
    return std::nullopt;
}

int put_text(const std::string &file, const std::string &text) {
    if (file.empty()) {
        std::fwrite(text.data(), 1, text.size(), stdout);
        return std::fflush(stdout) == 0 ? kExitClean : kExitFailed;
    }
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (out.flush()) return kExitClean;
    std::fprintf(stderr, "farlinkctl: %s: cannot be written\n", file.c_str());
    return kExitFailed;
}

}  // namespace farlink::ctl
