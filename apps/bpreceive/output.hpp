// SPDX-License-Identifier: Apache-2.0
// Where payloads go.
// Owned by Receiving; one thread at a time.
// Errors are texts for people; empty: done.
#pragma once

#include <farlink/client/types.hpp>
#include <memory>
#include <string>

#include "apps/shared/messages/octet_writer.hpp"

namespace farlink::bpreceive {

class Output {
public:
    virtual ~Output() = default;
    /// After an error the ADU is not written; whether those before it are is left to flush().
    [[nodiscard]] virtual std::string write(const client::Adu &adu) = 0;
    /// What was written is safe, as far as this output goes. After an error none of it is.
    [[nodiscard]] virtual std::string flush() { return {}; }
};

/// Payloads one after another, to standard output.
class StreamOutput final : public Output {
public:
    StreamOutput(int descriptor, bool lines)
        : writer_(descriptor, "standard output"), lines_(lines) {}

    [[nodiscard]] std::string write(const client::Adu &adu) override;
    [[nodiscard]] std::string flush() override { return writer_.flush(); }

private:
    messages::OctetWriter writer_;
    bool lines_;
};

/// For payloads that are written as JSON only.
class NoOutput final : public Output {
public:
    [[nodiscard]] std::string write(const client::Adu &) override { return {}; }
};

}  // namespace farlink::bpreceive
