// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsink/program.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "apps/bpsink/report.hpp"
#include "apps/bpsink/sink.hpp"
#include "apps/shared/options/complain.hpp"
#include "apps/shared/options/tool_options.hpp"
#include "apps/shared/traffic/link_loop.hpp"
#include "apps/shared/traffic/security/bundle_opener.hpp"
#include "apps/shared/traffic/tool_link.hpp"
#include "common/base/seconds.hpp"
#include "common/bp/eid/eid.hpp"
#include "common/config/fields/link_url.hpp"

namespace farlink::bpsink {
namespace {

struct Arguments {
    std::string eid;
    std::string listen;
    SinkOptions options;
    double idle_exit_s = 0;
    bool custody = false;
    std::string custody_to;
    double custody_period_s = 1;
    bool echo = false;
    std::string echo_to;
    traffic::OpenOptions open;
    bool json = false;
};

/// Larger bundles are checked as they arrive.
constexpr std::uint64_t kInMemoryBytes = 8 * 1024 * 1024;
constexpr int kExitOk = 0;
constexpr int kExitFlawed = 1;
constexpr int kExitUsage = 2;

void declare(CLI::App &app, Arguments &arguments) {
    SinkOptions &options = arguments.options;
    app.add_option("--eid", arguments.eid, "destination endpoint of the bundles, such as ipn:2.1")
        ->required();
    app.add_option(
           "--listen", arguments.listen,
           "link to listen on, such as tcpclv4://host:port?tls=required&cert=me.pem&key=me.key; "
           "options of the URL are the keys of an induct; port 0: a free port")
        ->required();
    app.add_option(
           "--bundles", options.bundles,
           "exit after this number of bundles without duplicates, or, with --echo, of echoes")
        ->transform(amount("bundles"));
    app.add_option("--idle-exit", arguments.idle_exit_s,
                   "exit after this time without a bundle since the last one received, seconds")
        ->check(CLI::Range(0.0, 1e8));
    app.add_flag("--until-complete", options.until_complete,
                 "exit when every run of bpgen from which bundles arrived is complete");
    app.add_flag("--custody", arguments.custody,
                 "accept custody of BPv6 bundles that request it; custody signals are sent on the "
                 "session by which the bundles arrived");
    app.add_option("--custody-to", arguments.custody_to,
                   "like --custody, but custody signals are sent by this outduct; for one-way "
                   "convergence layers: stcp, mtcp, udp");
    app.add_option("--custody-period", arguments.custody_period_s,
                   "time for which an aggregate custody signal collects bundles, seconds")
        ->check(CLI::Range(0.0, 1e6))
        ->capture_default_str();
    app.add_flag("--echo", arguments.echo,
                 "send the payload of each bundle back to its source, on the session by which it "
                 "arrived; the bundles may come from any program");
    app.add_option("--echo-to", arguments.echo_to,
                   "like --echo, but echoes are sent by this outduct; for one-way convergence "
                   "layers: stcp, mtcp, udp");
    app.add_option("--verify", arguments.open.verify,
                   "verify that the payload of each bundle is signed (BIB-HMAC-SHA2) with a key of "
                   "this file, or with FILE:ID; other signed blocks are verified too");
    app.add_option("--decrypt", arguments.open.decrypt,
                   "decrypt the payload of each bundle (BCB-AES-GCM) with a key of this file, or "
                   "with FILE:ID; bundles without encryption fail");
    app.add_flag(
        "--progress", options.progress,
        "print a line of JSON every second to stderr (default on a terminal: a line of text)");
    app.add_flag("--json", arguments.json, "print the result as JSON");
}

/// Reads the options of custody; returns an error, or an empty text.
std::string set_custody(const Arguments &arguments, std::uint64_t node, SinkOptions &options) {
    if (!arguments.custody && arguments.custody_to.empty()) return {};
    AnswerOptions &answers = options.custody.emplace();
    answers.node = node;
    answers.signals.period = from_seconds(arguments.custody_period_s);
    if (arguments.custody_to.empty())
        return traffic::works_both_ways(options.listen.url)
                   ? ""
                   : "--custody-to is missing: " + options.listen.url.scheme +
                         " is a one-way convergence layer";
    const auto to = traffic::way_out(arguments.custody_to, node);
    if (!to) return "--custody-to: " + to.error();
    answers.to = *to;
    return {};
}

/// Likewise, the options of echoes.
std::string set_echo(const Arguments &arguments, const bp::Eid &local, SinkOptions &options) {
    if (!arguments.echo && arguments.echo_to.empty()) return {};
    EchoOptions &echo = options.echo.emplace();
    echo.local = local;
    if (arguments.echo_to.empty())
        return traffic::works_both_ways(options.listen.url)
                   ? ""
                   : "--echo-to is missing: " + options.listen.url.scheme +
                         " is a one-way convergence layer";
    const auto to = traffic::way_out(arguments.echo_to, local.view().node);
    if (!to) return "--echo-to: " + to.error();
    echo.to = *to;
    return {};
}

/// Likewise, the options of security.
std::string set_security(const Arguments &arguments, SinkOptions &options,
                         std::unique_ptr<traffic::BundleOpener> &opener) {
    if (!arguments.open.any()) return {};
    if (options.echo) return "--verify and --decrypt cannot be used with --echo";
    auto made = traffic::make_opener(arguments.open);
    if (!made) return made.error();
    opener = std::move(*made);
    options.opener = opener.get();
    return {};
}

int run(Arguments &arguments) {
    const auto eid = bp::Eid::parse(arguments.eid);
    if (!eid) return complain("--eid: not an endpoint: " + arguments.eid, kExitUsage);
    const auto listen = traffic::way_in(arguments.listen, eid->view().node);
    if (!listen) return complain("--listen: " + listen.error(), kExitUsage);

    SinkOptions &options = arguments.options;
    if (arguments.idle_exit_s > 0) options.idle_exit = from_seconds(arguments.idle_exit_s);
    options.progress_text = !options.progress && ::isatty(STDERR_FILENO) == 1;

    options.listen = *listen;
    if (const auto wrong = set_custody(arguments, eid->view().node, options); !wrong.empty())
        return complain(wrong, kExitUsage);
    if (const auto wrong = set_echo(arguments, *eid, options); !wrong.empty())
        return complain(wrong, kExitUsage);
    std::unique_ptr<traffic::BundleOpener> opener;
    if (const auto wrong = set_security(arguments, options, opener); !wrong.empty())
        return complain(wrong, kExitUsage);
    traffic::LinkLoop loop(traffic::buffer_bytes(*listen));
    loop.await_second_signal();
    // A custodian has the whole bundle, and so has who echoes or verifies it.
    if (!options.custody && !options.echo && !opener) loop.spool_above(kInMemoryBytes);
    traffic::Verifier verifier(*eid);
    Sink sink(options, loop, verifier);
    config::LinkUrl url = listen->url;
    if (!sink.open()) return complain("cannot listen on " + config::to_string(url), kExitFlawed);
    url.port = sink.port();
    url.options.clear();
    std::cerr << "listening on " << config::to_string(url) << '\n';

    sink.run();
    const nlohmann::json report = report_json(verifier, sink);
    std::cout << (arguments.json ? report.dump() + "\n" : report_text(report)) << std::flush;
    return report["ok"] ? kExitOk : kExitFlawed;
}

}  // namespace
}  // namespace farlink::bpsink

int farlink::bpsink::run_program(int argc, char **argv) {
    farlink::bpsink::Arguments arguments;
    CLI::App app{"Receives and checks the bundles of bpgen"};
    farlink::add_version(app);
    farlink::bpsink::declare(app, arguments);
    app.footer(
        "Exit codes: 0 every bundle arrived intact and once (with --echo: every bundle was "
        "echoed), 1 otherwise, 2 bad usage.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? farlink::bpsink::kExitOk : farlink::bpsink::kExitUsage;
    }
    return farlink::bpsink::run(arguments);
}
