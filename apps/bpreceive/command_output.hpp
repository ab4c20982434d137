// SPDX-License-Identifier: Apache-2.0
// A command of the shell for each bundle.
// Owned by Receiving; one thread at a time.
// The payload is a file in memory, so that a command need not read all of it.
#pragma once

#include <string>

#include "apps/bpreceive/output.hpp"

namespace farlink::bpreceive {

class CommandOutput final : public Output {
public:
    explicit CommandOutput(std::string command) : command_(std::move(command)) {}

    /// Runs the command to its end.
    [[nodiscard]] std::string write(const client::Adu &adu) override;

private:
    std::string command_;
};

}  // namespace farlink::bpreceive
