# One program per room from src/<floor>/<room>/*_test.cpp, one per file of tests/*_test.cpp, and the scripts.
set(test_libraries cradle_show GTest::gtest_main ${RAPIDCHECK} Eigen3::Eigen)

function(cradle_test_program name)
  add_executable(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE ${test_libraries})
  # The tests themselves need no speed, and their expansions take long to optimise.
  target_compile_options(${name} PRIVATE -O0)
  # GoogleTest is read once, for the first program, and serves all.
  get_property(first GLOBAL PROPERTY CRADLE_FIRST_TEST)
  if(first)
    target_precompile_headers(${name} REUSE_FROM ${first})
  else()
    target_precompile_headers(${name} PRIVATE <gtest/gtest.h> <algorithm> <functional> <map>
                              <random> <string> <vector>)
    set_property(GLOBAL PROPERTY CRADLE_FIRST_TEST ${name})
  endif()
  target_compile_definitions(${name} PRIVATE CRADLE_ROOT="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 120 PROPERTIES TIMEOUT 900)
endfunction()

get_property(tested GLOBAL PROPERTY CRADLE_ROOM_TESTS)
foreach(room ${tested})
  get_property(files GLOBAL PROPERTY CRADLE_ROOM_TESTS_${room})
  cradle_test_program(${room}_test ${files})
endforeach()
if(ASMJIT)
  target_compile_definitions(machine_test PRIVATE CRADLE_MACHINE_CODE)
endif()
target_include_directories(raster_test SYSTEM PRIVATE ${RSVG_INCLUDE_DIRS})

# The servers are not in the library.
target_link_libraries(serve_test PRIVATE cradle_serve)
target_link_libraries(studio_test PRIVATE cradle_studio cradle_serve)

target_link_libraries(cli_test PRIVATE cradle_cli cradle_studio cradle_serve)

file(GLOB whole_tests CONFIGURE_DEPENDS tests/*_test.cpp)
foreach(file ${whole_tests})
  get_filename_component(name ${file} NAME_WE)
  cradle_test_program(${name} ${file})
endforeach()
# Exact arithmetic does need speed, and headers that were read without it are no use then.
target_compile_options(networks_test PRIVATE -O2)
set_target_properties(networks_test PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)

add_test(NAME rooms COMMAND bash ${PROJECT_SOURCE_DIR}/tests/rooms.sh ${PROJECT_SOURCE_DIR})
add_test(NAME one_definition
  COMMAND bash ${PROJECT_SOURCE_DIR}/tests/one_definition.sh ${PROJECT_SOURCE_DIR})
add_test(NAME rooms_check_can_fail COMMAND bash ${PROJECT_SOURCE_DIR}/tests/rooms_test.sh)
add_test(NAME commands
  COMMAND bash ${PROJECT_SOURCE_DIR}/tests/commands_test.sh $<TARGET_FILE:cradle_program>)
set_tests_properties(commands PROPERTIES TIMEOUT 900)
add_test(NAME first_contact
  COMMAND bash ${PROJECT_SOURCE_DIR}/tests/first_contact_test.sh $<TARGET_FILE:cradle_program>)
add_test(NAME resume
  COMMAND bash ${PROJECT_SOURCE_DIR}/tests/resume_test.sh $<TARGET_FILE:cradle_program>)
add_test(NAME sweep
  COMMAND bash ${PROJECT_SOURCE_DIR}/tests/sweep_test.sh $<TARGET_FILE:cradle_program>)
add_test(NAME pictures
  COMMAND bash ${PROJECT_SOURCE_DIR}/tests/pictures_test.sh $<TARGET_FILE:cradle_program>)
add_test(NAME parts_pages
  COMMAND bash ${PROJECT_SOURCE_DIR}/tests/parts_pages_test.sh $<TARGET_FILE:cradle_program>)
add_test(NAME studio
  COMMAND ${NODE} ${PROJECT_SOURCE_DIR}/tests/studio_test.mjs $<TARGET_FILE:cradle_program>)
set_tests_properties(studio PROPERTIES TIMEOUT 900)
if(NOT CRADLE_SANITIZE)
  # What the pages compute, that their types agree, and what a browser makes of them. Screenshots are
  # for people to look at.
  add_test(NAME pages_logic COMMAND ${NODE} test/run.mjs WORKING_DIRECTORY ${web})
  add_test(NAME pages_types COMMAND ${NODE} node_modules/typescript/bin/tsc --noEmit
    WORKING_DIRECTORY ${web})
  foreach(page report studio site)
    add_test(NAME browser_${page} COMMAND ${NODE} --test test/browser/${page}.test.mjs
      WORKING_DIRECTORY ${web})
    # The longest begin first, so that the others fill the cores beside them.
    set_tests_properties(browser_${page} PROPERTIES TIMEOUT 1200 COST 100 ENVIRONMENT
      "CRADLE=$<TARGET_FILE:cradle_program>;CRADLE_SITE=${PROJECT_BINARY_DIR}/site-test;CRADLE_SCREENSHOTS=${PROJECT_BINARY_DIR}/screenshots")
  endforeach()
  set_tests_properties(browser_site PROPERTIES FIXTURES_REQUIRED site)
  set_tests_properties(browser_studio PROPERTIES PROCESSORS 2)  # somebody types there
  add_test(NAME installed_package
    COMMAND bash ${PROJECT_SOURCE_DIR}/tests/package_test.sh ${PROJECT_BINARY_DIR})
  set_tests_properties(installed_package PROPERTIES TIMEOUT 300 COST 100)
endif()
