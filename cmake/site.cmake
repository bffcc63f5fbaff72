# The target `site`: docs/ as pages, with pictures, output and comparisons that the built binary
# makes. It stands in the folder `site` beside the binary, where `cradle docs` looks for it.
file(GLOB site_tools CONFIGURE_DEPENDS ${web}/site/*.mjs ${web}/site/*.js ${web}/site/*.css)
file(GLOB_RECURSE site_pages CONFIGURE_DEPENDS docs/*.md docs/*.cradle docs/*.svg models/*.cradle
     lib/std/*.cradle tests/library/*.cradle
     tests/golden/*.csv)
set(site ${PROJECT_BINARY_DIR}/site)
add_custom_command(OUTPUT ${site}/index.html
  COMMAND ${NODE} ${web}/site/build.mjs --cradle $<TARGET_FILE:cradle_program> --out ${site}
  DEPENDS cradle_program ${web_modules} ${site_tools} ${site_pages} README.md CHANGELOG.md
  COMMENT "Building the site"
  VERBATIM)
add_custom_target(site DEPENDS ${site}/index.html)

if(CRADLE_TESTS)
  file(GLOB site_tests CONFIGURE_DEPENDS ${web}/site/*.test.mjs)
  add_test(NAME site_builder COMMAND ${NODE} --test ${site_tests})
  # Every link, every command and every number of the pages. Sanitized binaries have the same tests
  # of the engine elsewhere.
  if(NOT CRADLE_SANITIZE)
    add_test(NAME site COMMAND ${NODE} ${web}/site/build.mjs
             --cradle $<TARGET_FILE:cradle_program> --out ${PROJECT_BINARY_DIR}/site-test --read check)
    set_tests_properties(site PROPERTIES TIMEOUT 600 FIXTURES_SETUP site)
  endif()
endif()
