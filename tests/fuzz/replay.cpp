// SPDX-License-Identifier: Apache-2.0
// Gives a fuzz target every file of its corpus once, so that ctest repeats what fuzzing has found
// with any compiler. Usage: TARGET FOLDER; a missing folder is an error, an empty one too.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "common/base/bytes.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

int main(int argc, char **argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: %s CORPUS\n", argv[0]);
        return 2;
    }
    std::error_code fault;
    std::size_t inputs = 0;
    for (const auto &entry : std::filesystem::directory_iterator(argv[1], fault)) {
        std::ifstream file(entry.path(), std::ios::binary);
        const std::vector<char> octets{std::istreambuf_iterator<char>(file), {}};
        const auto view = farlink::as_bytes({octets.data(), octets.size()});
        LLVMFuzzerTestOneInput(view.data(), view.size());
        ++inputs;
    }
    std::printf("%zu inputs of %s\n", inputs, argv[1]);
    return inputs > 0 ? 0 : 1;
}
