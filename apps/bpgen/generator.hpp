// SPDX-License-Identifier: Apache-2.0
// Sends the bundles of one run over one STCP connection, at a rate or as fast as it can.
// Owned by bpgen's main(); one thread.
// A lost connection ends the run: what a lost run would prove is not worth reconnecting for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "apps/traffic/bundle_template.hpp"
#include "apps/traffic/pacer.hpp"
#include "apps/traffic/payload.hpp"
#include "apps/traffic/send_group.hpp"
#include "apps/traffic/socket.hpp"
#include "common/base/time.hpp"
#include "common/config/node_config.hpp"

namespace farlink::bpgen {

struct GeneratorOptions {
    config::LinkUrl via;
    traffic::BundleOptions bundle;
    double bundle_rate = 0;            ///< bundles a second; 0: as fast as possible
    std::optional<Duration> duration;  ///< none: until `bundles` or a signal
    std::uint64_t bundles = 0;         ///< 0: until `duration` or a signal
    Duration connect_timeout{};        ///< for the first connection
    Duration acknowledge_timeout{};    ///< how long the end may wait without progress
};

struct GeneratorReport {
    std::uint64_t run = 0;
    std::uint64_t bundles = 0;
    std::uint64_t wire_bytes = 0;  ///< with bundle headers and STCP's lengths
    double seconds = 0;            ///< from the first write to the last
    bool acknowledged = false;     ///< the peer's kernel has all octets
    std::string error;             ///< empty when all went well
};

class Generator {
public:
    /// `bundles` writes the bundles, `run` is the payload headers' run number.
    Generator(const GeneratorOptions &options, traffic::BundleTemplate &bundles,
              const traffic::Pattern &pattern, std::uint64_t run);

    /// Connects, sends and waits for the acknowledgement; returns also on a stop signal.
    [[nodiscard]] GeneratorReport run();

private:
    [[nodiscard]] std::string connect();
    [[nodiscard]] std::string send_all();
    [[nodiscard]] std::string send_group(std::uint64_t at_most);
    [[nodiscard]] std::string send_last();
    [[nodiscard]] std::string wait_for_acknowledgement();

    GeneratorOptions options_;
    traffic::SendGroup group_;
    traffic::PayloadHeader next_;
    traffic::Socket socket_;
    std::uint64_t wire_bytes_ = 0;
};

}  // namespace farlink::bpgen
