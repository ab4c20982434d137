// SPDX-License-Identifier: Apache-2.0
// Makes a configuration and a contact plan of the files of an ION node.
// A plain function on texts; any thread.
// Nothing is thrown; if any command is refused, there is no configuration, and all are reported.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "common/base/time.hpp"
#include "common/config_import/imported.hpp"
#include "common/config_import/ion/ion_source.hpp"

namespace farlink::config {

struct IonImportOptions {
    std::optional<std::uint64_t> node{};  ///< where no file states it
    std::optional<DtnTime> now{};         ///< from when `+seconds` count beside times in UTC
    std::string user{};                   ///< whose applications may register the endpoints
};

[[nodiscard]] Imported import_ion(std::span<const IonFile> files,
                                  const IonImportOptions &options = {});

}  // namespace farlink::config
