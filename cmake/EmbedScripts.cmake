# Writes OUTPUT, a C++ file with the scripts of FOLDER: those of its order.txt joined, and each hook by itself.

# A function that gives `text`. Compilers limit the length of one literal, so it goes in as pieces.
function(embed name text)
  string(LENGTH "${text}" length)
  set(code "std::string_view ${name}() {\n    static const std::string kText = std::string()")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 12000 piece)
    string(APPEND code "\n        + R\"TROUPE(${piece})TROUPE\"")
    math(EXPR at "${at} + 12000")
  endwhile()
  file(APPEND ${OUTPUT} "${code};\n    return kText;\n}\n\n")
endfunction()

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
