# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` installs: programs, manual pages, completion, the guide, examples, the
# dashboard and systemd units.
include(GNUInstallDirs)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

set(FARLINK_PROGRAMS farlink farlinkctl bping bpgen bpinspect bpreceive bpsend bpsink bptrace
    bptunnel farlink-cfdp farlink-cfdpd linkemu ltpsend ltprecv)
if(FARLINK_TLS)
  list(APPEND FARLINK_PROGRAMS bpsendfile bpreceivefile)
endif()
install(TARGETS ${FARLINK_PROGRAMS} RUNTIME)

# A manual page is what the program itself says. Programs with sanitizers are not installed.
if(NOT FARLINK_SANITIZE)
  set(pages "")
  foreach(program ${FARLINK_PROGRAMS})
    set(page ${CMAKE_BINARY_DIR}/man/${program}.1)
    add_custom_command(OUTPUT ${page}
      COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/man_page.py
              $<TARGET_FILE:${program}> --version ${PROJECT_VERSION} -o ${page}
      DEPENDS ${program} ${CMAKE_SOURCE_DIR}/tools/man_page.py
              ${CMAKE_SOURCE_DIR}/tools/help_text.py ${CMAKE_SOURCE_DIR}/packaging/man/pages.toml
              ${CMAKE_SOURCE_DIR}/packaging/debian/changelog
      VERBATIM)
    list(APPEND pages ${page})
  endforeach()
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/man)
  add_custom_target(man ALL DEPENDS ${pages})
  install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()

# Completion for bash: farlinkctl prints its own; for the other tools it is made from their --help.
if(NOT FARLINK_SANITIZE)
  set(completion ${CMAKE_BINARY_DIR}/completion/farlinkctl)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/completion)
  add_custom_command(OUTPUT ${completion}
    COMMAND farlinkctl completion bash > ${completion}
    DEPENDS farlinkctl VERBATIM)
  set(completions ${completion})
  foreach(program ${FARLINK_PROGRAMS})
    if(NOT program MATCHES "^(farlink|farlinkctl)$")
      set(script ${CMAKE_BINARY_DIR}/completion/${program})
      add_custom_command(OUTPUT ${script}
        COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/completion.py
                $<TARGET_FILE:${program}> -o ${script}
        DEPENDS ${program} ${CMAKE_SOURCE_DIR}/tools/completion.py
                ${CMAKE_SOURCE_DIR}/tools/help_text.py
        VERBATIM)
      list(APPEND completions ${script})
    endif()
  endforeach()
  add_custom_target(completion ALL DEPENDS ${completions})
  install(FILES ${completions} DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
endif()

# The software bill of materials of these programs.
if(NOT FARLINK_SANITIZE)
  set(bill ${CMAKE_BINARY_DIR}/farlink.spdx.json)
  set(program_files "")
  foreach(program ${FARLINK_PROGRAMS})
    list(APPEND program_files $<TARGET_FILE:${program}>)
  endforeach()
  add_custom_command(OUTPUT ${bill}
    COMMAND ${Python3_EXECUTABLE} ${CMAKE_SOURCE_DIR}/tools/sbom.py
            --version ${PROJECT_VERSION} -o ${bill} ${program_files}
    DEPENDS ${FARLINK_PROGRAMS} ${CMAKE_SOURCE_DIR}/tools/sbom.py
            ${CMAKE_SOURCE_DIR}/webui/package-lock.json
    VERBATIM)
  add_custom_target(sbom ALL DEPENDS ${bill})
  install(FILES ${bill} DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

# All of that, for whoever installs without building the tests.
add_custom_target(installed DEPENDS ${FARLINK_PROGRAMS} webui)
if(NOT FARLINK_SANITIZE)
  add_dependencies(installed man completion sbom)
endif()

install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE CHANGELOG.md SECURITY.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The examples name their schemas and contact plans by relative paths.
install(DIRECTORY config/ DESTINATION ${CMAKE_INSTALL_DATADIR}/farlink)
# For those who watch nodes: alert rules, a board, programs that pass an alarm on.
foreach(folder prometheus grafana)
  install(DIRECTORY packaging/${folder}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/farlink/${folder})
endforeach()
install(DIRECTORY packaging/hooks/ DESTINATION ${CMAKE_INSTALL_DATADIR}/farlink/hooks
        USE_SOURCE_PERMISSIONS)
# The dashboard, as webui/CMakeLists.txt has made it or as it is shipped.
install(DIRECTORY ${CMAKE_BINARY_DIR}/webui/ DESTINATION ${CMAKE_INSTALL_DATADIR}/farlink/webui)
install(FILES packaging/systemd/sysusers.conf DESTINATION lib/sysusers.d RENAME farlink.conf)

# What holds the paths that are only known when the prefix is.
install(CODE "
  set(FARLINK_SOURCE_DIR \"${CMAKE_SOURCE_DIR}\")
  set(FARLINK_BINARY_DIR \"${CMAKE_BINARY_DIR}\")
  set(BINDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}\")
  set(DOCDIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DOCDIR}\")
  set(DATADIR \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")")
install(SCRIPT cmake/InstallService.cmake)
