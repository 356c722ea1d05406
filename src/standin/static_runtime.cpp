// A program that has the CUDA runtime inside (`nvcc -cudart static`, and nvcc where nothing is said) asks no library
// for it. Its functions are found by the program's symbol table, before any of its code has run, and each is made to go
// on at the stand-in's of the same name.
#if defined(__x86_64__) && defined(__linux__)

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string_view>

#include "llvm/Support/MemoryBuffer.h"
#include "standin/state.h"

namespace warpcc::standin {

namespace {

constexpr std::size_t kJump = 14, kStub = 22;

// jmp *0(%rip), then where to.
void write_jump(std::uint8_t* at, const void* to) {
  static constexpr std::uint8_t kCode[] = {0xff, 0x25, 0, 0, 0, 0};
  std::memcpy(at, kCode, sizeof kCode);
  std::memcpy(at + sizeof kCode, &to, sizeof to);
}

[[noreturn]] void missing(const char* name) {
  std::fprintf(stderr, "warpcc: the program calls `%s`, which the stand-in for the CUDA runtime does not have\n", name);
  State::get().report();
  _exit(127);
}

// movabs name, %rdi; movabs missing, %rax; jmp *%rax
void write_stub(std::uint8_t* at, const char* name) {
  const auto* handler = reinterpret_cast<const void*>(&missing);
  at[0] = 0x48, at[1] = 0xbf;
  std::memcpy(at + 2, &name, 8);
  at[10] = 0x48, at[11] = 0xb8;
  std::memcpy(at + 12, &handler, 8);
  at[20] = 0xff, at[21] = 0xe0;
}

bool of_runtime(std::string_view name) {
  auto begins = [&](std::string_view word) { return name.substr(0, word.size()) == word; };
  if (begins("__cudart")) return false;  // inner functions, named by numbers
  return begins("__cuda") || (begins("cuda") && name.size() > 4 && name[4] >= 'A' && name[4] <= 'Z');
}

class Program {
 public:
  void redirect() {
    auto file = llvm::MemoryBuffer::getFile("/proc/self/exe", false, false);
    if (!file) return;
    bytes_ = (*file)->getBuffer();
    const auto* header = at<Elf64_Ehdr>(0);
    if (header == nullptr || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64)
      return;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* base) {
          *static_cast<std::uint64_t*>(base) = info->dlpi_addr;
          return 1;  // the program is the first
        },
        &base_);
    Dl_info self;
    if (dladdr(reinterpret_cast<const void*>(&missing), &self) == 0) return;
    library_ = dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD);
    if (library_ == nullptr) return;
    for (std::size_t i = 0; i < header->e_shnum; ++i) {
      const auto* section = at<Elf64_Shdr>(header->e_shoff + i * header->e_shentsize);
      if (section != nullptr && section->sh_type == SHT_SYMTAB) symbols(*header, *section);
    }
  }

 private:
  template <typename T>
  const T* at(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return nullptr;
    return reinterpret_cast<const T*>(bytes_.data() + offset);
  }

  void symbols(const Elf64_Ehdr& header, const Elf64_Shdr& table) {
    const auto* names = at<Elf64_Shdr>(header.e_shoff + std::uint64_t{table.sh_link} * header.e_shentsize);
    if (names == nullptr || names->sh_offset > bytes_.size()) return;
    for (std::uint64_t offset = 0; offset + sizeof(Elf64_Sym) <= table.sh_size; offset += sizeof(Elf64_Sym)) {
      const auto* symbol = at<Elf64_Sym>(table.sh_offset + offset);
      if (symbol == nullptr) return;
      if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF) continue;
      llvm::StringRef rest = bytes_.substr(names->sh_offset).substr(symbol->st_name);
      std::string_view name(rest.data(), rest.find('\0') == llvm::StringRef::npos ? 0 : rest.find('\0'));
      if (of_runtime(name)) redirect(name, *symbol);
    }
  }

  void redirect(std::string_view name, const Elf64_Sym& symbol) {
    // Where the program has a function of such a name that is none of the runtime's, it is as short as it likes.
    auto* code = reinterpret_cast<std::uint8_t*>(base_ + symbol.st_value);
    const std::string text(name);
    const void* ours = dlsym(library_, text.c_str());
    if (symbol.st_size < (ours != nullptr ? kJump : kStub)) return;
    const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
    const std::uint64_t begin = reinterpret_cast<std::uint64_t>(code) / page * page;
    const std::uint64_t length = reinterpret_cast<std::uint64_t>(code) + kStub - begin;
    auto* pages = reinterpret_cast<void*>(begin);
    if (mprotect(pages, length, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return;
    if (ours != nullptr) {
      write_jump(code, ours);
    } else {
      write_stub(code, strdup(text.c_str()));
    }
    mprotect(pages, length, PROT_READ | PROT_EXEC);
  }

  llvm::StringRef bytes_;
  std::uint64_t base_ = 0;
  void* library_ = nullptr;
};

__attribute__((constructor)) void redirect_static_runtime() {
  Program().redirect();
}

}  // namespace

}  // namespace warpcc::standin

#endif
