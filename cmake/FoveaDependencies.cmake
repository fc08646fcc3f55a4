# Finds what the library links to. This file is also installed, and read by find_package(fovea).
include(CMakeFindDependencyMacro)

find_dependency(Threads)
find_dependency(fmt)
find_dependency(hwy CONFIG)
find_dependency(ZLIB)

# oneDNN's own package also asks for the OpenCL headers, which nothing here uses.
if(NOT TARGET DNNL::dnnl)
  find_path(DNNL_INCLUDE_DIR dnnl.hpp)
  find_library(DNNL_LIBRARY dnnl)
  mark_as_advanced(DNNL_INCLUDE_DIR DNNL_LIBRARY)
  if(NOT DNNL_INCLUDE_DIR OR NOT DNNL_LIBRARY)
    message(FATAL_ERROR "fovea needs oneDNN (Debian: libdnnl-dev); set DNNL_INCLUDE_DIR and DNNL_LIBRARY if it stands elsewhere")
  endif()
  add_library(DNNL::dnnl UNKNOWN IMPORTED)
  set_target_properties(DNNL::dnnl PROPERTIES IMPORTED_LOCATION "${DNNL_LIBRARY}"
                                              INTERFACE_INCLUDE_DIRECTORIES "${DNNL_INCLUDE_DIR}")
endif()
