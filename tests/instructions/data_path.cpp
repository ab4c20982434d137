// SPDX-License-Identifier: Apache-2.0
// Moves a number of bundles through the cores of the data path, so that its instructions can be
// counted: `data_path forward|store COUNT BYTES`.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "cla/stcp/core/stcp_receiver.hpp"
#include "cla/stcp/core/stcp_sender.hpp"
#include "tests/support/stcp_stream.hpp"
#include "tests/unit/module/ingress/core/forwarding_cores.hpp"
#include "tests/unit/module/storage/core/rig.hpp"

namespace farlink {
namespace {

constexpr UpstreamId kUpstream{3};
constexpr std::uint64_t kCredit = 512 * 1024;
constexpr std::size_t kWriteBytes = 1024 * 1024;
constexpr std::size_t kGroup = 100;

[[noreturn]] void stop(const char *what) {
    std::fprintf(stderr, "data_path: %s\n", what);
    std::exit(1);
}

/// An STCP receiver, ingress, egress and an STCP sender.
class Forwarding {
public:
    void pass(ByteView stream) {
        while (!stream.empty()) {
            const MutableBytes space = receiver_.prepare(cores_.buffer);
            const std::size_t size = std::min(space.size(), stream.size());
            std::copy_n(stream.begin(), size, space.begin());
            stream = stream.subspan(size);
            if (receiver_.handle_bytes(size, cores_.buffer, received_) !=
                cla::stcp::StcpFault::kNone)
                stop("the receiver rejects the stream");
            cores_.ingress.handle_bundles(kUpstream, received_, cores_.now);
            received_.clear();
            cores_.buffer.rest();
            while (cores_.carry_messages()) send();
        }
    }
    [[nodiscard]] std::uint64_t sent_bytes() { return sender_.queue().written_offset(); }

private:
    void send() {
        for (auto bundles = cores_.poll_transmit(kCredit); !bundles.empty();
             bundles = cores_.poll_transmit(kCredit)) {
            sender_.handle_send(bundles);
            while (sender_.pending() > 0) write();
            cores_.egress.handle_transmitted(test::ForwardingCores::kLink,
                                             sender_.handle_acknowledged(sent_bytes()), cores_.now);
        }
    }
    void write() {
        std::array<iovec, 256> entries;
        std::uint64_t taken = 0;
        const std::size_t pieces = sender_.queue().gather(entries, kWriteBytes);
        for (std::size_t i = 0; i < pieces; ++i) taken += entries[i].iov_len;
        sender_.handle_written(taken);
    }

    test::ForwardingCores cores_{test::at_ms(1)};
    cla::stcp::StcpReceiver receiver_{1'000'000, kUpstream};
    ReceivedBundles received_;
    cla::stcp::StcpSender sender_;
};

void forward(std::size_t count, std::size_t bytes) {
    test::TestBundle bundle;
    bundle.payload_bytes = bytes;
    bundle.hop_limit = 30;
    Bytes stream;
    for (std::size_t i = 0; i < kGroup; ++i) test::append_frame(stream, bundle.octets());
    Forwarding path;
    for (std::size_t done = 0; done < count; done += kGroup) path.pass(stream);
    if (path.sent_bytes() < count * bytes) stop("bundles are missing");
}

/// Stores them while the link is down, then sends them.
void store(std::size_t count, std::size_t bytes) {
    test::SimDirectory directory;
    test::RigOptions options;
    options.segment_bytes = 16UL * 1024 * 1024;
    test::Rig rig(directory, options);
    rig.routes_to_both();
    std::uint64_t sequence = 0;
    for (std::size_t done = 0; done < count; done += kGroup) {
        std::vector<test::BundleSpec> group(kGroup);
        for (test::BundleSpec &spec : group) {
            spec.sequence = ++sequence;
            spec.payload_bytes = bytes;
        }
        rig.store(group);
        rig.run_for(test::kRigMoment);
    }
    rig.link_up(test::kLink20, test::kNode20);
    for (int tries = 0; tries < 1000 && rig.released.size() < count; ++tries)
        rig.run_for(test::kRigMoment);
    if (rig.released.size() != count) stop("bundles are missing");
}

}  // namespace
}  // namespace farlink

int main(int argc, char **argv) {
    if (argc != 4) farlink::stop("usage: data_path forward|store COUNT BYTES");
    const std::size_t count = std::strtoul(argv[2], nullptr, 10);
    const std::size_t bytes = std::strtoul(argv[3], nullptr, 10);
    if (std::string_view(argv[1]) == "store")
        farlink::store(count, bytes);
    else
        farlink::forward(count, bytes);
}
