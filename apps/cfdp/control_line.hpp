// SPDX-License-Identifier: Apache-2.0
// The connection to farlink-cfdpd: a line of JSON each way.
// Owned by farlink-cfdp's main(); one thread.
// Errors are texts for people.
#pragma once

#include <string>
#include <vector>

#include "common/base/result.hpp"
#include "common/runtime/file_descriptor.hpp"

namespace farlink::cfdp_command {

class ControlLine {
public:
    [[nodiscard]] static Result<ControlLine, std::string> connect(const std::string &path);
    /// The reply to a line, both without their ends.
    [[nodiscard]] Result<std::string, std::string> ask(const std::string &line);
    /// The same of several lines, which the daemon answers together.
    [[nodiscard]] Result<std::vector<std::string>, std::string> ask_all(
        const std::vector<std::string> &lines);

private:
    explicit ControlLine(FileDescriptor socket) : socket_(std::move(socket)) {}
    /// Empty: it is sent.
    [[nodiscard]] std::string send(const std::string &text);
    [[nodiscard]] Result<std::string, std::string> receive();

    FileDescriptor socket_;
    std::string input_;
};

}  // namespace farlink::cfdp_command
