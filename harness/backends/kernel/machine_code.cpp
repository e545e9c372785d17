#include "backends/kernel/machine_code.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "backends/implementation.h"
#include "core/error.h"

namespace plumbline {
namespace {

constexpr int kCudaMachine = 190;  // EM_CUDA
constexpr std::string_view kCode = ".text.";

/// Bits of the architecture in e_flags, by the version of CUDA's ABI in the header.
struct FlagLayout {
  unsigned char version;
  unsigned shift;     // of its number
  unsigned specific;  // the bit that marks architecture-specific code
};
constexpr FlagLayout kLayouts[] = {{7, 0, 0x800}, {8, 8, 0x8}};

template <class T>
T read_at(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool holds(std::string_view bytes, std::size_t at, std::size_t size) {
  return at <= bytes.size() && size <= bytes.size() - at;
}

std::optional<Architecture> architecture_of(const Elf64_Ehdr& header) {
  for (const FlagLayout& layout : kLayouts)
    if (layout.version == header.e_ident[EI_ABIVERSION])
      return Architecture{int(header.e_flags >> layout.shift & 0xff),
                          (header.e_flags & layout.specific) != 0 ? 'a' : '\0'};
  return std::nullopt;
}

/// Name of a section in the table of names; "" if the offset is outside the table.
std::string_view name_in(std::string_view names, std::size_t at) {
  if (at >= names.size()) return {};
  names.remove_prefix(at);
  return names.substr(0, names.find('\0'));
}

}  // namespace

MachineCode read_machine_code(const std::string& path, std::string_view bytes) {
  if (!bytes.starts_with(ELFMAG) || bytes.size() < sizeof(Elf64_Ehdr) ||
      bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB)
    throw Error(path + " is no ELF file of 64 bits, as a .cubin is one");
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (header.e_machine != kCudaMachine)
    throw Error(path + " is for the machine " + std::to_string(header.e_machine) +
                " of ELF; GPUs of NVIDIA are " + std::to_string(kCudaMachine));
  const Error cut_off(path + " is cut off: its " + std::to_string(bytes.size()) +
                      " bytes do not hold all that its header names");
  if (!holds(bytes, header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr))) throw cut_off;
  std::vector<Elf64_Shdr> sections;
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    const std::size_t at = header.e_shoff + i * sizeof(Elf64_Shdr);
    if (!holds(bytes, at, sizeof(Elf64_Shdr))) throw cut_off;
    sections.push_back(read_at<Elf64_Shdr>(bytes, at));
    const Elf64_Shdr& section = sections.back();
    if (section.sh_type != SHT_NOBITS && !holds(bytes, section.sh_offset, section.sh_size))
      throw cut_off;
  }
  if (header.e_shstrndx >= sections.size()) throw cut_off;
  const Elf64_Shdr& names = sections[header.e_shstrndx];
  if (!holds(bytes, names.sh_offset, names.sh_size)) throw cut_off;
  MachineCode code{architecture_of(header), {}};
  for (const Elf64_Shdr& section : sections)
    if (const auto name = name_in(bytes.substr(names.sh_offset, names.sh_size), section.sh_name);
        name.starts_with(kCode))
      code.functions.emplace_back(name.substr(kCode.size()));
  return code;
}

void check_machine_code(const std::string& path, std::string_view bytes, const std::string& entry,
                        const Architecture& here) {
  const MachineCode code = read_machine_code(path, bytes);
  if (code.architecture)
    if (const std::string wrong = machine_code_misfit(*code.architecture, here); !wrong.empty())
      throw Unsupported(path + ' ' + wrong);
  if (std::ranges::find(code.functions, entry) != code.functions.end()) return;
  std::string known;
  for (const std::string& name : code.functions) known += (known.empty() ? "" : ", ") + name;
  throw Error("'" + entry + "' is no kernel of " + path +
              (known.empty() ? "; it has none" : "; it has: " + known));
}

}  // namespace plumbline
