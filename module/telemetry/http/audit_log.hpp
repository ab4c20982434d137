// SPDX-License-Identifier: Apache-2.0
// Who has changed what by the API: one line of JSON a change, at the end of a file and in the log.
// Owned by the server; its thread only.
// docs/guide/api.md lists the members of a line.
#pragma once

#include <string>

#include "common/runtime/file_descriptor.hpp"
#include "common/runtime/log.hpp"
#include "module/telemetry/core/json.hpp"

namespace farlink::telemetry {

/// A change that was asked for.
struct AuditEntry {
    std::string time;
    std::string who;      ///< token and address
    std::string request;  ///< method and target
    std::string change;
    unsigned status = 0;  ///< of the answer
    std::string detail;   ///< why not, when it was not done
};

class AuditLog {
public:
    explicit AuditLog(std::string path) : path_(std::move(path)) {}

    /// What is wrong with the file, or nothing.
    [[nodiscard]] std::string open();
    void write(const AuditEntry &entry);

private:
    [[nodiscard]] bool follow();
    [[nodiscard]] bool append(std::string_view line);

    std::string path_;
    FileDescriptor file_;
    Logger log_{"audit"};
};

}  // namespace farlink::telemetry
