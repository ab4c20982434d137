// SPDX-License-Identifier: Apache-2.0
// bpgen: sends verifiable bundles to a DTN node; bpsink receives them.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <string>
#include <utility>

#include "apps/bpgen/generator.hpp"
#include "apps/bpgen/report.hpp"
#include "apps/shared/options/complain.hpp"
#include "apps/shared/options/old_names.hpp"
#include "apps/shared/options/tool_options.hpp"
#include "apps/shared/traffic/link_loop.hpp"
#include "apps/shared/traffic/security/bundle_sealer.hpp"
#include "apps/shared/traffic/tool_link.hpp"
#include "common/base/seconds.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/runtime/clock.hpp"
#include "common/runtime/entropy.hpp"

namespace farlink::bpgen {
namespace {

constexpr std::uint64_t kHighestRate = 1'000'000'000;
/// It is sent in milliseconds.
constexpr std::uint64_t kLongestLifetimeS = ~std::uint64_t{0} / 1000;

struct Arguments {
    std::string from;
    std::string to;
    std::string via;
    std::string listen;
    std::string custody;
    traffic::SealOptions seal;
    double custody_timeout_s = 10;
    GeneratorOptions options;
    std::string fragment_order = "forward";
    unsigned bp_version = 7;
    unsigned hop_limit = 30;
    double duration_s = 0;
    double connect_timeout_s = 10;
    double acknowledge_timeout_s = 30;
    bool json = false;
};

void declare(CLI::App &app, Arguments &arguments) {
    traffic::BundleOptions &bundle = arguments.options.bundle;
    const CLI::Range up_to_years(0.0, 1e8);
    app.add_option("--from", arguments.from, "source endpoint, such as ipn:1.1")->required();
    app.add_option("--to", arguments.to, "destination endpoint, such as ipn:2.1")->required();
    app.add_option("--via", arguments.via,
                   "link to send by, such as tcpclv4://host:port?tls=required&ca=ca.pem; options "
                   "of the URL are the keys of an outduct")
        ->required();
    app.add_option("--bundle-size", bundle.payload_bytes, "payload bytes, 48 or more: 64k, 5M, 20G")
        ->transform(amount("bytes"))
        ->capture_default_str();
    app.add_option("--bundle-rate", arguments.options.bundle_rate,
                   "bundles per second: 0.5, 10k; 0: as fast as possible")
        ->transform(amount_or_fraction("bundles per second", kHighestRate))
        ->capture_default_str();
    app.add_option("--duration", arguments.duration_s, "time to send bundles, seconds; 0: no limit")
        ->check(up_to_years)
        ->capture_default_str();
    app.add_option("--bundles", arguments.options.bundles, "number of bundles; 0: no limit")
        ->transform(amount("bundles"))
        ->capture_default_str();
    app.add_option("--bp-version", arguments.bp_version, "bundle protocol version, 7 or 6")
        ->check(CLI::IsMember({6, 7}))
        ->capture_default_str();
    app.add_flag("--may-fragment", bundle.may_fragment,
                 "nodes may fragment the bundles; without this option the bundles have the flag "
                 "\"must not be fragmented\"");
    app.add_option(
           "--fragment-bytes", arguments.options.fragments.payload_bytes,
           "send each bundle as fragments with this number of payload bytes; 0: send whole bundles")
        ->transform(amount("bytes"))
        ->capture_default_str();
    app.add_option("--fragment-order", arguments.fragment_order,
                   "order of the fragments of a bundle: forward, reverse or shuffled")
        ->check(CLI::IsMember({"forward", "reverse", "shuffled"}))
        ->capture_default_str();
    app.add_option("--seed", arguments.options.fragments.seed, "seed of the order `shuffled`")
        ->transform(amount("a seed"))
        ->capture_default_str();
    app.add_flag("--critical", bundle.critical,
                 "BPv6: mark the bundles as critical, so that nodes send them by every route to "
                 "the destination (extended class of service)");
    app.add_option("--lifetime", bundle.lifetime_s, "lifetime of a bundle, seconds")
        ->transform(amount("seconds", 1, kLongestLifetimeS))
        ->capture_default_str();
    app.add_option("--hop-limit", arguments.hop_limit, "BPv7 hop limit, 1 to 255")
        ->check(CLI::Range(1, 255))
        ->capture_default_str();
    app.add_option("--connect-timeout", arguments.connect_timeout_s,
                   "time limit for the first connection, seconds")
        ->check(up_to_years)
        ->capture_default_str();
    app.add_option(
           "--acknowledge-timeout", arguments.acknowledge_timeout_s,
           "after the last bundle was sent, or while a lost connection is not restored: time limit "
           "without progress, seconds")
        ->check(up_to_years)
        ->capture_default_str();
    app.add_flag("--progress", arguments.options.progress,
                 "print a progress line every second to stderr (default on a terminal)");
    app.add_flag("--json", arguments.json, "print the summary as JSON");
}

/// Custody and security.
void declare_protection(CLI::App &app, Arguments &arguments) {
    app.add_option("--custody", arguments.custody,
                   "BPv6: request custody transfer, with aggregate custody signals (acs) or a "
                   "signal for each bundle (signals)")
        ->check(CLI::IsMember({"acs", "signals"}));
    app.add_option("--custody-timeout", arguments.custody_timeout_s,
                   "time without a custody signal after which a bundle is sent again, seconds")
        ->check(CLI::Range(0.001, 1e8))
        ->capture_default_str();
    app.add_option("--listen", arguments.listen,
                   "induct for custody signals, for one-way convergence layers: stcp, mtcp, udp");
    app.add_option("--sign", arguments.seal.sign,
                   "BPv7: sign primary block and payload of each bundle (BIB-HMAC-SHA2) with the "
                   "key of this file, or FILE:ID for one of several");
    app.add_option("--encrypt", arguments.seal.encrypt,
                   "BPv7: encrypt the payload of each bundle (BCB-AES-GCM) with the key of this "
                   "file, or FILE:ID; counters are kept in the folder ivs next to the file");
}

/// Reads the options of fragments; returns an error, or an empty text.
std::string set_fragments(const Arguments &arguments, GeneratorOptions &options) {
    if (options.fragments.payload_bytes == 0) return {};
    if (!arguments.custody.empty()) return "--fragment-bytes cannot be used with --custody";
    options.bundle.may_fragment = true;
    options.fragments.order =
        arguments.fragment_order == "reverse"    ? traffic::FragmentOrder::kReverse
        : arguments.fragment_order == "shuffled" ? traffic::FragmentOrder::kShuffled
                                                 : traffic::FragmentOrder::kForward;
    return {};
}

/// Reads the options of security; returns an error, or an empty text.
std::string set_security(Arguments &arguments, std::uint64_t node,
                         std::unique_ptr<traffic::BundleSealer> &sealer) {
    traffic::SealOptions &seal = arguments.seal;
    if (!seal.any()) return {};
    if (arguments.bp_version != 7) return "--sign and --encrypt cannot be used with --bp-version 6";
    if (arguments.options.fragments.payload_bytes > 0)
        return "--sign and --encrypt cannot be used with --fragment-bytes";
    seal.node = node;
    auto made = traffic::make_sealer(seal, read_wall_clock().dtn_ms);
    if (!made) return made.error();
    sealer = std::move(*made);
    arguments.options.sealer = sealer.get();
    return {};
}

/// Reads the options of custody; returns an error, or an empty text.
std::string set_custody(const Arguments &arguments, std::uint64_t node, GeneratorOptions &options) {
    if (arguments.custody.empty())
        return arguments.listen.empty()
                   ? ""
                   : "--listen requires --custody: the induct is for custody signals";
    options.bundle.custody =
        arguments.custody == "acs" ? traffic::Custody::kAggregates : traffic::Custody::kSignals;
    // Signals of an earlier run must not match bundles of this one.
    options.bundle.first_custody_id = entropy_seed() >> 36;
    options.custody_timeout = from_seconds(arguments.custody_timeout_s);
    if (arguments.listen.empty())
        return traffic::works_both_ways(options.via.url)
                   ? ""
                   : "--listen is missing: " + options.via.url.scheme +
                         " is a one-way convergence layer";
    const auto listen = traffic::way_in(arguments.listen, node);
    if (!listen) return "--listen: " + listen.error();
    options.listen = *listen;
    return {};
}

int run(Arguments &arguments) {
    const auto from = bp::Eid::parse(arguments.from);
    if (!from) return complain("--from: not an endpoint: " + arguments.from, kExitUsage);
    const auto to = bp::Eid::parse(arguments.to);
    if (!to) return complain("--to: not an endpoint: " + arguments.to, kExitUsage);
    const auto via = traffic::way_out(arguments.via, from->view().node);
    if (!via) return complain("--via: " + via.error(), kExitUsage);

    GeneratorOptions &options = arguments.options;
    options.progress = options.progress || ::isatty(STDERR_FILENO) == 1;
    options.via = *via;
    options.bundle.source = from->view();
    options.bundle.destination = to->view();
    options.bundle.version = static_cast<std::uint8_t>(arguments.bp_version);
    options.bundle.hop_limit = static_cast<std::uint8_t>(arguments.hop_limit);
    if (arguments.duration_s > 0) options.duration = from_seconds(arguments.duration_s);
    options.connect_timeout = from_seconds(arguments.connect_timeout_s);
    options.acknowledge_timeout = from_seconds(arguments.acknowledge_timeout_s);

    if (const auto wrong = set_custody(arguments, from->view().node, options); !wrong.empty())
        return complain(wrong, kExitUsage);

    if (const auto wrong = set_fragments(arguments, options); !wrong.empty())
        return complain(wrong, kExitUsage);

    std::unique_ptr<traffic::BundleSealer> sealer;
    if (const auto wrong = set_security(arguments, from->view().node, sealer); !wrong.empty())
        return complain(wrong, kExitUsage);

    const traffic::Pattern pattern(entropy_seed());
    auto bundles = traffic::BundleTemplate::make(options.bundle, pattern);
    if (!bundles) return complain(std::string(traffic::to_string(bundles.error())), kExitUsage);
    traffic::LinkLoop loop(traffic::buffer_bytes(*via));
    loop.await_second_signal();
    Generator generator(options, loop, *bundles, pattern, entropy_seed());
    if (!generator.listen()) return complain("cannot listen on " + arguments.listen, kExitFailed);
    if (generator.port() != 0)
        std::cerr << "listening for custody signals on port " << generator.port() << '\n';
    const GeneratorReport report = generator.run();
    const std::uint64_t payload_bytes = options.bundle.payload_bytes;
    std::cout << (arguments.json ? report_json(report, payload_bytes)
                                 : report_text(report, payload_bytes))
              << '\n'
              << std::flush;
    return report.error.empty() ? kExitOk : complain(report.error, kExitFailed);
}

}  // namespace
}  // namespace farlink::bpgen

int main(int argc, char **argv) {
    farlink::bpgen::Arguments arguments;
    CLI::App app{"Sends verifiable bundles to a DTN node"};
    farlink::add_version(app);
    farlink::bpgen::declare(app, arguments);
    farlink::bpgen::declare_protection(app, arguments);
    app.footer("Exit codes: 0 all bundles were acknowledged, 1 failed, 2 bad usage.");
    try {
        farlink::parse_words(app, argc, argv, farlink::kRenamedBundleOptions);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? farlink::kExitOk : farlink::kExitUsage;
    }
    return farlink::bpgen::run(arguments);
}
