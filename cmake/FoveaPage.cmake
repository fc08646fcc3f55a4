# The page: bundled by node when its sources changed, and embedded as FOVEA_PAGE_FILES, a C++ source of the library.
# What is installed needs no node.
option(FOVEA_PAGE "Build the page of fovea serve and of HTML files (needs node 18 and npm)" ON)

set(page_folder ${PROJECT_BINARY_DIR}/page)
set(FOVEA_PAGE_FILES ${page_folder}/page_files.cc)
if(FOVEA_PAGE AND NOT FOVEA_SANITIZE STREQUAL "fuzzer")
  find_program(FOVEA_NODE NAMES node nodejs)
  find_program(FOVEA_NPM npm)
  if(NOT FOVEA_NODE OR NOT FOVEA_NPM)
    message(FATAL_ERROR "node and npm (Debian: nodejs npm) build the page and are not there; "
                        "install them, or configure with -DFOVEA_PAGE=OFF for a program without it")
  endif()
  set(viewer ${PROJECT_SOURCE_DIR}/src/fovea/viewer)
  file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${viewer}/app/*)
  add_custom_command(
    OUTPUT ${FOVEA_PAGE_FILES}
    BYPRODUCTS ${page_folder}/app.js ${page_folder}/app.css ${page_folder}/index.html ${page_folder}/standalone.html
    COMMAND ${FOVEA_NODE} build.mjs ${page_folder}
    WORKING_DIRECTORY ${viewer}
    DEPENDS ${page_sources} ${viewer}/build.mjs ${viewer}/packages.mjs ${viewer}/package-lock.json
    COMMENT "Bundling the page"
    VERBATIM)
else()
  configure_file(${PROJECT_SOURCE_DIR}/cmake/no_page_files.cc.in ${FOVEA_PAGE_FILES} COPYONLY)
endif()
