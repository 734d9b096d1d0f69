# pentimento_folder(NAME [LINKS target...] [PRIVATE_LINKS target...] [TEST_LINKS target...] [HEADERS <header>...])
#
# One source folder = one static library pentimento_NAME from its *.cc files, and, where the folder
# has *_test.cc files, one test program NAME_test that CTest runs. Headers are included from src/.
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

function(pentimento_folder name)
  cmake_parse_arguments(FOLDER "" "" "LINKS;PRIVATE_LINKS;TEST_LINKS;HEADERS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/${name}/*.cc")
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|_main|/main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  if(sources)
    add_library(pentimento_${name} STATIC ${sources})
    target_link_libraries(pentimento_${name} PUBLIC pentimento_flags ${FOLDER_LINKS} PRIVATE ${FOLDER_PRIVATE_LINKS})
    pentimento_precompile(pentimento_${name} pentimento_base ${FOLDER_HEADERS})
  else()
    add_library(pentimento_${name} INTERFACE)
    target_link_libraries(pentimento_${name} INTERFACE pentimento_flags ${FOLDER_LINKS})
  endif()

  if(tests AND PENTIMENTO_TESTS)
    add_executable(${name}_test ${tests})
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
