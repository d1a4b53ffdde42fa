# embed(NAME TEXT): appends to OUTPUT, a C++ file, a function that gives the text.

# Compilers limit the length of one literal, so it goes in as pieces.
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
