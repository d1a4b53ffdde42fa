# Compiler, linker and the libraries that everything is built with.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR CMAKE_CXX_COMPILER_VERSION VERSION_LESS 19)
  message(FATAL_ERROR "Troupe is built with clang 19 or newer (g++ 12 miscompiles coroutines). "
                      "Use a preset: cmake --preset release")
endif()

option(TROUPE_SANITIZE "AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(TROUPE_SANITIZE_THREADS "ThreadSanitizer" OFF)

# Precompiled headers carry a timestamp and an absolute path; without both, ccache hits.
find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Xclang> $<$<COMPILE_LANGUAGE:CXX>:-fno-pch-timestamp>)
endif()

find_program(MOLD mold)
find_program(LLD NAMES ld.lld-19 ld.lld)
if((TROUPE_SANITIZE OR TROUPE_SANITIZE_THREADS) AND LLD)
  add_link_options(-fuse-ld=lld-19)
elseif(MOLD)
  add_link_options(-fuse-ld=mold)
elseif(LLD)
  add_link_options(-fuse-ld=lld-19)
endif()

add_compile_options(-Wall -Wextra -Wshadow -Wno-gnu-statement-expression -Wno-missing-field-initializers
                    -Wno-missing-designated-field-initializers -fvisibility=hidden)
add_compile_definitions(
  BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_SEPARATE_COMPILATION
  BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_DISABLE_BOOST_REGEX
  TROUPE_VERSION="${PROJECT_VERSION}")

if(TROUPE_SANITIZE)
  add_compile_options(-fsanitize=address,undefined,fuzzer-no-link -fno-omit-frame-pointer -fno-sanitize-recover=undefined)
  add_link_options(-fsanitize=address,undefined)
elseif(TROUPE_SANITIZE_THREADS)
  add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
  add_link_options(-fsanitize=thread)
else()
  add_link_options(-static-libstdc++ -static-libgcc)
  add_compile_options($<$<CONFIG:Release>:-ffunction-sections> $<$<CONFIG:Release>:-fdata-sections>)
  add_link_options($<$<CONFIG:Release>:-Wl,--gc-sections> $<$<CONFIG:Release>:-s>)
endif()

# Linked statically, so that the binary runs wherever libc does.
set(Boost_USE_STATIC_LIBS ON)
set(OPENSSL_USE_STATIC_LIBS ON)
find_package(Boost 1.81 REQUIRED COMPONENTS json url)
find_package(OpenSSL 3.0 REQUIRED)
find_package(Threads REQUIRED)
find_package(zstd REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
# CMake finds only the shared library; the archive lies beside it and needs what SQLite itself links with.
find_library(SQLITE3_ARCHIVE libsqlite3.a REQUIRED)
set_target_properties(SQLite::SQLite3 PROPERTIES IMPORTED_LOCATION ${SQLITE3_ARCHIVE})
target_link_libraries(SQLite::SQLite3 INTERFACE m dl Threads::Threads)
# The same holds for libpng and what it needs.
find_library(PNG_ARCHIVE libpng.a REQUIRED)
find_library(ZLIB_ARCHIVE libz.a REQUIRED)
add_library(png_archive INTERFACE)
target_link_libraries(png_archive INTERFACE ${PNG_ARCHIVE} ${ZLIB_ARCHIVE} m)
