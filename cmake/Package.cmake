# What packages have beyond a checkout's build (docs/packaging.md): everything but Arrow C++ as one shared library, a plugin
# for each libarrow, and the Python module.
#
#   lib/libpentimento.so               all folders of src/ below the faces, but for files/arrow/
#   lib/libpentimento_arrow_2600.so    files/arrow/ for libarrow.so.2600, loaded when a file is first read or written
#   bin/pentimento                     the command
#   _core.abi3.so                      the Python module (PENTIMENTO_PYTHON)

set(PENTIMENTO_ARROWS "" CACHE STRING "folders of pyarrow, whose libarrow plugins are made for")

set(pentimento_core_folders base taxonomy policy table release guarantee utility anonymize audit ledger io files report engine cli)
list(TRANSFORM pentimento_core_folders PREPEND pentimento_ OUTPUT_VARIABLE pentimento_core_libraries)

file(WRITE "${CMAKE_BINARY_DIR}/core.cc.new" "// The library is made of others.\n")
file(COPY_FILE "${CMAKE_BINARY_DIR}/core.cc.new" "${CMAKE_BINARY_DIR}/core.cc" ONLY_IF_DIFFERENT)
add_library(pentimento_core SHARED "${CMAKE_BINARY_DIR}/core.cc")
set_target_properties(pentimento_core PROPERTIES OUTPUT_NAME pentimento DISABLE_PRECOMPILE_HEADERS ON
                      BUILD_RPATH_USE_ORIGIN ON INSTALL_RPATH "$ORIGIN")
add_dependencies(pentimento_core ${pentimento_core_libraries})
set(pentimento_core_files "")
foreach(library IN LISTS pentimento_core_libraries)
  list(APPEND pentimento_core_files "$<TARGET_FILE:${library}>")
endforeach()
set_property(TARGET pentimento_core APPEND PROPERTY LINK_DEPENDS "${pentimento_core_files}")
# Static, so that a package asks the machine for little: what is not the C and C++ library, oneTBB, fmt and toml++ is inside.
set(pentimento_inside "")
foreach(library sqlite3 sodium crypto xxhash)
  find_library(PENTIMENTO_STATIC_${library} "lib${library}.a" REQUIRED)
  list(APPEND pentimento_inside "${PENTIMENTO_STATIC_${library}}")
endforeach()
target_link_libraries(pentimento_core PRIVATE -Wl,--whole-archive ${pentimento_core_files} -Wl,--no-whole-archive ${pentimento_inside}
                      pentimento_flags ${PENTIMENTO_FMT} PkgConfig::TOMLPP TBB::tbb Threads::Threads ${CMAKE_DL_LIBS} m)
# Whoever links it sees what its folders show, and links nothing of them again.
foreach(library IN LISTS pentimento_core_libraries)
  target_include_directories(pentimento_core INTERFACE $<TARGET_PROPERTY:${library},INTERFACE_INCLUDE_DIRECTORIES>)
endforeach()
target_link_libraries(pentimento_core INTERFACE pentimento_flags ${PENTIMENTO_FMT} TBB::tbb Threads::Threads)
# Libraries of others that are inside are nobody else's business: Python may have the same ones.
target_link_options(pentimento_core PRIVATE
                    "-Wl,--exclude-libs,libcrypto.a:libsqlite3.a:libsodium.a:libxxhash.a" -Wl,-Bsymbolic-functions -Wl,--no-undefined)

