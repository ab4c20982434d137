// SPDX-License-Identifier: Apache-2.0
#include "apps/bpsink/program.hpp"

int main(int argc, char **argv) {
    return farlink::bpsink::run_program(argc, argv);
}
