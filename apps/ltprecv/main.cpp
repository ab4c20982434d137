// SPDX-License-Identifier: Apache-2.0
// ltprecv: receives one LTP block and writes it to a file.
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

namespace farlink::ltprecv {
namespace {

using boost::asio::ip::udp;
using namespace cla::ltp;

struct Arguments {
    std::string listen;
    std::string file;
    std::uint64_t service = 1;
};

/// Receives blocks of any sender until one is written.
class Receiver final : public PortUser {
public:
    Receiver(traffic::LinkLoop &loop, const config::InductConfig &link, LtpKeys keys,
             const Arguments &arguments)
        : loop_(loop),
          link_(link),
          keys_(std::move(keys)),
          arguments_(arguments),
          port_(loop.resources(host_), link_, EngineId{link.ltp.engine_id}, *this) {}

    [[nodiscard]] std::string run() {
        boost::system::error_code error;
        udp::resolver resolver(loop_.resources(host_).io);
        const auto found = resolver.resolve(link_.url.host, std::to_string(link_.url.port), error);
        if (!error) error = port_.open(found.begin()->endpoint());
        if (error)
            return "cannot bind " + link_.url.host + ":" + std::to_string(link_.url.port) + ": " +
                   error.message();
        std::cerr << "listening on ltp://" << link_.url.host << ':' << port_.port() << '\n';
        if (!loop_.run_until([this] { return written_ || !fault_.empty(); }, kNever))
            return "interrupted";
        if (!fault_.empty()) return fault_;
        // The loop continues for a while, so that the last report can be repeated.
        const TimePoint patience = monotonic_now() + config_patience();
        static_cast<void>(
            loop_.run_until([this] { return port_.engine().sessions_in() == 0; }, patience));
        return {};
    }
    [[nodiscard]] std::uint64_t octets() const { return octets_; }

private:
    [[nodiscard]] Duration config_patience() const {
        return 2 * (link_.ltp.owlt + link_.ltp.margin) *
               static_cast<std::int64_t>(link_.ltp.max_retries);
    }
    void on_block(const ReceivedBlock &block) override {
        if (written_) return port_.engine().block_refused(block.session, monotonic_now());
        std::ofstream file(arguments_.file, std::ios::binary | std::ios::trunc);
        for (const ByteView slice : block.slices)
            file.write(reinterpret_cast<const char *>(slice.data()),
                       static_cast<std::streamsize>(slice.size()));
        file.close();
        if (!file) {
            fault_ = "cannot write " + arguments_.file;
            return port_.engine().block_refused(block.session, monotonic_now());
        }
        octets_ = block.size;
        written_ = true;
        port_.engine().block_safe(block.session, monotonic_now());
    }
    void on_event(const Event &) override {}
    std::optional<PeerId> on_stranger(const cla::DatagramAddress &from,
                                      ByteView datagram) override {
        const auto segment = decode_segment(datagram);
        if (!segment || !is_data(segment->type)) return std::nullopt;
        Authenticator *const key = keys_.own();
        if (key != nullptr && authenticity_of(*segment, *key) != Authenticity::kAuthentic)
            return std::nullopt;
        PeerConfig settings = peer_config(link_, EngineId{segment->originator});
        settings.authenticator = key;
        settings.services = {arguments_.service};
        return port_.add_peer(settings, from);
    }

    traffic::LinkLoop &loop_;
    traffic::QuietHost host_;
    config::InductConfig link_;
    LtpKeys keys_;
    const Arguments &arguments_;
    LtpPort port_;
    std::string fault_;
    std::uint64_t octets_ = 0;
    bool written_ = false;
};

int run(const Arguments &arguments) {
    const auto link = traffic::way_in(arguments.listen, 2);
    auto keys = traffic::ltp_keys(link, arguments.listen);
    if (!keys) return complain(keys.error(), kExitUsage);
    traffic::LinkLoop loop(traffic::buffer_bytes(*link));
    Receiver receiver(loop, *link, std::move(*keys), arguments);
    const std::string error = receiver.run();
    if (!error.empty()) return complain(error, kExitFailed);
    std::cout << receiver.octets() << " octets\n";
    return kExitOk;
}

}  // namespace
}  // namespace farlink::ltprecv

int main(int argc, char **argv) {
    farlink::ltprecv::Arguments arguments;
    CLI::App app{"Receives one LTP block and writes it to a file"};
    farlink::add_version(app);
    app.add_option("listen", arguments.listen,
                   "ltp://host:port?thisLtpEngineId=2; options are the keys of an induct; port "
                   "0: a free port")
        ->required();
    app.add_option("file", arguments.file, "file to which the block is written")->required();
    app.add_option("--service", arguments.service, "client service id of the block")
        ->transform(farlink::amount("the id of a client service"))
        ->capture_default_str();
    app.footer("Exit codes: 0 the file is written, 1 failed, 2 bad usage.");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError &error) {
        return app.exit(error) == 0 ? farlink::kExitOk : farlink::kExitUsage;
    }
    return farlink::ltprecv::run(arguments);
}
