# Writes OUTPUT, a C++ file with NAMESPACE::FUNCTION(), declared in HEADER, which gives the text of INPUT.

include(${CMAKE_CURRENT_LIST_DIR}/Embed.cmake)

file(READ ${INPUT} text)
file(WRITE ${OUTPUT} "#include \"${HEADER}\"\n\nnamespace ${NAMESPACE} {\n\n")
embed(${FUNCTION} "${text}")
file(APPEND ${OUTPUT} "}  // namespace ${NAMESPACE}\n")
