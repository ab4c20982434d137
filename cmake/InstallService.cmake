# SPDX-License-Identifier: Apache-2.0
# Runs within `cmake --install`: the systemd units and what they need, with the paths of the prefix.
# As GNU's rules have it, the settings of what is in /usr lie in /etc.
if(CMAKE_INSTALL_PREFIX MATCHES "^/usr/?$")
  set(SYSCONFDIR /etc)
else()
  set(SYSCONFDIR ${CMAKE_INSTALL_PREFIX}/etc)
endif()

set(packaging ${FARLINK_SOURCE_DIR}/packaging)
set(library $ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/lib)
file(READ ${packaging}/systemd/hardening.conf HARDENING)
string(STRIP "${HARDENING}" HARDENING)
foreach(unit farlink.service farlink@.service farlink.target)
  message(STATUS "Installing: ${library}/systemd/system/${unit}")
  configure_file(${packaging}/systemd/${unit}.in ${library}/systemd/system/${unit} @ONLY)
endforeach()
message(STATUS "Installing: ${library}/tmpfiles.d/farlink.conf")
configure_file(${packaging}/systemd/tmpfiles.conf.in ${library}/tmpfiles.d/farlink.conf @ONLY)
file(INSTALL ${packaging}/processes/control.conf ${packaging}/processes/traffic.conf
     DESTINATION ${SYSCONFDIR}/farlink/processes)

file(RELATIVE_PATH examples ${DOCDIR} ${DATADIR}/farlink/examples)
file(CREATE_LINK ${examples} $ENV{DESTDIR}${DOCDIR}/examples SYMBOLIC)
