// SPDX-License-Identifier: Apache-2.0
#include "apps/bpinspect/program.hpp"

int main(int argc, char **argv) {
    return farlink::inspect::run_program(argc, argv);
}
