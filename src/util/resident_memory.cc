#include "util/resident_memory.h"

#include <link.h>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace {

// Releases segments that are never written to: their dropped pages can be read from the file again. Data that
// is read-only only after relocation is in a writable segment.
void release_segments(const dl_phdr_info& object) {
    auto page = static_cast<ElfW(Addr)>(::sysconf(_SC_PAGESIZE));
    for (const ElfW(Phdr)* segment = object.dlpi_phdr; segment != object.dlpi_phdr + object.dlpi_phnum;
         ++segment) {
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_W) != 0) continue;
        ElfW(Addr) begin = (object.dlpi_addr + segment->p_vaddr) & ~(page - 1);
        ElfW(Addr) end = object.dlpi_addr + segment->p_vaddr + segment->p_memsz;
        ::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
    }
}

}  // namespace

void release_unused_memory() {
    ::malloc_trim(0);
    // The first object is the program.
    auto first_only = [](dl_phdr_info* object, std::size_t, void*) {
        release_segments(*object);
        return 1;
    };
    ::dl_iterate_phdr(first_only, nullptr);
}

void MemoryTrimmer::trim_in(std::chrono::milliseconds delay) {
    timer_.expires_after(delay);
    timer_.async_wait([](boost::system::error_code error) {
        if (!error) release_unused_memory();
    });
}
