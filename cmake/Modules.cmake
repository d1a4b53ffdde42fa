# add_module(NAME USES OTHER... [PRECOMPILES HEADER]): the static library troupe_NAME from src/NAME/*.cc and the folders
# below. Its files include src/HEADER precompiled; without one, what the last module before it that has a HEADER does.
# add_folder(NAME USES OTHER...): a folder of src/ that is a part of a module's library, or of the program.
# OTHER is a module or such a folder. Both lists are written to build/<preset>/modules.txt for the test that checks every
# #include.

set_property(GLOBAL PROPERTY TROUPE_MODULES "")

function(add_folder name)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  set_property(GLOBAL APPEND_STRING PROPERTY TROUPE_MODULES "${name}:${ARG_USES}\n")
  get_property(modules GLOBAL PROPERTY TROUPE_MODULES)
  file(WRITE ${CMAKE_BINARY_DIR}/modules.txt "${modules}")
endfunction()

function(add_module name)
  cmake_parse_arguments(ARG "" "PRECOMPILES" "USES" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cc)
  if(NOT sources)
    message(FATAL_ERROR "src/${name} has no sources")
  endif()
  add_library(troupe_${name} STATIC ${sources})
  target_include_directories(troupe_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  foreach(used ${ARG_USES})
    string(REGEX REPLACE "/.*" "" library ${used})
    target_link_libraries(troupe_${name} PUBLIC troupe_${library})
  endforeach()
  if(name STREQUAL "util")
    target_link_libraries(troupe_util PUBLIC Boost::json Boost::url OpenSSL::SSL Threads::Threads)
  endif()
  if(ARG_PRECOMPILES)
    set_property(GLOBAL PROPERTY TROUPE_PRECOMPILES ${name})
    target_precompile_headers(troupe_${name} PRIVATE ${CMAKE_SOURCE_DIR}/src/${ARG_PRECOMPILES})
  else()
    get_property(precompiles GLOBAL PROPERTY TROUPE_PRECOMPILES)
    target_precompile_headers(troupe_${name} REUSE_FROM troupe_${precompiles})
  endif()
  add_folder(${name} USES ${ARG_USES})
endfunction()

# add_page_scripts(NAME): src/NAME/*.js, in the order of src/NAME/order.txt, as one text in the binary.
function(add_page_scripts name)
  set(folder ${CMAKE_SOURCE_DIR}/src/${name})
  set(output ${CMAKE_BINARY_DIR}/generated/${name}/script.cc)
  file(GLOB scripts CONFIGURE_DEPENDS ${folder}/*.js ${folder}/hooks/*.js)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D OUTPUT=${output} -P ${CMAKE_SOURCE_DIR}/cmake/EmbedScripts.cmake
    DEPENDS ${scripts} ${folder}/order.txt ${CMAKE_SOURCE_DIR}/cmake/EmbedScripts.cmake ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
    VERBATIM)
  add_library(troupe_${name} STATIC ${output})
  target_include_directories(troupe_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  add_folder(${name})
endfunction()

# embed_file(MODULE FILE AS NAMESPACE::FUNCTION IN HEADER): src/FILE as a text in the binary, declared in src/HEADER.
function(embed_file module file as name in header)
  string(REPLACE "::" ";" parts ${name})
  list(GET parts 0 namespace)
  list(GET parts 1 function)
  set(input ${CMAKE_SOURCE_DIR}/src/${file})
  set(output ${CMAKE_BINARY_DIR}/generated/${file}.cc)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -D INPUT=${input} -D OUTPUT=${output} -D NAMESPACE=${namespace} -D FUNCTION=${function}
            -D HEADER=${header} -P ${CMAKE_SOURCE_DIR}/cmake/EmbedFile.cmake
    DEPENDS ${input} ${CMAKE_SOURCE_DIR}/cmake/EmbedFile.cmake ${CMAKE_SOURCE_DIR}/cmake/Embed.cmake
    VERBATIM)
  target_sources(troupe_${module} PRIVATE ${output})
endfunction()

# embed_program(MODULE FILE AS NAMESPACE::FUNCTION IN HEADER): the program troupe_<name of FILE>, static and without the
# C++ library, as bytes in the binary. It is never sanitized: what it is for is to be small.
function(embed_program module file as name in header)
  string(REPLACE "::" ";" parts ${name})
  list(GET parts 0 namespace)
  list(GET parts 1 function)
  get_filename_component(short ${file} NAME_WE)
  set(program troupe_${short})
  add_executable(${program} ${CMAKE_SOURCE_DIR}/src/${file})
  target_compile_options(${program} PRIVATE -Os -fno-pie -fno-exceptions -fno-rtti -fno-sanitize=all)
  target_link_options(${program} PRIVATE -static -no-pie -nostdlib++ -fno-sanitize=all -s
                      -Wno-unused-command-line-argument)
  set(output ${CMAKE_BINARY_DIR}/generated/${file}.program.cc)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [==[
#include "@header@"

asm(R"(
    .section .rodata
    .balign 16
@program@_begin:
    .incbin "@CMAKE_BINARY_DIR@/@program@"
@program@_end:
    .previous
)");

extern "C" {
[[gnu::visibility("hidden")]] extern const char @program@_begin[];
[[gnu::visibility("hidden")]] extern const char @program@_end[];
}

namespace @namespace@ {

std::string_view @function@() { return {@program@_begin, @program@_end}; }

}  // namespace @namespace@
]==])
  set_source_files_properties(${output} PROPERTIES OBJECT_DEPENDS ${CMAKE_BINARY_DIR}/${program})
  target_sources(troupe_${module} PRIVATE ${output})
  add_dependencies(troupe_${module} ${program})
endfunction()
