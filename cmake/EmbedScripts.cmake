# Writes OUTPUT, a C++ file with the scripts of FOLDER: those of its order.txt joined, and each hook by itself.

include(${CMAKE_CURRENT_LIST_DIR}/Embed.cmake)

file(STRINGS ${FOLDER}/order.txt names REGEX "^[^#]")
set(joined "")
foreach(name ${names})
  file(READ ${FOLDER}/${name} text)
  string(APPEND joined "${text}\n")
endforeach()

file(WRITE ${OUTPUT} "#include \"page/script.h\"\n\nnamespace page {\n\n")
embed(script "${joined}")
file(READ ${FOLDER}/hooks/timers.js timers)
embed(timers_script "${timers}")
file(APPEND ${OUTPUT} "}  // namespace page\n")
