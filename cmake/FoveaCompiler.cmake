# How every file of this tree is compiled: an interface target that all other targets link privately.

if(NOT CMAKE_BUILD_TYPE AND PROJECT_IS_TOP_LEVEL)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, RelWithDebInfo or Release" FORCE)
endif()
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(FOVEA_CCACHE ccache)
if(FOVEA_CCACHE AND PROJECT_IS_TOP_LEVEL AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths below the source tree are hashed relative, so that a second clone finds the first one's objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros CCACHE_PCH_EXTSUM=1 ${FOVEA_CCACHE})
endif()

add_library(fovea_flags INTERFACE)
# A product and a sum are contracted only where the source says so, so that results do not depend on
# the compiler's mood. There is no -march: kernels choose their instruction set at run time.
target_compile_options(fovea_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor -Wold-style-cast
  -Wcast-qual -Wimplicit-fallthrough -Woverloaded-virtual
  -ffp-contract=off)
# Instruction sets between these bring nothing for float arithmetic, and every one is compiled.
target_compile_definitions(fovea_flags INTERFACE "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_AVX3_DL)")
# The lowest target is plain scalar code with every compiler, as it is with gcc 12: in Highway 1.0.3 the
# alternative, emulated vectors, takes the maximum of -inf and -inf to be -FLT_MAX.
target_compile_definitions(fovea_flags INTERFACE HWY_BROKEN_EMU128=1)
if(FOVEA_WARNINGS_ARE_ERRORS)
  target_compile_options(fovea_flags INTERFACE -Werror)
endif()

if(FOVEA_SANITIZE STREQUAL "address")
  set(sanitizers -fsanitize=address,undefined -fno-sanitize-recover=all)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Between its own checks gcc 12 loses sight of what <regex> initialises; the dev preset keeps the warning.
    target_compile_options(fovea_flags INTERFACE -Wno-maybe-uninitialized)
  endif()
elseif(FOVEA_SANITIZE STREQUAL "thread")
  set(sanitizers -fsanitize=thread)
elseif(FOVEA_SANITIZE STREQUAL "fuzzer")
  set(sanitizers -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all)
  target_compile_definitions(fovea_flags INTERFACE HWY_COMPILE_ONLY_STATIC)  # one instruction set is enough
elseif(FOVEA_SANITIZE)
  message(FATAL_ERROR "FOVEA_SANITIZE is '${FOVEA_SANITIZE}', expected address, thread or fuzzer")
endif()
if(FOVEA_SANITIZE)
  target_compile_options(fovea_flags INTERFACE ${sanitizers} -fno-omit-frame-pointer)
  target_link_options(fovea_flags INTERFACE ${sanitizers})
  if(NOT FOVEA_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    target_compile_definitions(fovea_flags INTERFACE __SANITIZE_ADDRESS__=1)  # as gcc says it
  endif()
endif()
