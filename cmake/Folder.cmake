# pentimento_folder(NAME [LINKS target...] [PRIVATE_LINKS target...] [TEST_LINKS target...] [HEADERS <header>...]
#                   [ALONE file...])
#
# One source folder = one static library pentimento_NAME from its *.cc files, and, where the folder
# has *_test.cc files, one test program NAME_test that CTest runs. Headers are included from src/.
#
# Files of a folder are compiled a few at a time, as one: most of a file's time goes into headers and templates that its
# neighbours need as well. So a name in an anonymous namespace belongs to the folder, not to its file alone. Files that
# take long by themselves are named ALONE.
#
# Headers of others that most files see are compiled once, with the folder `base`, and once more with its tests. A folder
# that names HEADERS has precompiled ones of its own, these included.

# Everything that CTest runs, and nothing else: the command itself is not part of it.
add_custom_target(test_programs)
set(PENTIMENTO_STANDARD_HEADERS <algorithm> <array> <filesystem> <functional> <map> <memory> <numeric> <optional> <set> <span> <string>
    <variant> <vector> <fmt/format.h>)

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

# pentimento_compile_together(TARGET FILE...): files of one folder, at most so many at a time. More would be faster from
# scratch, and slower after a change to one of them.
set(PENTIMENTO_FILES_TOGETHER 8)
function(pentimento_compile_together target)
  set(folders ${ARGN})
  list(TRANSFORM folders REPLACE "/[^/]*$" "")
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    set(files ${ARGN})
    list(FILTER files INCLUDE REGEX "^${folder}/[^/]*$")
    list(LENGTH files count)
    math(EXPR batches "(${count} + ${PENTIMENTO_FILES_TOGETHER} - 1) / ${PENTIMENTO_FILES_TOGETHER}")
    file(RELATIVE_PATH group "${CMAKE_SOURCE_DIR}" "${folder}")
    string(REPLACE "/" "_" group "${group}")
    set(place 0)
    foreach(file IN LISTS files)
      math(EXPR batch "${place} * ${batches} / ${count} + 1")
      set_source_files_properties("${file}" PROPERTIES UNITY_GROUP "${group}_${batch}_of_${batches}")
      math(EXPR place "${place} + 1")
    endforeach()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${PENTIMENTO_TOGETHER} UNITY_BUILD_MODE GROUP)
endfunction()

function(pentimento_folder name)
  cmake_parse_arguments(FOLDER "" "" "LINKS;PRIVATE_LINKS;TEST_LINKS;HEADERS;ALONE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/${name}/*.cc")
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|_main|/main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  if(sources)
    add_library(pentimento_${name} STATIC ${sources})
    target_link_libraries(pentimento_${name} PUBLIC pentimento_flags ${FOLDER_LINKS} PRIVATE ${FOLDER_PRIVATE_LINKS})
    set(together ${sources})
    list(TRANSFORM FOLDER_ALONE PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/src/${name}/")
    list(REMOVE_ITEM together ${FOLDER_ALONE})
    pentimento_compile_together(pentimento_${name} ${together})
    pentimento_precompile(pentimento_${name} pentimento_base ${FOLDER_HEADERS})
  else()
    add_library(pentimento_${name} INTERFACE)
    target_link_libraries(pentimento_${name} INTERFACE pentimento_flags ${FOLDER_LINKS})
  endif()

  if(tests AND PENTIMENTO_TESTS)
    add_executable(${name}_test ${tests})
    pentimento_compile_together(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE pentimento_${name} ${FOLDER_TEST_LINKS} GTest::gtest_main)
    target_compile_options(${name}_test PRIVATE -O1)  # the code under test is optimized, its tests need not be
    if(name STREQUAL "base")
      pentimento_precompile(base_test base_test <gtest/gtest.h>)
    else()
      pentimento_precompile(${name}_test base_test)
    endif()
    add_test(NAME ${name} COMMAND ${name}_test)
    add_dependencies(test_programs ${name}_test)
  endif()
endfunction()
