# pentimento_folder(NAME [LINKS target...] [PRIVATE_LINKS target...] [TEST_LINKS target...] [HEADERS <header>...]
#                   [ALONE file...] [WITHOUT sub-folder])
#
# One source folder = one static library pentimento_NAME from its *.cc files, and, where the folder
# has *_test.cc files, one test program NAME_test that CTest runs. Headers are included from src/.
#
# Files of a folder are compiled a few at a time, as one: most of a file's time goes into headers and templates that its
# neighbours need as well. So a name in an anonymous namespace belongs to the folder, not to its file alone. Files that
# take long by themselves are named ALONE. A test program that takes longer than all others together is run in
# PENTIMENTO_TEST_PARTS_NAME parts, side by side.
#
# Headers of others that most files see are compiled once, with the folder `base`, and once more with its tests. A folder
# that names HEADERS has precompiled ones of its own, these included.

# Under ThreadSanitizer there are no tests of folders that start no threads, nor those that tests/tools/tsan_left_out.txt names
# because they would take most of an hour.
set(PENTIMENTO_UNTESTED_FOLDERS "")
set(PENTIMENTO_TEST_FILTER "")
if(PENTIMENTO_SANITIZE STREQUAL "thread")
  set(PENTIMENTO_UNTESTED_FOLDERS taxonomy policy ledger report)
  file(STRINGS "${CMAKE_SOURCE_DIR}/tests/tools/tsan_left_out.txt" left_out REGEX "^[A-Z]")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/tests/tools/tsan_left_out.txt")
  list(JOIN left_out ":" left_out)
  set(PENTIMENTO_TEST_FILTER "GTEST_FILTER=-${left_out}")
endif()

# Everything that CTest runs, and nothing else: the command itself is not part of it.
add_custom_target(test_programs)
set(PENTIMENTO_STANDARD_HEADERS <algorithm> <array> <filesystem> <functional> <map> <memory> <numeric> <optional> <set> <span> <string>
    <variant> <vector> <fmt/format.h>)

# pentimento_test(NAME PROGRAM [PARTS]): CTest runs the program, in so many parts. Programs in parts are begun first.
function(pentimento_test name program)
  set(command "$<TARGET_FILE:${program}>")
  set(environment "")
  if(PENTIMENTO_TEST_FILTER)
    set(environment "${PENTIMENTO_TEST_FILTER};")
  endif()
  set(parts 1)
  if(ARGC GREATER 2 AND ARGV2)
    set(parts ${ARGV2})
  endif()
  math(EXPR last "${parts} - 1")
  foreach(part RANGE 0 ${last})
    set(test ${name})
    if(parts GREATER 1)
      set(test ${name}_${part})
    endif()
    if(PENTIMENTO_SANITIZE)
      # .ci/run does not run again what has passed and is unchanged.
      add_test(NAME ${test} COMMAND "${CMAKE_SOURCE_DIR}/.venv/bin/python" "${CMAKE_SOURCE_DIR}/tests/tools/unless_unchanged.py" ${command})
      set_tests_properties(${test} PROPERTIES SKIP_RETURN_CODE 77)
    else()
      add_test(NAME ${test} COMMAND ${command})
    endif()
    set_tests_properties(${test} PROPERTIES COST ${parts}
                         ENVIRONMENT "${environment}GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${part}")
  endforeach()
  add_dependencies(test_programs ${program})
endfunction()

# pentimento_precompile(TARGET OWNER [<header>...]): the owner's precompiled headers serve the target too, which is compiled with
# the same options; the owner itself, and whoever names headers, has them made.
function(pentimento_precompile target owner)
  if(ARGN)
    target_precompile_headers(${target} PRIVATE ${ARGN} ${PENTIMENTO_STANDARD_HEADERS})
  elseif(target STREQUAL owner)
    target_precompile_headers(${target} PRIVATE ${PENTIMENTO_STANDARD_HEADERS})
  else()
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endif()
endfunction()

