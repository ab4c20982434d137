// SPDX-License-Identifier: Apache-2.0
// ltpsend: sends one file as one LTP block, without bundles.
#include <CLI/CLI.hpp>
#include <boost/asio/ip/udp.hpp>
#include <fstream>
#include <iostream>

#include "apps/shared/options/complain.hpp"
#include "apps/shared/options/tool_options.hpp"
#include "apps/shared/traffic/link_loop.hpp"
#include "apps/shared/traffic/ltp_tool_keys.hpp"
#include "apps/shared/traffic/quiet_host.hpp"
#include "apps/shared/traffic/tool_link.hpp"
#include "cla/ltp/ltp_port.hpp"
#include "cla/ltp/ltp_settings.hpp"
#include "common/runtime/clock.hpp"

namespace farlink::ltpsend {
namespace {

using boost::asio::ip::udp;
using namespace cla::ltp;

struct Arguments {
    std::string file;
    std::string via;
    std::uint64_t service = 1;
};

const char *text_of(CancelReason reason) {
    switch (reason) {
        case CancelReason::kUserCancelled:
            return "cancelled";
        case CancelReason::kUnreachable:
            return "the receiver has no such client service";
        case CancelReason::kRetransmitLimit:
            return "the receiver does not reply (retransmission limit exceeded)";
        case CancelReason::kMiscoloured:
            return "miscoloured";
        case CancelReason::kSystemCancelled:
            return "the receiver has no resources for the block";
        case CancelReason::kCycleLimit:
            return "the retransmission limit was exceeded";
    }
    return "cancelled with an unknown reason code";
}

/// One block and its outcome.
class Sender final : public PortUser {
public:
    Sender(traffic::LinkLoop &loop, const config::OutductConfig &link, LtpKeys keys, ByteView file)
        : loop_(loop),
          link_(link),
          keys_(std::move(keys)),
          file_(file),
          port_(loop.resources(host_), link_, EngineId{link.ltp.engine_id}, *this) {}

    [[nodiscard]] std::string run(std::uint64_t service) {
        boost::system::error_code error;
        udp::resolver resolver(loop_.resources(host_).io);
        const auto found = resolver.resolve(link_.url.host, std::to_string(link_.url.port), error);
        if (error || found.empty()) return link_.url.host + ": " + error.message();
        const udp::endpoint peer = found.begin()->endpoint();
        error = port_.open({peer.protocol(), link_.ltp.sender_bound_port});
        if (error)
            return "cannot bind port " + std::to_string(link_.ltp.sender_bound_port) + ": " +
                   error.message();
        PeerConfig settings = peer_config(link_, EngineId{link_.ltp.remote_engine_id});
        settings.authenticator = keys_.own();
        const PeerId id = port_.add_peer(settings, cla::DatagramAddress(peer));
        const BlockPiece piece{file_, false};
        BlockRequest request;
        request.pieces = {&piece, 1};
        request.service = service;
        if (!port_.engine().send_block(id, request, monotonic_now())) return "the file is empty";
        port_.pump();
        if (!loop_.run_until([this] { return ended_.has_value(); }, kNever)) return "interrupted";
        return ended_->type == EventType::kDelivered ? std::string() : text_of(ended_->reason);
    }

private:
    void on_block(const ReceivedBlock &block) override {
        port_.engine().block_refused(block.session, monotonic_now());
    }
    void on_event(const Event &event) override {
        if (event.type != EventType::kNumbersCut) ended_ = event;
    }

    traffic::LinkLoop &loop_;
    traffic::QuietHost host_;
    config::OutductConfig link_;
    LtpKeys keys_;
    ByteView file_;
    LtpPort port_;
    std::optional<Event> ended_;
};

int run(const Arguments &arguments) {
    const auto link = traffic::way_out(arguments.via, 1);
    auto keys = traffic::ltp_keys(link, arguments.via);
    if (!keys) return complain(keys.error(), kExitUsage);
    std::ifstream stream(arguments.file, std::ios::binary);
    const Bytes file{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
    if (!stream.is_open()) return complain("cannot read " + arguments.file, kExitFailed);
    traffic::LinkLoop loop(traffic::buffer_bytes(*link));
    Sender sender(loop, *link, std::move(*keys), file);
    const TimePoint begun = monotonic_now();
    const std::string error = sender.run(arguments.service);
    if (!error.empty()) return complain(error, kExitFailed);
    std::cout << file.size() << " bytes sent in "
              << std::chrono::duration<double>(monotonic_now() - begun).count() << " s\n";
    return kExitOk;
}

}  // namespace
}  // namespace farlink::ltpsend

int main(int argc, char **argv) {
    farlink::ltpsend::Arguments arguments;
    CLI::App app{"Sends a file as one LTP block"};
    farlink::add_version(app);
    app.add_option("file", arguments.file, "file to send as one block")->required();
    app.add_option("via", arguments.via,
                   "ltp://host:port?thisLtpEngineId=1&rateLimitBitsPerSec=...; options are the "
                   "keys of an outduct")
        ->required();
    app.add_option("--service", arguments.service, "client service id of the block")
        ->transform(farlink::amount("the id of a client service"))
        ->capture_default_str();
    app.footer("Exit codes: 0 the receiver has the file, 1 failed, 2 bad usage.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? farlink::kExitOk : farlink::kExitUsage;
    }
    return farlink::ltpsend::run(arguments);
}
