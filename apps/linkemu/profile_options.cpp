// SPDX-License-Identifier: Apache-2.0
#include "apps/linkemu/profile_options.hpp"

#include "apps/shared/emulation/quantity.hpp"
#include "apps/shared/options/tool_options.hpp"

namespace farlink::linkemu {
namespace {

using emulation::parse_amount;
using emulation::parse_duration;
using emulation::parse_outage;

constexpr std::uint64_t kLongestBurst = 1'000'000'000;

/// A check for CLI11: `parse` must accept the text. `what` has the unit and the range.
template <class Parse>
CLI::Validator read_by(Parse parse, const std::string &what, const std::string &example) {
    return CLI::Validator(
        [=](const std::string &text) {
            return parse(text) ? std::string()
                               : "found " + text + "; expected " + what + ", such as " + example;
        },
        example);
}

template <class Value>
void set(std::optional<Value> given, Value &to) {
    if (given) to = *given;
}

void set(double given, double &to) {
    if (given >= 0) to = given;
}

}  // namespace

void ProfileOptions::declare(CLI::App &app) {
    declare(app, "--", "The link", forth_);
    declare(app, "--back-", "Reverse direction, where it differs", back_);
    app.add_option("--seed", seed_, "seed of all random events")
        ->transform(farlink::amount("a seed"))
        ->capture_default_str();
}

void ProfileOptions::declare(CLI::App &app, const std::string &prefix, const std::string &group,
                             Given &given) {
    const auto time = read_by(parse_duration, "a time, from 0 to 3703d", "250ms");
    const auto rate = read_by(parse_amount, "bits per second, from 0 to 1000T", "10M");
    const auto size = read_by(parse_amount, "bytes, from 0 to 1000T", "10M");
    const CLI::Range share(0.0, 1.0);
    const auto text = [&](const char *name, std::string &to, const CLI::Validator &check,
                          const char *help) {
        app.add_option(prefix + name, to, help)->check(check)->group(group);
    };
    const auto number = [&](const char *name, double &to, const CLI::Validator &check,
                            const char *help) {
        app.add_option(prefix + name, to, help)->transform(check)->group(group);
    };
    text("delay", given.delay, time, "one-way delay: 250ms, 2s, 4h");
    text("jitter", given.jitter, time, "maximum random additional delay; the order is kept");
    text("rate", given.rate, rate, "bits of payload per second: 500k, 1G");
    text("queue", given.queue, size, "size of the queue in front of the rate limit, bytes");
    text("memory", given.memory, size, "maximum number of bytes in flight (1 GiB)");
    number("loss", given.loss, share, "probability of loss of a datagram, 0 to 1");
    number("burst-loss", given.burst_loss, share, "share of datagrams lost in bursts");
    number("burst-length", given.burst_length, amount_or_fraction("datagrams", kLongestBurst, 1),
           "mean length of a burst, datagrams (8)");
    number("duplicate", given.duplication, share, "share of datagrams that arrive twice");
    number("reorder", given.reordering, share, "share of datagrams that are delayed out of order");
    text("reorder-by", given.reordering_delay, time,
         "additional delay of reordered datagrams (5ms)");
    number("bit-errors", given.bit_errors, share, "probability of an undetected error of a bit");
    app.add_option(prefix + "outage", given.outages,
                   "outage, START+LENGTH, such as 10s+2s; repeatable")
        ->check(read_by(parse_outage, "START+LENGTH, each from 0 to 3703d", "10s+2s"))
        ->group(group);
    text("outage-period", given.outage_period, time, "period after which the outages are repeated");
}

void ProfileOptions::apply(const Given &given, emulation::WireProfile &profile) {
    set(parse_duration(given.delay), profile.delay);
    set(parse_duration(given.jitter), profile.jitter);
    if (const auto rate = parse_amount(given.rate)) profile.rate = BitRate{*rate};
    set(parse_amount(given.queue), profile.queue_bytes);
    set(parse_amount(given.memory), profile.memory_bytes);
    set(given.loss, profile.loss);
    set(given.burst_loss, profile.burst_loss);
    set(given.burst_length, profile.burst_length);
    set(given.duplication, profile.duplication);
    set(given.reordering, profile.reordering);
    set(given.bit_errors, profile.bit_errors);
    set(parse_duration(given.reordering_delay), profile.reordering_delay);
    set(parse_duration(given.outage_period), profile.outage_period);
    if (given.outages.empty()) return;
    profile.outages.clear();
    for (const std::string &outage : given.outages)
        profile.outages.push_back(parse_outage(outage).value());
}

Profiles ProfileOptions::profiles() const {
    Profiles profiles;
    profiles.seed = seed_;
    apply(forth_, profiles.forth);
    profiles.back = profiles.forth;
    apply(back_, profiles.back);
    return profiles;
}

}  // namespace farlink::linkemu
