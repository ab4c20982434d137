// SPDX-License-Identifier: Apache-2.0
#include "apps/farlinkctl/store_node/node_bundles.hpp"

#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/farlinkctl/node/control_print.hpp"
#include "apps/farlinkctl/shared/failed.hpp"
#include "apps/farlinkctl/shared/reply_table.hpp"
#include "apps/farlinkctl/store_files/decoded_print.hpp"
#include "apps/farlinkctl/store_files/store_print.hpp"
#include "apps/shared/control/control_client.hpp"
#include "common/codec/crc.hpp"
#include "module/control/core/json/base64.hpp"

namespace farlink::ctl {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char *kEverything = "*:**";
constexpr std::uint64_t kRowsAtOnce = 1000;

/// Prints what the node refuses.
int refused(const StorageOptions &options, const Json &reply) {
    if (options.json)
        print_line(reply);
    else
        print_refusal(reply);
    return kExitFailed;
}

std::string hex_of(std::uint32_t crc) {
    std::array<char, 9> text{};
    std::snprintf(text.data(), text.size(), "%08x", static_cast<unsigned>(crc));
    return text.data();
}

/// One bundle on its way into a file.
class Export {
public:
    Export(const std::string &socket, std::string bundle, std::string file)
        : socket_(socket), bundle_(std::move(bundle)), file_(std::move(file)) {}

    /// Null on success; else the reply with the reason.
    Result<Json, std::string> run() {
        for (bool more = true; more;) {
            const auto reply = ask_node(socket_, {{"command", "storage export"},
                                                  {"bundle", bundle_},
                                                  {"stripe", stripe_},
                                                  {"offset", offset_}});
            if (!reply) return fail(reply.error());
            if (reply->at("ok") != true) return *reply;
            const auto octets = control::from_base64(reply->value("octets", std::string()));
            if (!octets || octets->empty())
                return fail(socket_ + ": reply is not from a farlink node");
            if (const std::string wrong = take(*octets, *reply); !wrong.empty()) return fail(wrong);
            more = is_true(*reply, "more");
        }
        if (!out_.flush()) return fail(file_ + ": cannot be written");
        return Json();
    }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

private:
    /// What is wrong, or nothing. The file is made when there is something to write.
    std::string take(ByteView octets, const Json &reply) {
        if (!out_.is_open()) out_.open(file_, std::ios::binary | std::ios::trunc);
        out_.write(as_text(octets).data(), static_cast<std::streamsize>(octets.size()));
        if (!out_) return file_ + ": cannot be written";
        bytes_ += octets.size();
        offset_ += octets.size();
        crc_ = codec::crc32c_extend(crc_, octets);
        // Each stripe has a checksum, or each piece of a bundle in pieces.
        const bool in_pieces = reply.contains("pieceCrc32c");
        const char *const end = in_pieces ? "pieceEnd" : "stripeBytes";
        if (offset_ < reply.value(end, std::uint64_t{0})) return {};
        const std::string expected =
            reply.value(in_pieces ? "pieceCrc32c" : "stripeCrc32c", std::string());
        const std::string found = hex_of(std::exchange(crc_, 0));
        if (!in_pieces) {
            ++stripe_;
            offset_ = 0;
        }
        if (found == expected) return {};
        return file_ + ": the bundle is damaged on disk: its checksum is " + found + ", and was " +
               expected + " when it was written; the file contains the bytes that could be read";
    }

    const std::string &socket_;
    std::string bundle_;
    std::string file_;
    std::ofstream out_;
    std::uint64_t stripe_ = 0;
    std::uint64_t offset_ = 0;  ///< in the stripe
    std::uint64_t bytes_ = 0;
    std::uint32_t crc_ = 0;  ///< of the stripe, or of the piece, so far
};

/// The numbers of the bundles that are meant; null is replaced by the reply that refuses.
Result<std::vector<std::string>, std::string> names_of(const std::string &socket,
                                                       const StorageOptions &options,
                                                       Json &refusal) {
    if (!options.bundles.empty()) return options.bundles;
    std::vector<std::string> names;
    Json request{{"command", "storage list"},
                 {"destination", options.all ? kEverything : options.destination},
                 {"limit", kRowsAtOnce}};
    for (;;) {
        const auto reply = ask_node(socket, request);
        if (!reply) return fail(reply.error());
        if (reply->at("ok") != true) {
            refusal = *reply;
            return names;
        }
        for (const Json &bundle : reply->at("bundles"))
            if (text(bundle, "state") != "unreadable") names.push_back(text(bundle, "bundle"));
        if (!is_true(*reply, "more")) return names;
        request["after"] = reply->at("next");
    }
}

}  // namespace

int export_kept(const StorageOptions &options) {
    const auto socket = socket_of(options.node);
    if (!socket) return failed(socket.error());
    Json refusal;
    const auto names = names_of(*socket, options, refusal);
    if (!names) return failed(names.error());
    if (!refusal.is_null()) return refused(options, refusal);
    std::error_code error;
    if (!options.out.empty()) std::filesystem::create_directories(options.out, error);
    if (error) return failed(options.out + ": " + error.message());
    int exit_code = kExitClean;
    for (const std::string &name : *names) {
        const std::filesystem::path folder(options.out);
        const std::string file =
            options.output.empty() ? (folder / (name + ".bundle")).string() : options.output;
        Export one(*socket, name, file);
        const auto done = one.run();
        if (!done) {
            exit_code = failed(done.error());
        } else if (!done->is_null()) {
            // Of those that were listed some may have gone since.
            const bool gone = options.bundles.empty() && text(*done, "reason") == "notFound";
            if (!gone) exit_code = refused(options, *done);
        } else if (options.json) {
            print_line({{"bundle", name}, {"file", file}, {"bytes", one.bytes()}});
        } else {
            std::printf("%s  %s\n", name.c_str(), file.c_str());
        }
    }
    return exit_code;
}

int show_decoded(const StorageOptions &options) {
    const auto socket = socket_of(options.node);
    if (!socket) return failed(socket.error());
    int exit_code = kExitClean;
    bool first = true;
    for (const std::string &name : options.bundles) {
        const auto reply = ask_node(*socket, {{"command", "storage decode"}, {"bundle", name}});
        if (!reply) return failed(reply.error());
        if (reply->at("ok") != true) {
            exit_code = refused(options, *reply);
        } else if (options.json) {
            print_line(*reply);
        } else {
            if (!std::exchange(first, false)) std::puts("");
            print_decoded(reply->at("bundle"));
        }
    }
    return exit_code;
}

}  // namespace farlink::ctl
