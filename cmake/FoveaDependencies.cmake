# Finds what the library links to. This file is also installed, and read by find_package(fovea).
include(CMakeFindDependencyMacro)

find_dependency(Threads)
find_dependency(fmt)
find_dependency(Freetype)
find_dependency(hwy CONFIG)
find_dependency(JPEG)
find_dependency(PNG)
find_dependency(ZLIB)

# FOVEA_MPI is an option of the build; a program outside needs MPI if the library was built with it.
set(MPI_CXX_SKIP_MPICXX ON)
if(FOVEA_MPI STREQUAL "AUTO")
  find_package(MPI QUIET COMPONENTS CXX)
elseif(FOVEA_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
endif()

# (target header library package): a library without a CMake package of its own.
function(fovea_find_library target header library package)
  if(TARGET ${target})
    return()
  endif()
  string(TOUPPER ${library} name)
  find_path(${name}_INCLUDE_DIR ${header})
  find_library(${name}_LIBRARY ${library})
  mark_as_advanced(${name}_INCLUDE_DIR ${name}_LIBRARY)
  if(NOT ${name}_INCLUDE_DIR OR NOT ${name}_LIBRARY)
    message(FATAL_ERROR "fovea needs ${library} (Debian: ${package}); "
                        "set ${name}_INCLUDE_DIR and ${name}_LIBRARY if it stands elsewhere")
  endif()
  add_library(${target} UNKNOWN IMPORTED)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION "${${name}_LIBRARY}"
                                             INTERFACE_INCLUDE_DIRECTORIES "${${name}_INCLUDE_DIR}")
endfunction()

# oneDNN's own package also asks for the OpenCL headers, which nothing here uses.
fovea_find_library(DNNL::dnnl dnnl.hpp dnnl libdnnl-dev)
fovea_find_library(microhttpd::microhttpd microhttpd.h microhttpd libmicrohttpd-dev)
fovea_find_library(utf8proc::utf8proc utf8proc.h utf8proc libutf8proc-dev)
fovea_find_library(sentencepiece::processor sentencepiece_processor.h sentencepiece libsentencepiece-dev)
fovea_find_library(sentencepiece::trainer sentencepiece_trainer.h sentencepiece_train libsentencepiece-dev)