# pentimento_sources(TARGET BASE MOST FILE...): gives the target its files, which are compiled together, as one: those of one
# folder, at most MOST. More are faster from scratch, and slower after a change to one of them. BASE is a folder from which the
# target includes.
#
# What is compiled is a file of #include lines in the build folder. CMake can write such files itself (UNITY_BUILD), but with
# absolute paths in them, and then ccache finds nothing that another clone has compiled.
function(pentimento_sources target base most)
  if(NOT PENTIMENTO_TOGETHER)
    target_sources(${target} PRIVATE ${ARGN})
    return()
  endif()
  set(folders ${ARGN})
  list(TRANSFORM folders REPLACE "/[^/]*$" "")
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    set(files ${ARGN})
    list(FILTER files INCLUDE REGEX "^${folder}/[^/]*$")
    list(LENGTH files count)
    math(EXPR batches "(${count} + ${most} - 1) / ${most}")
    file(RELATIVE_PATH group "${base}" "${folder}")
    string(REPLACE "/" "_" group "${group}")
    foreach(batch RANGE 1 ${batches})
      math(EXPR first "${count} * (${batch} - 1) / ${batches}")
      math(EXPR length "${count} * ${batch} / ${batches} - ${first}")
      list(SUBLIST files ${first} ${length} together)
      pentimento_write_together("${CMAKE_BINARY_DIR}/together/${target}/${group}_${batch}_of_${batches}.cc" "${base}" ${together})
      target_sources(${target} PRIVATE "${CMAKE_BINARY_DIR}/together/${target}/${group}_${batch}_of_${batches}.cc")
    endforeach()
  endforeach()
endfunction()

# pentimento_write_together(OUT BASE FILE...): a file that includes the others; it is left alone where it says so already.
function(pentimento_write_together out base)
  set(text "// Written by cmake/Folder.cmake: files that are compiled as one.\n")
  foreach(file IN LISTS ARGN)
    file(RELATIVE_PATH name "${base}" "${file}")
    string(APPEND text "#include \"${name}\"\n")
  endforeach()
  file(CONFIGURE OUTPUT "${out}" CONTENT "${text}" @ONLY)
endfunction()

function(pentimento_folder name)
  cmake_parse_arguments(FOLDER "" "" "LINKS;PRIVATE_LINKS;TEST_LINKS;HEADERS;ALONE;WITHOUT" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${name}/*.cc")
  if(FOLDER_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "/src/${name}/${FOLDER_WITHOUT}/")
  endif()
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|_main|/main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  list(TRANSFORM FOLDER_ALONE PREPEND "${CMAKE_SOURCE_DIR}/src/${name}/")

  if(sources)
    add_library(pentimento_${name} STATIC ${FOLDER_ALONE})
    target_link_libraries(pentimento_${name} PUBLIC pentimento_flags ${FOLDER_LINKS} PRIVATE ${FOLDER_PRIVATE_LINKS})
    list(REMOVE_ITEM sources ${FOLDER_ALONE})
    pentimento_sources(pentimento_${name} "${CMAKE_SOURCE_DIR}/src" 24 ${sources})
    pentimento_precompile(pentimento_${name} pentimento_base ${FOLDER_HEADERS})
  else()
    add_library(pentimento_${name} INTERFACE)
    target_link_libraries(pentimento_${name} INTERFACE pentimento_flags ${FOLDER_LINKS})
  endif()

  if(tests AND PENTIMENTO_TESTS AND NOT name IN_LIST PENTIMENTO_UNTESTED_FOLDERS)
    add_executable(${name}_test)
    pentimento_sources(${name}_test "${CMAKE_SOURCE_DIR}/src" 8 ${tests})
    target_link_libraries(${name}_test PRIVATE pentimento_${name} ${FOLDER_TEST_LINKS} GTest::gtest_main)
    target_compile_options(${name}_test PRIVATE -O1)  # the code under test is optimized, its tests need not be
    if(name STREQUAL "base")
      pentimento_precompile(base_test base_test <gtest/gtest.h>)
    else()
      pentimento_precompile(${name}_test base_test)
    endif()
    pentimento_test(${name} ${name}_test ${PENTIMENTO_TEST_PARTS_${name}})
  endif()
endfunction()
