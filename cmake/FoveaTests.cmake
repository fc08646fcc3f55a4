# Tests: one program test_<folder> for the *_test.cc of a folder, test_across for tests/*_test.cc,
# and the checks of the repository itself.
find_package(GTest REQUIRED)
find_package(rapidcheck QUIET)
include(GoogleTest)

# One variable: gtest_discover_tests takes a list apart.
set(FOVEA_TEST_ENVIRONMENT "FOVEA_PROGRAM=${PROJECT_BINARY_DIR}/fovea")
if(FOVEA_SANITIZE STREQUAL "thread")
  list(APPEND FOVEA_TEST_ENVIRONMENT "TSAN_OPTIONS=ignore_noninstrumented_modules=1")  # oneDNN, OpenMP
endif()

# The instruction sets below the best one this machine has; FOVEA_ISA caps oneDNN and Highway.
set(FOVEA_LOWER_ISAS)
if(EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo cpu_flags REGEX "^flags" LIMIT_COUNT 1)
  if(cpu_flags MATCHES " avx2( |$)")
    list(APPEND FOVEA_LOWER_ISAS sse4)
  endif()
  if(cpu_flags MATCHES " avx512f( |$)")
    list(APPEND FOVEA_LOWER_ISAS avx2)
  endif()
  if(cpu_flags MATCHES " amx_bf16( |$)")
    list(APPEND FOVEA_LOWER_ISAS avx512)
  endif()
endif()
set(FOVEA_ISA_FOLDERS kernels autograd attention)

function(fovea_test_options target)
  target_link_libraries(${target} PRIVATE fovea_private GTest::gmock GTest::gtest_main)
  # A fifth less time to compile; the library itself stays as it is shipped.
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
  if(rapidcheck_FOUND)
    target_link_libraries(${target} PRIVATE rapidcheck_gtest)
  endif()
endfunction()

# All tests are compiled alike, so that one precompiled header serves them.
add_library(fovea_test_headers OBJECT ${PROJECT_BINARY_DIR}/test_headers.cc)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/test_headers.cc CONTENT "")
fovea_test_options(fovea_test_headers)
fovea_precompile(fovea_test_headers <gmock/gmock.h> <gtest/gtest.h>)

function(fovea_test name)  # (name SOURCES...)
  add_executable(test_${name} ${ARGN})
  fovea_compile_together(test_${name})
  fovea_test_options(test_${name})
  if(FOVEA_PRECOMPILE)
    target_precompile_headers(test_${name} REUSE_FROM fovea_test_headers)
  endif()
  if(TARGET fovea_cli AND name MATCHES "^(cli|across)$")
    target_link_libraries(test_${name} PRIVATE fovea_cli)
    add_dependencies(test_${name} fovea_program)
  endif()
  if(FOVEA_SANITIZE)
    # One process for all: under a sanitizer, starting one costs more than most tests.
    add_test(NAME ${name} COMMAND test_${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
    set_tests_properties(${name} PROPERTIES TIMEOUT 1800 ENVIRONMENT "${FOVEA_TEST_ENVIRONMENT}")
  else()
    gtest_discover_tests(
      test_${name}
      TEST_PREFIX ${name}.
      DISCOVERY_MODE PRE_TEST
      WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      PROPERTIES TIMEOUT 300 ENVIRONMENT "${FOVEA_TEST_ENVIRONMENT}")
  endif()
  if(name IN_LIST FOVEA_ISA_FOLDERS)
    foreach(isa IN LISTS FOVEA_LOWER_ISAS)
      add_test(NAME ${name}.on_${isa} COMMAND test_${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
      set_tests_properties(${name}.on_${isa} PROPERTIES
        TIMEOUT 1800 ENVIRONMENT "${FOVEA_TEST_ENVIRONMENT};FOVEA_ISA=${isa}")
    endforeach()
  endif()
endfunction()

file(GLOB folders LIST_DIRECTORIES true ${PROJECT_SOURCE_DIR}/src/fovea/*)
foreach(folder IN LISTS folders)
  cmake_path(GET folder FILENAME name)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*_test.cc)
  if(sources)
    fovea_test(${name} ${sources})
  endif()
endforeach()
file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*_test.cc)
if(sources)
  fovea_test(across ${sources})
endif()

include(FoveaFuzz)
if(NOT FOVEA_SANITIZE STREQUAL "thread")  # readers have one
  fovea_add_short_fuzz_runs(20000)
endif()

if(FOVEA_SANITIZE)
  return()  # what follows tests the repository, not the code
endif()

# The C++ block of README.md must compile and run.
if(EXISTS ${PROJECT_SOURCE_DIR}/README.md)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/README.md)
  file(STRINGS ${PROJECT_SOURCE_DIR}/README.md readme_blocks REGEX "^```cpp")
  if(readme_blocks)
    set(example ${PROJECT_BINARY_DIR}/readme_example.cc)
    add_custom_command(
      OUTPUT ${example}
      COMMAND ${PROJECT_SOURCE_DIR}/scripts/readme_example ${PROJECT_SOURCE_DIR}/README.md ${example}
      DEPENDS ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/scripts/readme_example)
    add_executable(readme_example ${example})
    target_link_libraries(readme_example PRIVATE fovea fovea_flags)
    add_test(NAME readme.example COMMAND readme_example)
    set_tests_properties(readme.example PROPERTIES TIMEOUT 300)
  endif()
endif()

# Models in some twenty lines: they learn, and fail when they do not.
foreach(name IN ITEMS translate glimpse ask)
  if(TARGET example_${name})
    add_test(NAME examples.${name} COMMAND example_${name} WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
    set_tests_properties(examples.${name} PROPERTIES TIMEOUT 300)
  endif()
endforeach()

# A program outside this tree builds against the installed package.
add_test(NAME install.consumer
         COMMAND ${PROJECT_SOURCE_DIR}/tests/consumer/run ${PROJECT_BINARY_DIR} ${CMAKE_CXX_COMPILER}
                 "${CMAKE_CXX_COMPILER_LAUNCHER}")
set_tests_properties(install.consumer PROPERTIES TIMEOUT 300)

# The page: its types, how it reads Traces, and all of it in Chromium.
if(FOVEA_PAGE)
  foreach(suite types reading views picture answers file serve)
    add_test(NAME page.${suite} COMMAND ${FOVEA_NODE} tests/run.mjs ${suite} ${PROJECT_BINARY_DIR}/page
             WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/src/fovea/viewer)
    set_tests_properties(page.${suite} PROPERTIES TIMEOUT 600 ENVIRONMENT "${FOVEA_TEST_ENVIRONMENT}")
  endforeach()
endif()

# The checks that ./test relies on must themselves be able to fail.
file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*_test.sh)
foreach(script IN LISTS scripts)
  cmake_path(GET script STEM name)
  string(REGEX REPLACE "_test$" "" name ${name})
  add_test(NAME scripts.${name} COMMAND ${script} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(scripts.${name} PROPERTIES TIMEOUT 300 ENVIRONMENT "${FOVEA_TEST_ENVIRONMENT}")
endforeach()
