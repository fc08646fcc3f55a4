# For every src/fovea/**/x_fuzz.cc, whose seeds stand in tests/corpus/x/: a libFuzzer program fuzz_x in the
# preset fuzz, and elsewhere a test fuzz.x, which takes a second.
file(GLOB_RECURSE FOVEA_FUZZ_SOURCES CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/fovea/*_fuzz.cc)

# Follows the includes of the fuzz sources, a/b.h to a/b.cc and a/b_*.cc, and drops the rest of `sources`:
# readers stand low down, and the kernels they never call take minutes to compile. If a link misses a
# function here, its header and source have different names.
function(fovea_keep_what_fuzzing_reaches sources)
  set(reached)
  set(waiting ${FOVEA_FUZZ_SOURCES})
  while(waiting)
    list(POP_FRONT waiting file)
    file(STRINGS ${file} includes REGEX "^ *# *include *\"fovea/")
    foreach(line IN LISTS includes)
      string(REGEX REPLACE "^[^\"]*\"fovea/([^\"]*)\\.h\".*" "${PROJECT_SOURCE_DIR}/src/fovea/\\1" stem "${line}")
      file(GLOB found ${stem}.h ${stem}.cc ${stem}_*.cc)
      list(FILTER found EXCLUDE REGEX "_(test|bench|fuzz)\\.cc$")
      list(REMOVE_ITEM found ${reached} ${waiting} ${file})
      list(APPEND reached ${found})
      list(APPEND waiting ${found})
    endforeach()
  endwhile()
  list(FILTER reached INCLUDE REGEX "\\.cc$")
  set(kernels ${reached})
  list(FILTER kernels INCLUDE REGEX "/src/fovea/kernels/")
  # They are not fuzzed; a precompiled header would be.
  set_source_files_properties(${kernels} PROPERTIES COMPILE_OPTIONS -fno-sanitize=all SKIP_PRECOMPILE_HEADERS ON)
  set(${sources} ${reached} PARENT_SCOPE)
endfunction()

function(fovea_add_fuzz_programs)
  foreach(source IN LISTS FOVEA_FUZZ_SOURCES)
    cmake_path(GET source STEM name)
    string(REGEX REPLACE "_fuzz$" "" name ${name})
    add_executable(fuzz_${name} ${source})
    target_link_libraries(fuzz_${name} PRIVATE fovea_private)
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  endforeach()
endfunction()

# One program, and one file to compile: the targets' functions have the same name, which is replaced.
function(fovea_add_short_fuzz_runs executions)
  set(targets)
  set(table)
  foreach(source IN LISTS FOVEA_FUZZ_SOURCES)
    cmake_path(GET source STEM name)
    string(REGEX REPLACE "_fuzz$" "" name ${name})
    string(APPEND targets "#define LLVMFuzzerTestOneInput fuzz_${name}\n#include \"${source}\"\n"
                          "#undef LLVMFuzzerTestOneInput\n")
    string(APPEND table "    {\"${name}\", fuzz_${name}},\n")
    add_test(NAME fuzz.${name} COMMAND fuzz ${name} ${PROJECT_SOURCE_DIR}/tests/corpus ${executions})
    set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 300)
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/fuzz_targets.h CONTENT
"${targets}
namespace fovea {
using FuzzTarget = int (*)(const std::uint8_t*, std::size_t);
constexpr std::pair<const char*, FuzzTarget> kFuzzTargets[] = {
${table}};
}  // namespace fovea
")
  add_executable(fuzz tests/fuzz.cc)
  target_include_directories(fuzz PRIVATE ${PROJECT_BINARY_DIR})
  target_link_libraries(fuzz PRIVATE fovea_private)
endfunction()
