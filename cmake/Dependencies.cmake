# SPDX-License-Identifier: Apache-2.0
# Debian 12's packages; farlink-dev installs them.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(GTest REQUIRED)
if(FARLINK_TLS)
  find_package(OpenSSL 3.0 REQUIRED)
endif()
pkg_check_modules(ZMQ REQUIRED IMPORTED_TARGET libzmq)
pkg_check_modules(URING REQUIRED IMPORTED_TARGET liburing)
pkg_check_modules(FUSE3 REQUIRED IMPORTED_TARGET fuse3)

# Asio is compiled once (common/runtime/asio.cpp), not in every file that includes it.
add_library(farlink_asio_headers INTERFACE)
target_compile_definitions(farlink_asio_headers INTERFACE
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_ASIO_NO_DEPRECATED BOOST_ERROR_CODE_HEADER_ONLY)
target_include_directories(farlink_asio_headers SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
target_link_libraries(farlink_asio_headers INTERFACE Threads::Threads)
