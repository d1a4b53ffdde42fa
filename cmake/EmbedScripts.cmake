# Writes OUTPUT, a C++ file with the scripts of FOLDER: those of its order.txt joined, and each hook by itself.

include(${CMAKE_CURRENT_LIST_DIR}/Embed.cmake)

file(STRINGS ${FOLDER}/order.txt names REGEX "^[^#]")
# Comments and indentation only cost the browser time: every document reads this anew.
function(join_scripts variable)
  set(joined "")
  foreach(name ${ARGN})
    file(READ ${FOLDER}/${name} text)
    string(REGEX REPLACE "\n +" "\n" text "\n${text}")
    string(REGEX REPLACE "\n//[^\n]*" "" text "${text}")
    string(APPEND joined "${text}\n")
  endforeach()
  set(${variable} "${joined}" PARENT_SCOPE)
endfunction()
list(FIND names snapshot.js last)
math(EXPR first "${last} + 1")
list(SUBLIST names 0 ${first} basis)
list(SUBLIST names ${first} -1 rest)
join_scripts(basis ${basis})
join_scripts(rest ${rest})

file(WRITE ${OUTPUT} "#include \"page/script.h\"\n\nnamespace page {\n\n")
embed(script "${basis}")
embed(more_script "${rest}")
file(READ ${FOLDER}/hooks/timers.js timers)
embed(timers_script "${timers}")
file(APPEND ${OUTPUT} "}  // namespace page\n")
