#include "device/cuda/code/cubin.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <utility>

#include "core/error.h"

namespace plumbline::cuda {
namespace {

constexpr int kCudaMachine = 190;  // EM_CUDA
constexpr std::string_view kCode = ".text.";
constexpr std::string_view kConstants = ".nv.constant2.";  // literals of one function
constexpr std::string_view kModuleConstants = ".nv.constant3", kInitialised = ".nv.global.init";
constexpr std::string_view kShared = ".nv.shared.";
constexpr std::string_view kReserved = ".nv.shared.reserved.";  // by the system, in each block
constexpr int kReservedBytes = 1024;  // what sections of shared memory then include
constexpr std::string_view kInfo = ".nv.info", kInfoOf = ".nv.info.";  // of all, of one function

/// Bits of the architecture in e_flags, by the version of CUDA's ABI in the header.
struct FlagLayout {
  unsigned char version;
  unsigned shift;     // of its number
  unsigned specific;  // the bit that marks architecture-specific code
};
constexpr FlagLayout kLayouts[] = {{7, 0, 0x800}, {8, 8, 0x8}};

std::string architecture_of(const Elf64_Ehdr& header) {
  for (const FlagLayout& layout : kLayouts)
    if (layout.version == header.e_ident[EI_ABIVERSION])
      return "sm_" + std::to_string(header.e_flags >> layout.shift & 0xff) +
             ((header.e_flags & layout.specific) != 0 ? "a" : "");
  return "";
}

template <class T>
T read_at(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

bool holds(std::string_view bytes, std::size_t at, std::size_t size) {
  return at <= bytes.size() && size <= bytes.size() - at;
}

/// Name in a table of names; "" if the offset is outside the table.
std::string_view name_in(std::string_view names, std::size_t at) {
  if (at >= names.size()) return {};
  names.remove_prefix(at);
  return names.substr(0, names.find('\0'));
}

/// The sections of a file whose header is right.
class Sections {
 public:
  Sections(const std::string& name, std::string_view bytes, const Elf64_Ehdr& header,
           CubinSource source)
      : bytes_(bytes),
        cut_off_(name + " is cut off: its " + std::to_string(bytes.size()) +
                 " bytes do not hold all that its header names") {
    if (source == CubinSource::file &&
        !holds(bytes, header.e_phoff, header.e_phnum * sizeof(Elf64_Phdr)))
      throw cut_off_;
    for (std::size_t i = 0; i < header.e_shnum; ++i) {
      const std::size_t at = header.e_shoff + i * sizeof(Elf64_Shdr);
      if (!holds(bytes, at, sizeof(Elf64_Shdr))) throw cut_off_;
      headers_.push_back(read_at<Elf64_Shdr>(bytes, at));
      const Elf64_Shdr& section = headers_.back();
      if (section.sh_type != SHT_NOBITS && !holds(bytes, section.sh_offset, section.sh_size))
        throw cut_off_;
    }
    names_ = content(header.e_shstrndx);
  }

  const std::vector<Elf64_Shdr>& headers() const { return headers_; }

  std::string_view name(const Elf64_Shdr& section) const {
    return name_in(names_, section.sh_name);
  }

  std::string_view content(const Elf64_Shdr& section) const {
    if (section.sh_type == SHT_NOBITS) return {};
    return bytes_.substr(section.sh_offset, section.sh_size);
  }

  std::string_view content(std::size_t index) const {
    if (index >= headers_.size()) throw cut_off_;
    return content(headers_[index]);
  }

  /// The name of a symbol to which this section refers by a number.
  std::string_view symbol_name(const Elf64_Shdr& section, std::size_t symbol) const {
    return name_in(content(linked(section).sh_link), symbol_of(section, symbol).st_name);
  }

  /// The section in which that symbol is.
  std::size_t section_of_symbol(const Elf64_Shdr& section, std::size_t symbol) const {
    return symbol_of(section, symbol).st_shndx;
  }

 private:
  const Elf64_Shdr& linked(const Elf64_Shdr& section) const {
    if (section.sh_link >= headers_.size()) throw cut_off_;
    return headers_[section.sh_link];
  }

  Elf64_Sym symbol_of(const Elf64_Shdr& section, std::size_t symbol) const {
    const std::string_view symbols = content(linked(section));
    if (symbol >= symbols.size() / sizeof(Elf64_Sym)) throw cut_off_;
    return read_at<Elf64_Sym>(symbols, symbol * sizeof(Elf64_Sym));
  }

  std::string_view bytes_, names_;
  Error cut_off_;
  std::vector<Elf64_Shdr> headers_;
};

std::vector<Relocation> relocations_in(const Sections& sections, const Elf64_Shdr& section) {
  const bool has_addend = section.sh_type == SHT_RELA;
  const std::size_t size = has_addend ? sizeof(Elf64_Rela) : sizeof(Elf64_Rel);
  const std::string_view content = sections.content(section);
  std::vector<Relocation> found;
  for (std::size_t at = 0; at + size <= content.size(); at += size) {
    const auto entry = read_at<Elf64_Rel>(content, at);
    Relocation relocation;
    relocation.offset = entry.r_offset;
    relocation.type = std::uint32_t(ELF64_R_TYPE(entry.r_info));
    if (has_addend) relocation.addend = read_at<Elf64_Rela>(content, at).r_addend;
    relocation.symbol = sections.symbol_name(section, ELF64_R_SYM(entry.r_info));
    found.push_back(relocation);
  }
  return found;
}

/// The functions of a file, and the sections of which they are made.
class Functions {
 public:
  explicit Functions(const Sections& sections) : sections_(sections) {
    for (std::size_t i = 0; i < sections.headers().size(); ++i) {
      const Elf64_Shdr& section = sections.headers()[i];
      const std::string_view title = sections.name(section);
      if (!title.starts_with(kCode)) continue;
      CubinFunction function;
      function.name = title.substr(kCode.size());
      function.code = sections.content(section);
      by_section_[i] = by_name_[function.name] = functions_.size();
      functions_.push_back(std::move(function));
    }
    for (const Elf64_Shdr& section : sections.headers()) {
      add(section);
      has_reserved_ = has_reserved_ || sections.name(section).starts_with(kReserved);
    }
    for (CubinFunction& function : functions_)
      if (has_reserved_ && function.shared_bytes >= kReservedBytes)
        function.shared_bytes -= kReservedBytes;
  }

  std::vector<CubinFunction> take() { return std::move(functions_); }
  const std::string& data() const { return data_; }

 private:
  void add(const Elf64_Shdr& section) {
    const std::string_view title = sections_.name(section);
    if (CubinFunction* const function = named(title, kConstants))
      function->constants = sections_.content(section);
    if (CubinFunction* const function = named(title, kShared))
      function->shared_bytes = int(section.sh_size);
    if (title == kInfo) add_registers(section);
    if (CubinFunction* const function = named(title, kInfoOf)) add_block(section, *function);
    if (title == kModuleConstants || title == kInitialised) data_ += sections_.content(section);
    if (section.sh_type != SHT_REL && section.sh_type != SHT_RELA) return;
    if (const auto of = by_section_.find(section.sh_info); of != by_section_.end())
      std::ranges::copy(relocations_in(sections_, section),
                        std::back_inserter(functions_[of->second].relocations));
  }

  CubinFunction* named(std::string_view title, std::string_view prefix) {
    if (!title.starts_with(prefix)) return nullptr;
    const auto found = by_name_.find(title.substr(prefix.size()));
    return found == by_name_.end() ? nullptr : &functions_[found->second];
  }

  /// Calls visit(value) for the values of that attribute. Entries are a format, an attribute and a
  /// value: 2 bytes, or a size and as many bytes.
  template <class Visit>
  void for_each_value(std::string_view info, std::uint8_t wanted, Visit&& visit) {
    constexpr std::uint8_t kHasSize = 4;
    for (std::size_t at = 0; at + 4 <= info.size(); at += 4) {
      const auto format = std::uint8_t(info[at]), attribute = std::uint8_t(info[at + 1]);
      if (format != kHasSize) continue;
      const std::size_t size = read_at<std::uint16_t>(info, at + 2);
      if (attribute == wanted && holds(info, at + 4, size)) visit(info.substr(at + 4, size));
      at += size;
    }
  }

  void add_registers(const Elf64_Shdr& section) {
    constexpr std::uint8_t kRegisterCount = 0x2f;
    for_each_value(sections_.content(section), kRegisterCount, [&](std::string_view value) {
      if (value.size() < 8) return;
      const auto of =
          by_section_.find(sections_.section_of_symbol(section, read_at<std::uint32_t>(value, 0)));
      if (of != by_section_.end())
        functions_[of->second].registers = int(read_at<std::uint32_t>(value, 4));
    });
  }

  /// PTX ISA, ".reqntid".
  void add_block(const Elf64_Shdr& section, CubinFunction& function) {
    constexpr std::uint8_t kRequiredThreads = 0x10;
    for_each_value(sections_.content(section), kRequiredThreads, [&](std::string_view value) {
      if (value.size() < 12) return;
      for (std::size_t i = 0; i < 3; ++i) function.block[i] = read_at<int>(value, 4 * i);
    });
  }

  const Sections& sections_;
  bool has_reserved_ = false;
  std::string data_;
  std::vector<CubinFunction> functions_;
  std::map<std::size_t, std::size_t> by_section_;
  std::map<std::string_view, std::size_t> by_name_;
};

}  // namespace

const CubinFunction* Cubin::find(std::string_view function) const {
  const auto found = std::ranges::find(functions, function, &CubinFunction::name);
  return found == functions.end() ? nullptr : &*found;
}

Cubin read_cubin(const std::string& name, std::string_view bytes, CubinSource source) {
  if (!bytes.starts_with(ELFMAG) || bytes.size() < sizeof(Elf64_Ehdr) ||
      bytes[EI_CLASS] != ELFCLASS64 || bytes[EI_DATA] != ELFDATA2LSB)
    throw Error(name + " is no ELF file of 64 bits, as a .cubin is one");
  const auto header = read_at<Elf64_Ehdr>(bytes, 0);
  if (header.e_machine != kCudaMachine)
    throw Error(name + " is for the machine " + std::to_string(header.e_machine) +
                " of ELF; GPUs of NVIDIA are " + std::to_string(kCudaMachine));
  const Sections sections(name, bytes, header, source);
  Functions functions(sections);
  return {architecture_of(header), functions.data(), functions.take()};
}

}  // namespace plumbline::cuda
