// SPDX-License-Identifier: Apache-2.0
// Prints what comes for a service of the node: farlink-receive SERVICE
#include <cstdio>

#include <farlink/client/endpoint.hpp>

int main(int argc, char **argv) {
    using namespace farlink::client;
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s SERVICE\n", argv[0]);
        return 2;
    }
    ConnectOptions options;
    options.registration.endpoint = argv[1];
    auto endpoint = Endpoint::connect(options);
    if (!endpoint) {
        std::fprintf(stderr, "%s\n", endpoint.error().reason.c_str());
        return 1;
    }
    for (;;) {
        const auto adu = endpoint->receive();
        if (!adu) {
            std::fprintf(stderr, "%s\n", adu.error().reason.c_str());
            return 1;
        }
        std::printf("%s: %.*s\n", adu->source.c_str(), static_cast<int>(adu->payload.size()),
                    reinterpret_cast<const char *>(adu->payload.data()));
        std::fflush(stdout);
        endpoint->accept(*adu);  // from now on the node may forget it
    }
}
