// SPDX-License-Identifier: Apache-2.0
// Signs and encrypts bundles as their source (RFC 9173), one by one: the integrity value covers the
// creation timestamp, so nothing of it can be made in advance.
// An interface, so that tools need no OpenSSL; owned by the tool's main().
// One thread.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"

namespace farlink::traffic {

/// Keys as "FILE" or "FILE:ID"; FILE may be a folder. Empty: none.
struct SealOptions {
    std::string sign;        ///< primary block and payload
    std::string encrypt;     ///< the payload, and the signatures
    std::uint64_t node = 0;  ///< of the security source

    [[nodiscard]] bool any() const { return !sign.empty() || !encrypt.empty(); }
};

class BundleSealer {
public:
    /// Octets that a bundle grows by, at most.
    static constexpr std::uint64_t kMostAdded = 1024;

    virtual ~BundleSealer() = default;
    /// A BPv7 bundle that is no fragment, protected; an error is a sentence. `now`: DTN
    /// milliseconds, at which the keys have to be valid.
    [[nodiscard]] virtual Result<Bytes, std::string> seal(std::span<const ByteView> bundle,
                                                          DtnTime now) = 0;
};

/// Reads the keys. Counters of initialization vectors lie in the folder `ivs` beside the file. An
/// error is a sentence with the option's name.
[[nodiscard]] Result<std::unique_ptr<BundleSealer>, std::string> make_sealer(
    const SealOptions &options, DtnTime now);

}  // namespace farlink::traffic
