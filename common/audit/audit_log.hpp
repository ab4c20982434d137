// SPDX-License-Identifier: Apache-2.0
// Who has changed what: one line of JSON a change, at the end of a file and in the log.
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

/// A change that was asked for.
struct AuditEntry {
    DtnTime time = 0;
    std::string who;     ///< token and address, or user
    std::string change;  ///< the command
    std::string values;  ///< with what it was asked: audit_values(); empty: nothing
    bool done = false;   ///< otherwise refused, for the reason in `detail`
    std::string detail{};
    std::string request{};  ///< by HTTP: method and target
    unsigned status = 0;    ///< by HTTP: of the answer
};

/// The members of a command in JSON that an audit repeats, as JSON: not the command itself, nor
/// places of secrets; of a long list its length, of a request too large for a line its octets.
[[nodiscard]] std::string audit_values(std::string_view request);
/// Of a request of `bytes` octets that is parsed already.
[[nodiscard]] std::string audit_values(const nlohmann::ordered_json &request, std::size_t bytes);

class AuditLog {
public:
    explicit AuditLog(std::string path) : path_(std::move(path)) {}

    /// What is wrong with the file, or nothing. The first change opens it, too.
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
