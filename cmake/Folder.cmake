# pentimento_folder(NAME [LINKS target...] [PRIVATE_LINKS target...])
#
# One source folder = one static library pentimento_NAME from its *.cc files, and, where the folder
# has *_test.cc files, one test program NAME_test that CTest runs. Headers are included from src/.
# Everything that CTest runs, and nothing else: the command itself is not part of it.
add_custom_target(test_programs)
set(PENTIMENTO_STANDARD_HEADERS <algorithm> <filesystem> <functional> <map> <memory> <optional> <span> <string> <variant> <vector> <fmt/core.h>)

function(pentimento_folder name)
  cmake_parse_arguments(FOLDER "" "" "LINKS;PRIVATE_LINKS;TEST_LINKS" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/src/${name}/*.cc")
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "(_test|_main|/main)\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  if(sources)
    add_library(pentimento_${name} STATIC ${sources})
    target_link_libraries(pentimento_${name} PUBLIC pentimento_flags ${FOLDER_LINKS} PRIVATE ${FOLDER_PRIVATE_LINKS})
    if(NOT name STREQUAL "cli")
      target_precompile_headers(pentimento_${name} PRIVATE ${PENTIMENTO_STANDARD_HEADERS})
    endif()
  else()
    add_library(pentimento_${name} INTERFACE)
    target_link_libraries(pentimento_${name} INTERFACE pentimento_flags ${FOLDER_LINKS})
  endif()

  if(tests AND PENTIMENTO_TESTS)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE pentimento_${name} ${FOLDER_TEST_LINKS} GTest::gtest_main)
    target_compile_options(${name}_test PRIVATE -O1)  # the code under test is optimized, its tests need not be
    target_precompile_headers(${name}_test PRIVATE <gtest/gtest.h> ${PENTIMENTO_STANDARD_HEADERS})
    add_test(NAME ${name} COMMAND ${name}_test)
    add_dependencies(test_programs ${name}_test)
  endif()
endfunction()
