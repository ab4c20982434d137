// SPDX-License-Identifier: Apache-2.0
// The options of the emulated link: --delay, --rate, --loss and so on.
// Owned by main while the command line is read.
// Each applies to both directions, unless `--back-...` sets the reverse direction.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/linkemu/relay.hpp"

namespace farlink::linkemu {

class ProfileOptions {
public:
    void declare(CLI::App &app);
    /// After parsing.
    [[nodiscard]] Profiles profiles() const;

private:
    /// The options given for one direction; empty: none.
    struct Given {
        std::string delay, jitter, rate, queue, memory;
        std::string reordering_delay, outage_period;
        std::vector<std::string> outages;
        double loss = -1, burst_loss = -1, burst_length = -1;
        double duplication = -1, reordering = -1, bit_errors = -1;
    };
    static void declare(CLI::App &app, const std::string &prefix, const std::string &group,
                        Given &given);
    static void apply(const Given &given, emulation::WireProfile &profile);

    Given forth_;
    Given back_;
    std::uint64_t seed_ = 1;
};

}  // namespace farlink::linkemu
