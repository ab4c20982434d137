// SPDX-License-Identifier: Apache-2.0
// The settings that the guide (docs/guide/links.md) recommends for links with long delays or
// losses, as a URL or as part of a node's configuration.
// A value; owned by a test. Any thread.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/child_process.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/tool_programs.hpp"

namespace farlink::test {

/// Whether this build has TLS.
#if FARLINK_TLS
inline constexpr bool kTls = true;
#else
inline constexpr bool kTls = false;
#endif

struct LinkSettings {
    std::string layer;  ///< a scheme, or "tls"
    int one_way_ms = 0;
    std::string certificates{};  ///< the folder with the certificates of each node, for "tls"

    [[nodiscard]] std::string scheme() const { return layer == "tls" ? "tcpclv4" : layer; }
    [[nodiscard]] bool both_ways() const { return layer.starts_with("t") || layer == "ltp"; }

    [[nodiscard]] std::string url(const std::string &host, int port, int node) const {
        std::string text = scheme() + "://" + host + ":" + std::to_string(port);
        char before = '?';
        const nlohmann::json options = keys(node);
        for (const auto &[key, value] : options.items()) {
            text +=
                before + key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
            before = '&';
        }
        return text;
    }
    [[nodiscard]] nlohmann::json section(const std::string &host, int port, int node) const {
        nlohmann::json section = keys(node);
        section["url"] = scheme() + "://" + host + ":" + std::to_string(port);
        return section;
    }

private:
    [[nodiscard]] nlohmann::json keys(int node) const {
        nlohmann::json keys = nlohmann::json::object();
        if (layer == "ltp") {
            keys["oneWayLightTimeMs"] = one_way_ms;
            keys["ltpMaxRetriesPerSerialNumber"] = 20;
        } else if (layer.starts_with("t")) {
            keys["handshakeTimeoutSeconds"] = 60;
            keys["keepAliveIntervalSeconds"] = 60;
        }
        if (layer == "tls") {
            const std::string own = certificates + "/ipn-" + std::to_string(node);
            keys["tls"] = "required";
            keys["ca"] = certificates + "/ca.pem";
            keys["cert"] = own + ".pem";
            keys["key"] = own + ".key";
        }
        return keys;
    }
};

/// Makes an authority and a certificate for each of `nodes`.
inline void make_certificates(const TempFolder &folder, const std::vector<int> &nodes) {
    if (!kTls) return;
    std::vector<std::string> words{program("farlinkctl"), "cert", "make", "--dir",
                                   folder.path().string()};
    for (const int node : nodes)
        words = joined(words, {"--node", "ipn:" + std::to_string(node) + ".0"});
    ChildProcess make(words);
    EXPECT_EQ(make.wait(), 0) << make.unread(ChildProcess::kErr);
}

}  // namespace farlink::test
