# Finds Arrow C++ and offers the targets pentimento::arrow and pentimento::parquet.
#
# A system Arrow with CMake files wins. Otherwise the libraries inside the pyarrow wheel serve: the
# wheel ships headers and lib*.so.<major*100+minor> without CMake files, so they are imported by path.
find_package(Arrow CONFIG QUIET)
find_package(Parquet CONFIG QUIET)
if(Arrow_FOUND AND Parquet_FOUND AND Arrow_VERSION VERSION_GREATER_EQUAL 25)
  add_library(pentimento::arrow ALIAS Arrow::arrow_shared)
  add_library(pentimento::parquet ALIAS Parquet::parquet_shared)
  return()
endif()

file(GLOB PENTIMENTO_PYARROW "${CMAKE_SOURCE_DIR}/.venv/lib/python3*/site-packages/pyarrow")
if(NOT PENTIMENTO_PYARROW)
  message(FATAL_ERROR "Arrow C++ was not found: run scripts/setup, which puts the pyarrow wheel into .venv")
endif()
list(GET PENTIMENTO_PYARROW 0 PENTIMENTO_PYARROW)

function(pentimento_import_from_wheel target library)
  file(GLOB versioned "${PENTIMENTO_PYARROW}/lib${library}.so.*")
  list(FILTER versioned INCLUDE REGEX "\\.so\\.[0-9]+$")
  list(LENGTH versioned count)
  if(NOT count EQUAL 1)
    message(FATAL_ERROR "Expected one lib${library}.so.<version> in ${PENTIMENTO_PYARROW}, found ${count}: "
                        "remove .venv and run scripts/setup")
  endif()
  add_library(${target} SHARED IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${versioned}" IMPORTED_NO_SONAME OFF)
  target_include_directories(${target} SYSTEM INTERFACE "${PENTIMENTO_PYARROW}/include")
endfunction()

pentimento_import_from_wheel(pentimento::arrow arrow)
pentimento_import_from_wheel(pentimento::parquet parquet)
set_property(TARGET pentimento::parquet APPEND PROPERTY INTERFACE_LINK_LIBRARIES pentimento::arrow)
