# Headers, library and CMake package, so that a program elsewhere writes find_package(fovea).
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/fovea)
install(TARGETS fovea EXPORT foveaTargets)
install(EXPORT foveaTargets NAMESPACE fovea:: DESTINATION ${package_dir})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/fovea DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING
        PATTERN "*.h"
        PATTERN "cli" EXCLUDE
        PATTERN "node_modules" EXCLUDE
        REGEX "/viewer/(app|tests)$" EXCLUDE
        PATTERN "*_test*.h" EXCLUDE
        PATTERN "*-inl.h" EXCLUDE)

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/foveaConfig.cmake.in foveaConfig.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(foveaConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/foveaConfig.cmake ${PROJECT_BINARY_DIR}/foveaConfigVersion.cmake
              ${PROJECT_SOURCE_DIR}/cmake/FoveaDependencies.cmake DESTINATION ${package_dir})
