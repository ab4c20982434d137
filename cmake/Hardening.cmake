# SPDX-License-Identifier: Apache-2.0
# What an optimized build does against faults in its own memory handling. Sanitizers find more, and
# do not go with some of it. tests/packaging/hardening_test.py reads all of it from the programs;
# docs/adr/0022-hardened-builds.md says what it costs.

# A program lies where the loader likes. CMAKE_POSITION_INDEPENDENT_CODE would compile libraries
# with -fPIC, whose calls are slower.
add_compile_options(-fPIE)
add_link_options(-pie)

# What the loader has resolved is read-only from then on.
add_link_options(LINKER:-z,relro,-z,now)

if(NOT FARLINK_SANITIZE)
  # An index past the end of a span, an empty optional: the process ends instead of going on.
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
  add_compile_options(-fstack-protector-strong -fstack-clash-protection)
  # The C library's checks know sizes only in optimized code.
  add_compile_options($<$<CONFIG:Release>:-U_FORTIFY_SOURCE>
                      $<$<CONFIG:Release>:-D_FORTIFY_SOURCE=3>)
  if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    # Indirect calls land on endbr64, and returns are compared with a shadow stack, where processor
    # and kernel have these. Debian's start-up object is marked for neither, so the linker leaves
    # out both marks. Its code goes with a shadow stack; for the other it lacks an endbr64.
    add_compile_options(-fcf-protection=full)
    add_link_options(LINKER:-z,shstk)
  endif()
endif()
