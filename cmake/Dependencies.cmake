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
  # Without it AES-GCM is OpenSSL's own. Debian's package has no .pc file.
  set(IPSEC_MB_FOUND FALSE)
  if(FARLINK_FAST_GCM)
    find_path(IPSEC_MB_INCLUDE_DIR intel-ipsec-mb.h)
    find_library(IPSEC_MB_LIBRARY IPSec_MB)
    if(IPSEC_MB_INCLUDE_DIR AND IPSEC_MB_LIBRARY)
      set(IPSEC_MB_FOUND TRUE)
    endif()
  endif()
  if(IPSEC_MB_FOUND)
    message(STATUS "AES-GCM for TLS: intel-ipsec-mb (${IPSEC_MB_LIBRARY}), or OpenSSL's own where "
                   "the processor has no AVX-512 with VAES")
  else()
    message(STATUS "AES-GCM for TLS: OpenSSL's own (intel-ipsec-mb not found or not wanted)")
  endif()
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
