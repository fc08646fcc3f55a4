# The font of pictures, embedded as FOVEA_FONT_SOURCE, a C++ source of the library: a picture is the same
# wherever it is drawn, and nothing is looked for at run time.
find_file(FOVEA_FONT DejaVuSans.ttf
          PATHS /usr/share/fonts/truetype/dejavu /usr/share/fonts/TTF /usr/share/fonts/dejavu-sans-fonts
                /usr/share/fonts/dejavu
          NO_DEFAULT_PATH)
if(NOT FOVEA_FONT)
  message(FATAL_ERROR "DejaVuSans.ttf (Debian: fonts-dejavu-core) is not there; install it or set FOVEA_FONT to its path")
endif()

set(FOVEA_FONT_SOURCE ${PROJECT_BINARY_DIR}/font_file.cc)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${FOVEA_FONT})
if(NOT EXISTS ${FOVEA_FONT_SOURCE} OR ${FOVEA_FONT} IS_NEWER_THAN ${FOVEA_FONT_SOURCE})
  file(READ ${FOVEA_FONT} font HEX)
  # Octal would be shorter, but a number a byte is what every compiler reads quickly.
  string(REGEX REPLACE "(..)" "0x\\1," font "${font}")
  file(WRITE ${FOVEA_FONT_SOURCE}
       "#include \"fovea/explain/font_file.h\"\n\n"
       "namespace fovea {\n\n"
       "static const unsigned char kFont[] = {${font}};\n\n"
       "std::string_view font_file() { return {reinterpret_cast<const char*>(kFont), sizeof kFont}; }\n\n"
       "}  // namespace fovea\n")
  unset(font)
endif()
