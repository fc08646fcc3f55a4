# One libFuzzer program fuzz_x for every src/fovea/**/x_fuzz.cc; its seeds stand in tests/corpus/x/.
file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/fovea/*_fuzz.cc)
foreach(source IN LISTS sources)
  cmake_path(GET source STEM name)
  string(REGEX REPLACE "_fuzz$" "" name ${name})
  add_executable(fuzz_${name} ${source})
  target_link_libraries(fuzz_${name} PRIVATE fovea_private)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
endforeach()
