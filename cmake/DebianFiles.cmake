# SPDX-License-Identifier: Apache-2.0
# Runs within CPack, before the staged files become a package: what Debian wants in other places and
# forms than `cmake --install` has it.
set(debian ${CPACK_FARLINK_SOURCE_DIR}/packaging/debian)
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
set(doc ${share}/doc/farlink)
set(own ${CPACK_TEMPORARY_DIRECTORY}/usr/lib/farlink)

file(REMOVE ${doc}/LICENSE)
file(COPY ${debian}/copyright DESTINATION ${doc})
file(RENAME ${doc}/CHANGELOG.md ${doc}/changelog)
configure_file(${debian}/changelog ${doc}/changelog.Debian COPYONLY)
file(COPY ${debian}/lintian-overrides DESTINATION ${share}/lintian/overrides)
file(RENAME ${share}/lintian/overrides/lintian-overrides ${share}/lintian/overrides/farlink)

file(GLOB pages ${share}/man/man1/*.1)
foreach(file ${pages} ${doc}/changelog ${doc}/changelog.Debian)
  execute_process(COMMAND gzip -9 --no-name --force ${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# Other packages for such networks install programs of these names, too: they lie in a folder of
# this package, and postinst links them.
foreach(program bping bpsendfile bpsink bptrace)
  if(EXISTS ${CPACK_TEMPORARY_DIRECTORY}/usr/bin/${program})
    file(MAKE_DIRECTORY ${own}/bin ${own}/man/man1)
    file(RENAME ${CPACK_TEMPORARY_DIRECTORY}/usr/bin/${program} ${own}/bin/${program})
    file(RENAME ${share}/man/man1/${program}.1.gz ${own}/man/man1/${program}.1.gz)
  endif()
endforeach()
