// Releases memory that a small process of a large program does not need.
#pragma once

namespace daemons {

// Releases the pages of the program's code and constants that startup has touched. The kernel reloads them
// from the file when needed.
void release_program_pages();

}  // namespace daemons
