// SPDX-License-Identifier: Apache-2.0
#include "apps/bptunnel/program.hpp"

int main(int argc, char **argv) {
    return farlink::bptunnel::run_program(argc, argv);
}
