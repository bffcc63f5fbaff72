# The pages (web/) are bundled by esbuild and travel inside the binary: at run time there is neither
# a network nor Node. scripts/setup.sh installs what web/package-lock.json names.
find_program(NODE node REQUIRED)
find_program(NPM npm REQUIRED)
set(web ${PROJECT_SOURCE_DIR}/web)
set(web_modules ${web}/node_modules/.package-lock.json)
add_custom_command(OUTPUT ${web_modules}
  COMMAND ${NPM} ci --ignore-scripts --no-audit --no-fund --loglevel=error
  COMMAND ${CMAKE_COMMAND} -E touch ${web_modules}
  WORKING_DIRECTORY ${web}
  DEPENDS ${web}/package-lock.json ${web}/.npmrc
  COMMENT "Installing the packages of web/"
  VERBATIM)
file(GLOB_RECURSE web_sources CONFIGURE_DEPENDS ${web}/src/*.ts ${web}/src/*.tsx ${web}/src/*.css
  ${PROJECT_SOURCE_DIR}/src/language/*.def)
set(embedded_pages ${PROJECT_BINARY_DIR}/generated/pages/embedded_pages.cpp)
add_custom_command(OUTPUT ${embedded_pages}
  COMMAND ${NODE} ${web}/build.mjs --out ${PROJECT_BINARY_DIR}/generated/pages
  DEPENDS ${web_modules} ${web_sources} ${web}/build.mjs
  COMMENT "Bundling the pages"
  VERBATIM)
