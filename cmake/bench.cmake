# One Google Benchmark program per bench/*_bench.cpp.
find_package(benchmark REQUIRED)
file(GLOB benches CONFIGURE_DEPENDS bench/*_bench.cpp)
foreach(file ${benches})
  get_filename_component(name ${file} NAME_WE)
  add_executable(${name} ${file})
  target_link_libraries(${name} PRIVATE cradle_show benchmark::benchmark)
  target_compile_definitions(${name} PRIVATE CRADLE_ROOT="${PROJECT_SOURCE_DIR}")
endforeach()
