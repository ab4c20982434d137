// SPDX-License-Identifier: Apache-2.0
// `farlink`: reads its configuration, starts the modules, and ends when it is told to.
#include <malloc.h>

#include <cstdio>
#include <optional>
#include <utility>

#include "apps/farlink/node.hpp"
#include "apps/farlink/options.hpp"
#include "apps/farlink/plan_keeper.hpp"
#include "cla/host/link_factory.hpp"
#include "common/config/contact_plan.hpp"
#include "common/config/load_node_config.hpp"
#include "common/config/ltp_review.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/log.hpp"

namespace farlink::app {
namespace {

/// What only the layers can tell: whether TLS files are good, whether this build has TLS.
bool links_are_usable(const config::NodeConfig &config) {
    bool usable = true;
    const auto check = [&](const auto &link, const char *list, std::size_t place) {
        const auto error = cla::check_link(link);
        if (!error) return;
        usable = false;
        std::fprintf(stderr, "%s[%zu]: %s\n", list, place, error->c_str());
    };
    for (std::size_t i = 0; i < config.inducts.size(); ++i)
        check(config.inducts[i], "inductsConfig", i);
    for (std::size_t i = 0; i < config.outducts.size(); ++i)
        check(config.outducts[i], "outductsConfig", i);
    return usable;
}

int start(const Options &options) {
    const auto config = config::load_node_config(options.config_file);
    if (!config) {
        std::fputs(config.error().to_string().c_str(), stderr);
        return kExitBadConfiguration;
    }
    std::optional<config::ContactPlan> checked_plan;
    if (options.check_only && !config->contact_plan_file.empty()) {
        auto loaded = config::load_contact_plan(config->contact_plan_file);
        if (!loaded) {
            std::fputs(loaded.error().to_string().c_str(), stderr);
            return kExitBadConfiguration;
        }
        checked_plan = std::move(*loaded);
    }
    if (!links_are_usable(*config)) return kExitBadConfiguration;
    if (options.check_only) {
        for (const std::string &line :
             config::review_ltp(*config, checked_plan ? &*checked_plan : nullptr))
            std::printf("%s\n", line.c_str());
        std::printf("%s: ok\n", options.config_file.c_str());
        return kExitClean;
    }
    if (const auto level = parse_log_level(config->log_level)) set_log_level(*level);
    PlanKeeper plan(*config);
    if (const std::string wrong = plan.open(read_wall_clock().dtn_ms); !wrong.empty()) {
        std::fputs(wrong.c_str(), stderr);
        return kExitBadConfiguration;
    }
    Node node(*config, plan, options);
    return node.run();
}

}  // namespace
}  // namespace farlink::app

int main(int argc, char **argv) {
    // The C library would reserve 64 MiB of addresses for each thread: 400 MB that an idle node
    // does not use, and that count where its memory is limited. Steady work allocates nothing.
    ::mallopt(M_ARENA_MAX, 2);
    farlink::app::Options options;
    if (const auto code = farlink::app::read_options(argc, argv, options)) return *code;
    return farlink::app::start(options);
}
