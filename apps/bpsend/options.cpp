// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsend/options.hpp"

#include <CLI/CLI.hpp>
#include <ranges>
#include <string_view>

#include "apps/shared/messages/shared_options.hpp"
#include "apps/shared/options/tool_options.hpp"
#include "common/bp/eid/eid.hpp"

namespace farlink::bpsend {
namespace {

void declare_input(CLI::App &app, Arguments &arguments) {
    messages::declare_destination(app, arguments.destination);
    app.add_option("message", arguments.texts,
                   "text of a message; without texts and --file, standard input is sent");
    app.add_option("--file", arguments.files, "files to send; - is standard input");
    app.add_flag("--lines", arguments.lines,
                 "send each line of the input as a message, without its newline");
    app.add_option("--bytes", arguments.bytes,
                   "split the input into messages of this number of bytes: 1000, 64k, 1M")
        ->transform(amount("bytes", 1, messages::kLargestPiece));
}

void declare_bundle(CLI::App &app, Arguments &arguments) {
    messages::declare_from(app, arguments.node);
    app.add_option("--source", arguments.source,
                   "source of the bundles instead of the endpoint, if `sendAs` in the node's "
                   "`applications.access` allows it");
    messages::declare_lifetime(app, arguments.lifetime_s);
    messages::declare_priority(app, arguments.priority);
    app.add_option("--report-to", arguments.report_to,
                   "endpoint that receives the status reports; without --reports, those of "
                   "delivery and deletion");
    app.add_option("--reports", arguments.reports,
                   "status reports to request, separated by commas: reception, forwarding, "
                   "delivery, deletion");
    app.add_option("--crc", arguments.crc,
                   "CRC of the blocks: none, crc16 or crc32c; default: the node's default")
        ->check(CLI::IsMember({"none", "crc16", "crc32c"}));
    app.add_option("--hop-limit", arguments.hop_limit, "hop limit, 1 to 255; default: none")
        ->check(CLI::Range(1, 255));
}

/// 0: no such report.
unsigned bit_of(std::string_view report) {
    if (report == "reception") return client::kReportReception;
    if (report == "forwarding") return client::kReportForwarding;
    if (report == "delivery") return client::kReportDelivery;
    return report == "deletion" ? client::kReportDeletion : 0;
}

/// None: one of the names is no report.
std::optional<std::uint8_t> reports_of(std::string_view names) {
    unsigned bits = 0;
    for (const auto name : std::views::split(names, ',')) {
        const unsigned bit = bit_of(std::string_view(name.begin(), name.end()));
        if (bit == 0) return std::nullopt;
        bits |= bit;
    }
    return static_cast<std::uint8_t>(bits);
}

client::SendOptions options_of(const Arguments &arguments) {
    client::SendOptions with;
    with.source = arguments.source;
    with.report_to = arguments.report_to;
    messages::set_lifetime_and_priority(arguments.lifetime_s, arguments.priority, with);
    if (!arguments.reports.empty()) with.reports = reports_of(arguments.reports);
    if (!arguments.crc.empty())
        with.crc_type = static_cast<std::uint8_t>(arguments.crc == "none"    ? 0
                                                  : arguments.crc == "crc16" ? 1
                                                                             : 2);
    if (arguments.hop_limit > 0) with.hop_limit = static_cast<std::uint8_t>(arguments.hop_limit);
    return with;
}

/// The error; empty: all of these are endpoints, or absent.
std::string wrong_names(const Arguments &arguments) {
    const auto wrong = [](const char *option, const std::string &text) {
        return text.empty() || bp::Eid::parse(text)
                   ? std::string()
                   : std::string(option) + ": not an endpoint: " + text;
    };
    if (auto error = wrong("destination", arguments.destination); !error.empty()) return error;
    if (auto error = wrong("--source", arguments.source); !error.empty()) return error;
    if (auto error = wrong("--report-to", arguments.report_to); !error.empty()) return error;
    if (!arguments.reports.empty() && arguments.report_to.empty())
        return "--reports requires --report-to";
    if (!reports_of(arguments.reports))
        return "--reports: found " + arguments.reports +
               "; expected reception, forwarding, delivery, deletion, separated by commas";
    return messages::wrong_from(arguments.node);
}

}  // namespace

void declare(CLI::App &app, Arguments &arguments) {
    declare_input(app, arguments);
    declare_bundle(app, arguments);
    messages::declare_node(app, arguments.node);
    messages::declare_acceptance_timeout(app, arguments.timeout_s, "messages");
    messages::declare_progress(app, arguments.progress);
    app.add_flag("--json", arguments.json, "print a line of JSON for each message and a summary");
}

Result<Plan, std::string> plan_of(const Arguments &arguments) {
    if (arguments.destination.empty())
        return fail(std::string("destination: found an empty text; expected an endpoint"));
    if (std::string error = wrong_names(arguments); !error.empty()) return fail(std::move(error));
    const bool cut = arguments.lines || arguments.bytes > 0;
    if (arguments.lines && arguments.bytes > 0)
        return fail(std::string("--lines cannot be used with --bytes"));
    if (!arguments.texts.empty() && !arguments.files.empty())
        return fail(std::string("--file cannot be used with messages as arguments"));
    if (!arguments.texts.empty() && cut)
        return fail(
            std::string("--lines and --bytes can be used only for standard input and files"));
    return Plan{.split = arguments.lines       ? messages::Split::kLines
                         : arguments.bytes > 0 ? messages::Split::kBytes
                                               : messages::Split::kWhole,
                .bytes = static_cast<std::size_t>(arguments.bytes),
                .with = options_of(arguments),
                .timeout = messages::limit_of(arguments.timeout_s)};
}

}  // namespace farlink::bpsend
