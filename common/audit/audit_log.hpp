// SPDX-License-Identifier: Apache-2.0
// The audit of changes: one line of JSON per change, appended to a file, and a log line.
// Owned by the API's server and by the supervisor, each with its own on the same file; one thread.
// docs/guide/api.md lists the members of a line.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "common/base/time.hpp"
#include "common/runtime/file_descriptor.hpp"
#include "common/runtime/log/log.hpp"

namespace farlink {

/// A requested change.
struct AuditEntry {
    DtnTime time = 0;
    std::string who;     ///< token and address, or user
    std::string change;  ///< the command
    std::string values;  ///< its parameters, by audit_values(); may be empty
    bool done = false;   ///< otherwise refused, for the reason in `detail`
    std::string detail{};
    std::string request{};  ///< by HTTP: method and target
    unsigned status = 0;    ///< by HTTP: of the answer
};

/// The parameters of a command for the audit, as JSON: without the command itself and places of
/// secrets; for a long list its length, for a request too large for a line its size.
[[nodiscard]] std::string audit_values(std::string_view request);
/// The same for a parsed request of `bytes` octets.
[[nodiscard]] std::string audit_values(const nlohmann::ordered_json &request, std::size_t bytes);

class AuditLog {
public:
    explicit AuditLog(std::string path) : path_(std::move(path)) {}

    /// Opens the file; returns the error, or an empty text. The first change opens it, too.
    [[nodiscard]] std::string open();
    void write(const AuditEntry &entry);

private:
    [[nodiscard]] bool follow();
    [[nodiscard]] bool append(std::string_view line);

    std::string path_;
    FileDescriptor file_;
    Logger log_{"audit"};
};

}  // namespace farlink