# pentimento_arrow_plugin(FOLDER): for the libarrow in this folder of pyarrow.
function(pentimento_arrow_plugin folder)
  file(GLOB library "${folder}/libarrow.so.*")
  list(FILTER library INCLUDE REGEX "\\.so\\.[0-9]+$")
  list(LENGTH library count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "Expected one libarrow.so.<version> in ${folder}, found ${count}: remove it and run scripts/wheel")
  endif()
  string(REGEX MATCH "[0-9]+$" number "${library}")
  set(name pentimento_arrow_${number})
  add_library(${name} MODULE)
  file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/files/arrow/*.cc")
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  pentimento_sources(${name} "${CMAKE_SOURCE_DIR}/src" 24 ${sources})
  target_include_directories(${name} SYSTEM PRIVATE "${folder}/include")
  target_link_libraries(${name} PRIVATE pentimento_flags pentimento_core "${library}" "${folder}/libparquet.so.${number}")
  set_target_properties(${name} PROPERTIES PREFIX lib DISABLE_PRECOMPILE_HEADERS ON SKIP_BUILD_RPATH ON INSTALL_RPATH "$ORIGIN")
  target_link_options(${name} PRIVATE -Wl,--disable-new-dtags)
  list(APPEND PENTIMENTO_PLUGINS ${name})
  set(PENTIMENTO_PLUGINS "${PENTIMENTO_PLUGINS}" PARENT_SCOPE)
  install(TARGETS ${name} LIBRARY DESTINATION "lib" COMPONENT python)
endfunction()

foreach(folder IN LISTS PENTIMENTO_ARROWS)
  pentimento_arrow_plugin("${folder}")
endforeach()

add_executable(pentimento src/cli/main.cc)
target_link_libraries(pentimento PRIVATE pentimento_flags pentimento_core)
set_target_properties(pentimento PROPERTIES DISABLE_PRECOMPILE_HEADERS ON
                      INSTALL_RPATH "$ORIGIN/../lib:$ORIGIN/../lib/pentimento")
install(TARGETS pentimento_core LIBRARY DESTINATION lib COMPONENT python)
install(TARGETS pentimento RUNTIME DESTINATION bin COMPONENT python)

if(PENTIMENTO_PYTHON)
  find_package(Python 3.11 REQUIRED COMPONENTS Interpreter Development.Module)
  execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT)
  find_package(nanobind CONFIG REQUIRED)
  # One file for Python 3.11 and all later ones; what it shares with other modules is in the package nanobind-backend.
  nanobind_add_module(_core BACKEND_MODULE nanobind_backend STABLE_ABI_VERSION 3.11 NB_SUPPRESS_WARNINGS
                      src/python/module.cc src/python/watched_run.cc)
  target_link_libraries(_core PRIVATE pentimento_flags pentimento_core)
  set_target_properties(_core PROPERTIES DISABLE_PRECOMPILE_HEADERS ON INSTALL_RPATH "$ORIGIN/lib")
  install(TARGETS _core LIBRARY DESTINATION . COMPONENT python)
endif()

# What is inside, as CycloneDX: libraries that are linked, and those that are headers only. auditwheel adds those that it puts beside.
# pentimento_component(NAME VERSION LICENCE)
set(PENTIMENTO_COMPONENTS "")
function(pentimento_component name version licence)
  list(APPEND PENTIMENTO_COMPONENTS
       "    { \"type\": \"library\", \"name\": \"${name}\", \"version\": \"${version}\", \"licenses\": [{ \"expression\": \"${licence}\" }] }")
  set(PENTIMENTO_COMPONENTS "${PENTIMENTO_COMPONENTS}" PARENT_SCOPE)
endfunction()
pkg_check_modules(XXHASH REQUIRED libxxhash)
pentimento_component(sqlite "${SQLITE_VERSION}" blessing)
pentimento_component(libsodium "${SODIUM_VERSION}" ISC)
pentimento_component(openssl "${OPENSSL_VERSION}" Apache-2.0)
pentimento_component(xxhash "${XXHASH_VERSION}" BSD-2-Clause)
pentimento_component(cli11 "${CLI11_VERSION}" BSD-3-Clause)
pentimento_component(tomlplusplus "${TOMLPP_VERSION}" MIT)
pentimento_component(nlohmann-json "${nlohmann_json_VERSION}" MIT)
if(nanobind_VERSION)
  pentimento_component(nanobind "${nanobind_VERSION}" BSD-3-Clause)
endif()
list(JOIN PENTIMENTO_COMPONENTS ",\n" PENTIMENTO_COMPONENTS)
configure_file("${CMAKE_SOURCE_DIR}/cmake/sbom.cdx.json.in" "${CMAKE_BINARY_DIR}/pentimento.cdx.json" @ONLY)
if(SKBUILD_METADATA_DIR)
  install(FILES "${CMAKE_BINARY_DIR}/pentimento.cdx.json" DESTINATION "${SKBUILD_METADATA_DIR}/sboms" COMPONENT python)
endif()

add_custom_target(package_files DEPENDS pentimento pentimento_core)
foreach(name IN LISTS PENTIMENTO_PLUGINS)
  add_dependencies(package_files ${name})
endforeach()
if(TARGET _core)
  add_dependencies(package_files _core)
endif()

# The component `system` (make install, make deb): the command with the newest of these libarrow, which need no Python. All of it
# is found from where the command is.
list(GET PENTIMENTO_ARROWS -1 newest)
file(GLOB bundled "${newest}/libarrow.so.*" "${newest}/libparquet.so.*")
list(FILTER bundled INCLUDE REGEX "\\.so\\.[0-9]+$")
string(REGEX MATCH "[0-9]+$" newest_number "${bundled}")
install(TARGETS pentimento RUNTIME DESTINATION bin COMPONENT system)
install(TARGETS pentimento_core pentimento_arrow_${newest_number} LIBRARY DESTINATION lib/pentimento COMPONENT system)
install(PROGRAMS ${bundled} DESTINATION lib/pentimento COMPONENT system)
install(FILES LICENSE README.md CHANGELOG.md "${CMAKE_BINARY_DIR}/pentimento.cdx.json" DESTINATION share/doc/pentimento COMPONENT system)
install(DIRECTORY schemas DESTINATION share/pentimento COMPONENT system)

# Both tell what the command itself says.
set(shared "${CMAKE_BINARY_DIR}/shared")
add_custom_command(
  OUTPUT "${shared}/complete" DEPENDS pentimento "${CMAKE_SOURCE_DIR}/scripts/man_pages"
  COMMAND ${CMAKE_COMMAND} -E rm -rf "${shared}"
  COMMAND ${CMAKE_COMMAND} -E make_directory "${shared}/bash-completion/completions" "${shared}/zsh/site-functions"
          "${shared}/fish/vendor_completions.d"
  COMMAND "$<TARGET_FILE:pentimento>" completion bash > "${shared}/bash-completion/completions/pentimento"
  COMMAND "$<TARGET_FILE:pentimento>" completion zsh > "${shared}/zsh/site-functions/_pentimento"
  COMMAND "$<TARGET_FILE:pentimento>" completion fish > "${shared}/fish/vendor_completions.d/pentimento.fish"
  COMMAND "${CMAKE_SOURCE_DIR}/scripts/man_pages" "$<TARGET_FILE:pentimento>" "${shared}/man/man1"
  COMMAND ${CMAKE_COMMAND} -E touch "${shared}/complete" VERBATIM)
add_custom_target(shared_files DEPENDS "${shared}/complete" package_files)
install(DIRECTORY "${shared}/" DESTINATION share COMPONENT system PATTERN complete EXCLUDE)

set(CPACK_GENERATOR DEB)
set(CPACK_COMPONENTS_ALL system)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_SYSTEM_PACKAGE_NAME pentimento)
set(CPACK_PACKAGE_CONTACT "The Pentimento developers <pentimento@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "publishes tables about people again and again, so that all releases stay private")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${newest}" "${CMAKE_BINARY_DIR}")
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_OUTPUT_FILE_PREFIX "${CMAKE_SOURCE_DIR}/dist")
include(CPack)
