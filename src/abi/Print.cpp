// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "abi/Print.h"

#include "abi/CFormat.h"

using namespace llvm;

namespace tilewright {
namespace {

void appendTo(void *self, const char *text, size_t size) {
  static_cast<std::string *>(self)->append(text, size);
}

} // namespace

void formatPrint(std::string &out, StringRef format, ArrayRef<tilewright_print_arg> args) {
  tilewright_sink sink{appendTo, &out};
  tilewright_format(&sink, format.str().c_str(), args.size(), args.data());
}

SmallVector<bool> unsignedConversions(StringRef format) {
  SmallVector<bool> result;
  for (size_t i = 0; i + 1 < format.size(); ++i) {
    if (format[i] != '%')
      continue;
    if (format[i + 1] == '%') {
      ++i;
      continue;
    }
    i = format.find_first_of("diouxXeEfFgGaAcsp", i + 1);
    if (i == StringRef::npos)
      break;
    result.push_back(StringRef("ouxX").contains(format[i]));
  }
  return result;
}

} // namespace tilewright
