// What a small process that is part of a large program does without.
#pragma once

namespace daemons {

// Lets go of the program's code and constants that starting up has touched. What is needed again comes back
// from the file by itself.
void release_program_pages();

}  // namespace daemons
