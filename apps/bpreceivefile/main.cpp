// SPDX-License-Identifier: Apache-2.0
#include "apps/bpreceivefile/program.hpp"

int main(int argc, char **argv) {
    return farlink::bpreceivefile::run_program(argc, argv);
}
