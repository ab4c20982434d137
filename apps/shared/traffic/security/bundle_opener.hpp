// SPDX-License-Identifier: Apache-2.0
// Verifies and decrypts bundles at their destination (RFC 9173), and counts what came of it.
// An interface, so that tools need no OpenSSL; owned by the tool's main().
// One thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "common/base/bytes.hpp"
#include "common/base/result.hpp"
#include "common/base/time.hpp"

namespace farlink::traffic {

/// Keys as "FILE" or "FILE:ID"; without an id, each key of the file. Empty: no such check.
struct OpenOptions {
    std::string verify;   ///< the payload, and whatever else is signed
    std::string decrypt;  ///< the payload, and whatever else is encrypted

    [[nodiscard]] bool any() const { return !verify.empty() || !decrypt.empty(); }
};

/// Bundles.
struct OpenTotals {
    std::uint64_t verified = 0;   ///< signed, and each signature is valid
    std::uint64_t decrypted = 0;  ///< encrypted, and all of it could be decrypted
    std::uint64_t failed = 0;     ///< with an operation that fails
    std::uint64_t missing = 0;    ///< whose payload is not signed, or not encrypted
    std::map<std::string_view, std::uint64_t> faults{};  ///< operations that failed, by fault

    [[nodiscard]] bool flawless() const { return failed == 0 && missing == 0; }
};

class BundleOpener {
public:
    virtual ~BundleOpener() = default;
    /// The bundle without what was decrypted, or as it came where nothing was; valid until the next
    /// call. What is no bundle is not counted. `now`: DTN milliseconds.
    [[nodiscard]] virtual std::span<const ByteView> open(std::span<const ByteView> bundle,
                                                         DtnTime now) = 0;
    [[nodiscard]] virtual const OpenTotals &totals() const = 0;
};

/// Reads the keys; an error is a sentence with the option's name.
[[nodiscard]] Result<std::unique_ptr<BundleOpener>, std::string> make_opener(
    const OpenOptions &options);

}  // namespace farlink::traffic
