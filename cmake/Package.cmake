# SPDX-License-Identifier: Apache-2.0
# The Debian package: `cpack -G DEB` in a build folder, or ./farlink-dev package.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME farlink)
set(CPACK_PACKAGE_CONTACT "The farlink authors <farlink@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "router for delay-tolerant networks")
set(CPACK_PACKAGE_DESCRIPTION "\
farlink receives bundles (BPv7, RFC 9171; BPv6, RFC 5050), passes them straight
on while the link to the next hop is up, keeps them safely on disk while it is
down, and follows a contact plan that says when which link will be there. It
speaks TCPCLv4, TCPCLv3, LTP, STCP, MTCP and UDP.
.
The package has the router, its control program, systemd units for a node of
one process or of several, and programs that make, check and delay traffic.")
set(CPACK_STRIP_FILES ON)
# The prefix is /usr also for what is made at installation.
set(CPACK_SET_DESTDIR ON)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "\
systemd | systemd-standalone-sysusers | systemd-sysusers, \
systemd | systemd-standalone-tmpfiles | systemd-tmpfiles")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    ${CMAKE_SOURCE_DIR}/packaging/debian/conffiles ${CMAKE_SOURCE_DIR}/packaging/debian/postinst
    ${CMAKE_SOURCE_DIR}/packaging/debian/prerm ${CMAKE_SOURCE_DIR}/packaging/debian/postrm)
set(CPACK_FARLINK_SOURCE_DIR ${CMAKE_SOURCE_DIR})
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/DebianFiles.cmake)
include(CPack)
