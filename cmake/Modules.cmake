# SPDX-License-Identifier: Apache-2.0
# farlink_unite(name [files]): FARLINK_UNITY compiles up to eight files of a library, or as many as
# given, as one: a third of the time from scratch. What belongs to one file only has a name that no
# other file of its library has.
function(farlink_unite name)
  set(files 8)
  if(ARGC GREATER 1)
    set(files ${ARGV1})
  endif()
  if(FARLINK_UNITY)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files})
  endif()
endfunction()

# farlink_cold(name...): what no bundle passes through. It is optimized less: its large templates
# (options, JSON, HTTP) compile in 55 to 70 % of the time.
function(farlink_cold)
  foreach(name ${ARGN})
    if(TARGET ${name})
      get_target_property(type ${name} TYPE)
      if(NOT type STREQUAL "INTERFACE_LIBRARY")
        target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-Og>)
        farlink_unite(${name} 40)
      endif()
    endif()
  endforeach()
endfunction()

# farlink_hot(file...): files of cold libraries through which each contact of a plan passes, tens of
# thousands at a time. To be called where the library is made.
function(farlink_hot)
  foreach(file ${ARGN})
    set_source_files_properties(${CMAKE_SOURCE_DIR}/${file} PROPERTIES
      COMPILE_OPTIONS $<$<CONFIG:Release>:-O2> SKIP_UNITY_BUILD_INCLUSION ON)
  endforeach()
endfunction()

# farlink_library(name folder... [LINK lib...]): a static library of the .cpp files of these folders
# (not of their sub-folders), as the include table of tools/layers.py draws its lines.
function(farlink_library name)
  cmake_parse_arguments(ARG "" "" "FOLDERS;LINK" ${ARGN})
  set(sources "")
  foreach(folder ${ARG_FOLDERS})
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
    list(APPEND sources ${found})
  endforeach()
  if(sources)
    add_library(${name} STATIC ${sources})
    target_link_libraries(${name} PUBLIC ${ARG_LINK})
    farlink_unite(${name})
  else()
    add_library(${name} INTERFACE)
    target_link_libraries(${name} INTERFACE ${ARG_LINK})
  endif()
endfunction()

# farlink_program(name folder [TESTED] [PARTS sub-folder...] [LINK lib...]): an executable of the
# .cpp files of a folder and of the named folders in it. TESTED: all but main.cpp is a library,
# NAME_parts, which tests link too.
function(farlink_program name folder)
  cmake_parse_arguments(ARG "TESTED" "" "PARTS;LINK" ${ARGN})
  set(sources "")
  foreach(part . ${ARG_PARTS})
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/${part}/*.cpp)
    list(APPEND sources ${found})
  endforeach()
  if(sources)
    if(ARG_TESTED)
      list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
      add_library(${name}_parts STATIC ${sources})
      target_link_libraries(${name}_parts PUBLIC ${ARG_LINK})
      farlink_unite(${name}_parts)
      set(sources ${CMAKE_SOURCE_DIR}/${folder}/main.cpp)
      set(ARG_LINK ${name}_parts)
    endif()
    add_executable(${name} ${sources})
    target_link_libraries(${name} PRIVATE ${ARG_LINK})
    farlink_unite(${name})
  endif()
endfunction()

# farlink_depend(name lib): links one more library, whether `name` has sources yet or not.
function(farlink_depend name lib)
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "INTERFACE_LIBRARY")
    target_link_libraries(${name} INTERFACE ${lib})
  else()
    target_link_libraries(${name} PUBLIC ${lib})
  endif()
endfunction()
