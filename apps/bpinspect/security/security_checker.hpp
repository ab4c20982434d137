// SPDX-License-Identifier: Apache-2.0
// Verifies and decrypts the security operations of a bundle with the keys of a folder.
// An interface, so that the rest needs no OpenSSL; owned by bpinspect's main().
// One thread.
#pragma once

#include <memory>
#include <string>

#include "apps/bpinspect/core/inspection.hpp"
#include "common/base/bytes.hpp"
#include "common/base/result.hpp"

namespace farlink::inspect {

class SecurityChecker {
public:
    virtual ~SecurityChecker() = default;
    /// Of a BPv7 bundle; any octets at all. A key counts that was valid when the bundle was made.
    [[nodiscard]] virtual SecurityResult check(ByteView bundle) = 0;
};

/// Reads the keys of a file, or of a folder; an error is a sentence.
[[nodiscard]] Result<std::unique_ptr<SecurityChecker>, std::string> make_security_checker(
    const std::string &keys);

}  // namespace farlink::inspect
