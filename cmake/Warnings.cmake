# SPDX-License-Identifier: Apache-2.0
# Warnings are errors; sanitizers come from the preset. Tests leave -Wconversion out, and so
# does clang, whose own has changes of sign as well.
add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Wold-style-cast
                    -Woverloaded-virtual -Wcast-qual -Wunused
                    $<$<CXX_COMPILER_ID:GNU>:-Wconversion> -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 sees overflows in its own library's std::vector and std::variant code at -O2.
  add_compile_options(-Wno-stringop-overflow -Wno-array-bounds -Wno-maybe-uninitialized
                      -Wno-restrict)
else()
  # clang 19 finds deprecated names inside libstdc++ 12.
  add_compile_options(-Wno-deprecated-declarations)
endif()
add_compile_options(-fno-omit-frame-pointer)
# The compiler collects its garbage less often, for about 400 MB more of memory in each process.
add_compile_options($<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)
include_directories(${CMAKE_SOURCE_DIR})

if(FARLINK_SANITIZE)
  add_compile_options(-fsanitize=${FARLINK_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${FARLINK_SANITIZE})
  if(FARLINK_SANITIZE MATCHES "thread")
    # std::atomic_thread_fence is not modelled by tsan; farlink uses none.
    add_compile_options(-Wno-tsan)
  endif()
endif()
