# Headers of other libraries that most files read, compiled once: it halves the time of a build.
option(FOVEA_PRECOMPILE "Precompile the headers of other libraries" ${PROJECT_IS_TOP_LEVEL})
if(FOVEA_PRECOMPILE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(fovea_flags INTERFACE -fpch-preprocess)  # ccache wants it
endif()

# fovea_precompile(TARGET HEADER...): for what is in TARGET. Not worth it for headers with many inline
# functions and objects (CLI11, nlohmann-json): every file then compiles all of them.
function(fovea_precompile target)
  if(NOT FOVEA_PRECOMPILE)
    return()
  endif()
  set(headers <algorithm> <cmath> <functional> <memory> <span> <string> <vector> <fmt/format.h> ${ARGN})
  target_precompile_headers(${target} PRIVATE ${headers})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A precompiled header differs from folder to folder; what is in it does not. ccache goes by this sum.
    set(sum "${CMAKE_CXX_COMPILER_VERSION} ${headers}")
    foreach(path IN ITEMS fmt/core.h gtest/gtest.h gmock/gmock.h)
      find_file(header NAMES ${path} NO_CACHE)
      if(header)
        file(SHA256 ${header} hash)
        string(APPEND sum " ${hash}")
      endif()
      unset(header)
    endforeach()
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.gch.sum CONTENT "${sum}\n")
  endif()
endfunction()

# fovea_compile_together(TARGET): its sources eight of a folder at a time, which reads headers once instead
# of eight times. Names in the unnamed namespaces of a folder must differ. Not kernels: each is large, and
# compiled for every instruction set. Not for fuzz programs: a linker takes what they need, file by file.
function(fovea_compile_together target)
  if(FOVEA_SANITIZE STREQUAL "fuzzer")
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^${PROJECT_SOURCE_DIR}/(src/fovea|tests)/.*\\.cc$")
  set(last)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    if(NOT folder STREQUAL last)
      set(last ${folder})
      set(count 0)
    endif()
    cmake_path(GET folder FILENAME group)
    math(EXPR batch "${count} / 8")
    math(EXPR count "${count} + 1")
    if(NOT folder MATCHES "/kernels$" OR source MATCHES "_test\\.cc$")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${batch})
    endif()
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
