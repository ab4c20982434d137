// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsend/program.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "apps/bpsend/input.hpp"
#include "apps/bpsend/options.hpp"
#include "apps/bpsend/report.hpp"
#include "apps/shared/messages/interruption.hpp"
#include "apps/shared/messages/node_connection.hpp"
#include "apps/shared/messages/run_tool.hpp"
#include "apps/shared/options/complain.hpp"
#include "apps/shared/options/tool_options.hpp"

namespace farlink::bpsend {
namespace {

constexpr std::size_t kWindowsOfBatch = 8;

struct Outcome {
    std::string error{};  ///< empty: all of the input was sent
    int code = messages::kExitOk;
};

class Sending {
public:
    Sending(client::Endpoint &endpoint, const Arguments &arguments, const Plan &plan,
            Report &report)
        : endpoint_(endpoint), arguments_(arguments), plan_(plan), report_(report) {}

    [[nodiscard]] Outcome send_texts() {
        std::vector<Bytes> texts;
        for (const std::string &text : arguments_.texts)
            texts.emplace_back(text.begin(), text.end());
        send(texts);
        return outcome();
    }
    [[nodiscard]] Outcome send_input(Input &input, const messages::Interruption &interruption) {
        for (;;) {
            const auto batch = input.next();
            if (!batch) return {batch.error(), messages::kExitUsage};
            if (batch->empty()) break;
            send(*batch);
            if (report_.lost()) break;
        }
        if (interruption.asked()) return {"interrupted", messages::kExitFailed};
        return outcome();
    }

private:
    void send(const std::vector<Bytes> &payloads) {
        std::vector<client::Message> batch;
        batch.reserve(payloads.size());
        for (const Bytes &payload : payloads)
            batch.push_back({arguments_.destination, payload, plan_.with});
        const std::vector<client::Sent> sent = endpoint_.send_many(batch, plan_.timeout);
        for (std::size_t at = 0; at < sent.size(); ++at) report_.add(sent[at], payloads[at].size());
        report_.show_progress();
    }
    [[nodiscard]] Outcome outcome() const {
        if (report_.lost()) return {"the connection to the node was lost", messages::kExitFailed};
        return {{}, report_.all_accepted() ? messages::kExitOk : messages::kExitFailed};
    }

    client::Endpoint &endpoint_;
    const Arguments &arguments_;
    const Plan &plan_;
    Report &report_;
};

int run(const Arguments &arguments) {
    const auto plan = plan_of(arguments);
    if (!plan) return complain(plan.error(), messages::kExitUsage);
    auto secret = messages::read_secret(arguments.node.secret_file);
    if (!secret) return complain("--secret-file: " + secret.error(), messages::kExitUsage);
    auto endpoint = messages::connect(arguments.node, *secret);
    if (!endpoint) return complain(endpoint.error(), messages::kExitNoNode);

    // An earlier Ctrl-C has ended the program by itself.
    const messages::Interruption interruption;
    Report report(arguments.json, arguments.progress || ::isatty(STDERR_FILENO) == 1);
    Sending sending(*endpoint, arguments, *plan, report);
    Input input(arguments.files.empty() ? std::vector<std::string>{"-"} : arguments.files,
                messages::Splitter(plan->split, plan->bytes),
                {.messages = kWindowsOfBatch * arguments.node.window}, interruption.descriptor());
    const Outcome outcome =
        arguments.texts.empty() ? sending.send_input(input, interruption) : sending.send_texts();
    report.finish(arguments.destination, endpoint->id(), outcome.error);
    return outcome.error.empty() ? outcome.code : complain(outcome.error, outcome.code);
}

}  // namespace
}  // namespace farlink::bpsend

int farlink::bpsend::run_program(int argc, char **argv) {
    farlink::bpsend::Arguments arguments;
    CLI::App app{
        "Sends arguments, standard input or files as bundles through the node on this machine"};
    farlink::add_version(app);
    farlink::bpsend::declare(app, arguments);
    app.footer(
        "Exit codes: 0 the node accepted every message, 1 a message was refused, or the connection "
        "to the node was lost, 2 bad usage, or an input cannot be read, 3 no node is running, or "
        "the node refuses the endpoint.");
    return farlink::messages::run_tool(
        app, argc, argv, "not enough memory for a message; split the input with --bytes",
        [&] { return farlink::bpsend::run(arguments); });
}
