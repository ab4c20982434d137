// SPDX-License-Identifier: Apache-2.0
// Bundles from the node to an output: accepted once they are written.
// Owned by bpreceive's main(), whose thread runs it; finish() may be called by another thread, and
// then waits until the bundles at hand are written and accepted.
#pragma once

#include <chrono>
#include <cstdint>
#include <farlink/client/endpoint.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "apps/bpreceive/folder_output.hpp"
#include "apps/bpreceive/options.hpp"
#include "apps/bpreceive/output.hpp"
#include "apps/shared/messages/octet_writer.hpp"

namespace farlink::bpreceive {

class Receiving {
public:
    /// `endpoint` is borrowed. `folder`: the output if it is one.
    Receiving(client::Endpoint &endpoint, const Arguments &arguments,
              std::unique_ptr<Output> output, const FolderOutput *folder);

    /// Returns at the count, after a time without a bundle, or with an error, which is kept.
    void run();
    /// The error and the summary; further calls print nothing. The exit code.
    int finish();

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] bool enough() const { return count_ > 0 && received_ >= count_; }
    [[nodiscard]] std::size_t most() const;
    void handle_none(const client::Error &error);
    [[nodiscard]] std::string take(std::span<const client::Adu> adus);
    [[nodiscard]] std::string write_lines(std::span<const client::Adu> adus);
    void accept(std::span<const client::Adu> adus);
    void show_progress();

    client::Endpoint &endpoint_;
    std::unique_ptr<Output> output_;
    const FolderOutput *folder_;
    messages::OctetWriter lines_;
    std::uint64_t count_;
    std::size_t window_;
    std::optional<std::chrono::milliseconds> timeout_;
    bool json_;
    bool json_payload_;
    bool progress_;

    std::mutex mutex_;  ///< of what follows
    bool finished_ = false;
    std::string error_;
    std::uint64_t received_ = 0;
    std::uint64_t repeated_ = 0;
    std::uint64_t bytes_ = 0;
    Clock::time_point shown_ = Clock::now();
};

}  // namespace farlink::bpreceive
