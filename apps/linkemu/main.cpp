// SPDX-License-Identifier: Apache-2.0
#include "apps/linkemu/program.hpp"

int main(int argc, char **argv) {
    return farlink::linkemu::run_program(argc, argv);
}
