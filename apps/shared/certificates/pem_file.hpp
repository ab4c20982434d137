// SPDX-License-Identifier: Apache-2.0
// Writes a file atomically, so that a running node never reads a partial certificate.
// A plain function.
// Any thread.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.hpp"

namespace farlink::certificates {

enum class Secrecy : std::uint8_t {
    kPublic,   ///< mode 0644
    kPrivate,  ///< mode 0600 from the first moment
};

struct PemFile {
    std::string path;
    std::string text;
    Secrecy secrecy = Secrecy::kPublic;
};

/// Writes `file`, also over an older one; returns an error with the path, or an empty text.
[[nodiscard]] std::string write_whole(const PemFile &file);

}  // namespace farlink::certificates
