// SPDX-License-Identifier: Apache-2.0
// Sends one message: farlink-send DESTINATION TEXT
#include <cstdio>

#include <farlink/client/endpoint.hpp>

int main(int argc, char **argv) {
    using namespace farlink::client;
    if (argc != 3) {
        std::fprintf(stderr, "usage: %s DESTINATION TEXT\n", argv[0]);
        return 2;
    }
    auto endpoint = Endpoint::connect({});
    if (!endpoint) {
        std::fprintf(stderr, "%s\n", endpoint.error().reason.c_str());
        return 1;
    }
    const Sent sent = endpoint->send(argv[1], octets_of(argv[2]), {}, std::chrono::seconds(30));
    if (sent.error) {
        std::fprintf(stderr, "%s\n", sent.error->reason.c_str());
        return 1;
    }
    std::printf("%s\n", sent.id.to_string().c_str());
    return 0;
}
