// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handlers that XLA calls, for memory of the host and of GPUs.
#include "Interface.h"
#include "Program.h"
#include "arguments/ArraySources.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>
#include <random>

namespace nb = nanobind;

namespace tilewright::python::xla {
namespace {

Error *refuse(const Frame &frame, const std::string &message) {
  ErrorCreate create{{sizeof(ErrorCreate), nullptr}, message.c_str(), Internal};
  return frame.api->createError(&create);
}

// Attributes hold the program's address, good in the process that made it: a compiled program may outlive that.
int64_t thisProcess() {
  static const int64_t number = [] {
    std::random_device random;
    return static_cast<int64_t>((uint64_t(random()) << 32 | random()) >> 1);
  }();
  return number;
}

std::optional<int64_t> findNumber(const Attributes &attributes, llvm::StringRef wanted) {
  for (int64_t i = 0; i < attributes.size; ++i) {
    if (attributes.kinds[i] != ScalarAttribute ||
        llvm::StringRef(attributes.names[i]->data, attributes.names[i]->size) != wanted)
      continue;
    auto *scalar = static_cast<const Scalar *>(attributes.values[i]);
    if (scalar->type == Signed64)
      return *static_cast<const int64_t *>(scalar->value);
  }
  return std::nullopt;
}

// The memories of the frame, or what is wrong with them.
std::string readMemories(const Frame &frame, const Program &program, llvm::SmallVectorImpl<char *> &memories) {
  for (const Buffers *buffers : {&frame.operands, &frame.results})
    for (int64_t i = 0; i < buffers->size; ++i)
      memories.push_back(static_cast<char *>(buffers->buffers[i]->data));
  if (memories.size() != program.numMemories)
    return program.name + ": the call has " + std::to_string(memories.size()) + " buffers, expected " +
           std::to_string(program.numMemories);
  for (char *memory : memories)
    if (reinterpret_cast<uintptr_t>(memory) % 16)
      return program.name + ": XLA has a buffer at an address that is no multiple of 16";
  return "";
}

std::string messageOf(nb::python_error &error) {
  nb::gil_scoped_acquire acquire;
  std::string type = nb::cast<std::string>(error.type().attr("__name__"));
  return type + ": " + nb::cast<std::string>(nb::str(error.value()));
}

template <bool onGpu> Error *execute(Frame &frame) {
  std::optional<int64_t> process = findNumber(frame.attributes, "process");
  std::optional<int64_t> address = findNumber(frame.attributes, "program");
  if (!process || !address)
    return refuse(frame, "the call has not the attributes 'process' and 'program'");
  if (*process != thisProcess())
    return refuse(frame, "another process compiled the program, and its kernels are not here");
  auto &program = *reinterpret_cast<Program *>(*address);
  llvm::SmallVector<char *, 8> memories;
  if (std::string problem = readMemories(frame, program, memories); !problem.empty())
    return refuse(frame, problem);
  cuda::LaunchOptions options;
  int device = inHostMemory;
  if (onGpu) {
    StreamGet get{{sizeof(StreamGet), nullptr}, frame.context, nullptr};
    if (Error *error = frame.api->getStream(&get))
      return error;
    options.stream = static_cast<cuda::StreamHandle>(get.stream);
    for (char *memory : memories)
      device = std::max(device, deviceOf(memory));
    device = std::max(device, 0);
  }
  try {
    program.run(memories, device, options);
  } catch (nb::python_error &error) {
    return refuse(frame, messageOf(error));
  } catch (std::exception &error) {
    return refuse(frame, program.name + ": " + error.what());
  }
  return nullptr;
}

// Whether the frame asks for something else than a run, which is answered.
bool isAnswered(Frame &frame) {
  if (frame.head.extension && frame.head.extension->kind == AsksForMetadata) {
    Metadata &metadata = *reinterpret_cast<MetadataExtension *>(frame.head.extension)->metadata;
    metadata.version.major = majorVersion;
    metadata.version.minor = minorVersion;
    metadata.traits = 0;
    return true;
  }
  return frame.stage != Execute;
}

template <bool onGpu> Error *handle(Frame *frame) {
  return isAnswered(*frame) ? nullptr : execute<onGpu>(*frame);
}

Error *handleNothing(Frame *frame) {
  isAnswered(*frame);
  return nullptr;
}

nb::capsule capsuleOf(Handler *handler) {
  return nb::capsule(reinterpret_cast<void *>(handler));
}

} // namespace

void bindXla(nb::module_ &m) {
  using LoopTuple = std::pair<int64_t, std::vector<int64_t>>;
  nb::class_<Program>(m, "XlaProgram")
      .def(nb::init<std::string, size_t>(), nb::arg("name"), nb::arg("memories"))
      .def(
          "add",
          [](Program &program, nb::object kernel, nb::object grid, nb::object args, std::vector<LoopTuple> loops) {
            std::vector<Program::Loop> all;
            for (LoopTuple &loop : loops)
              all.push_back({loop.first, std::move(loop.second)});
            program.add(kernel, grid, args, std::move(all));
          },
          nb::arg("kernel"), nb::arg("grid"), nb::arg("args"), nb::arg("loops"))
      .def_prop_ro("address", [](Program &program) { return reinterpret_cast<int64_t>(&program); });
  m.attr("xla_process") = thisProcess();
  m.attr("xla_memory_spacing") = PreparedLaunch::spacing;
  m.attr("xla_handler_cpu") = capsuleOf(handle<false>);
  m.attr("xla_handler_gpu") = capsuleOf(handle<true>);
  m.attr("xla_handler_empty") = capsuleOf(handleNothing); // for measurements
}

} // namespace tilewright::python::xla
