// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "target/nvidia/CubinFile.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace tilewright::nvidia {
namespace {

using Elf = object::ELFFile<object::ELF64LE>;

// Set in st_other of a function that can be launched (LLVM and NVIDIA's disassemblers call it STO_CUDA_ENTRY).
constexpr uint8_t cudaEntry = 0x10;

Expected<CubinFile> readElf(StringRef bytes) {
  auto elf = Elf::create(bytes);
  if (!elf)
    return elf.takeError();
  if (elf->getHeader().e_machine != ELF::EM_CUDA)
    return createStringError("its machine is " + Twine(elf->getHeader().e_machine) + ", expected " +
                             Twine(unsigned(ELF::EM_CUDA)) + ", CUDA");
  auto sections = elf->sections();
  if (!sections)
    return sections.takeError();

  CubinFile file;
  for (const Elf::Elf_Shdr &section : *sections) {
    if (section.sh_type != ELF::SHT_SYMTAB)
      continue;
    auto names = elf->getStringTableForSymtab(section);
    auto symbols = elf->symbols(&section);
    if (!names || !symbols)
      return joinErrors(names ? Error::success() : names.takeError(), symbols ? Error::success() : symbols.takeError());
    for (const Elf::Elf_Sym &symbol : *symbols) {
      if (symbol.getType() != ELF::STT_FUNC || !(symbol.st_other & cudaEntry))
        continue;
      auto name = symbol.getName(*names);
      if (!name)
        return name.takeError();
      KernelResources &kernel = file.kernels.emplace_back();
      kernel.name = name->str();
      kernel.codeBytes = symbol.st_size;
    }
  }
  for (const Elf::Elf_Shdr &section : *sections) {
    auto name = elf->getSectionName(section);
    if (!name)
      return name.takeError();
    if (*name == ".note.nv.tkinfo") {
      auto note = elf->getSectionContents(section);
      if (!note)
        return note.takeError();
      StringRef text = toStringRef(*note);
      size_t at = text.find("Cuda compilation tools");
      file.writer = at == StringRef::npos ? "" : text.substr(at).take_until([](char c) { return c == 0; }).str();
    }
    // A bank of constants of one kernel: .nv.constantN.KERNEL
    if (StringRef bank = *name; bank.consume_front(".nv.constant")) {
      StringRef owner = bank.drop_while(isDigit).ltrim('.');
      for (KernelResources &kernel : file.kernels)
        if (owner == kernel.name)
          kernel.constantBytes += section.sh_size;
    }
  }
  return file;
}

// The number before a phrase, as in "12 bytes stack frame".
uint64_t numberBefore(StringRef line, StringRef phrase) {
  size_t at = line.find(phrase);
  if (at == StringRef::npos)
    return 0;
  StringRef before = line.take_front(at).rtrim();
  uint64_t number = 0;
  before.take_back(before.size() - (before.find_last_not_of("0123456789") + 1)).getAsInteger(10, number);
  return number;
}

} // namespace

Expected<CubinFile> readCubin(StringRef bytes) {
  auto file = readElf(bytes);
  if (!file)
    return createStringError("the file is no cubin: " + toString(file.takeError()));
  return file;
}

void readResources(StringRef log, std::vector<KernelResources> &kernels) {
  // ptxas info    : Compiling entry function 'k' for 'sm_90a'
  // ptxas info    : Function properties for k
  //     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
  // ptxas info    : Used 6 registers, used 1 barriers, 512 bytes smem, 360 bytes cmem[0]
  auto find = [&](StringRef name) -> KernelResources * {
    auto kernel = llvm::find_if(kernels, [&](const KernelResources &kernel) { return kernel.name == name; });
    return kernel == kernels.end() ? nullptr : &*kernel;
  };
  KernelResources *entry = nullptr, *function = nullptr;
  SmallVector<StringRef> lines;
  log.split(lines, '\n');
  for (StringRef line : lines) {
    if (size_t at = line.find("Compiling entry function '"); at != StringRef::npos) {
      entry = find(line.substr(at).split('\'').second.split('\'').first);
    } else if (size_t at = line.find("Function properties for "); at != StringRef::npos) {
      function = find(line.substr(at + strlen("Function properties for ")).trim());
    } else if (line.contains("bytes stack frame") && function) {
      function->stackBytes = numberBefore(line, "bytes stack frame");
      function->spillStoreBytes = numberBefore(line, "bytes spill stores");
      function->spillLoadBytes = numberBefore(line, "bytes spill loads");
    } else if (line.contains(": Used ") && entry) {
      entry->registers = numberBefore(line, "registers");
      entry->barriers = numberBefore(line, "barriers");
      entry->sharedBytes = numberBefore(line, "bytes smem");
    }
  }
}

std::string describeResources(ArrayRef<KernelResources> kernels) {
  std::string text;
  for (const KernelResources &kernel : kernels)
    text += formatv("{0}: {1} registers, {2} bytes shared, {3} bytes spilled, {4} bytes of stack, {5} barriers, "
                    "{6} bytes of constants, {7} bytes of code\n",
                    kernel.name, kernel.registers, kernel.sharedBytes, kernel.spillStoreBytes + kernel.spillLoadBytes,
                    kernel.stackBytes, kernel.barriers, kernel.constantBytes, kernel.codeBytes);
  return text;
}

} // namespace tilewright::nvidia
