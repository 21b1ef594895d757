// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "session/Bundle.h"

#include "options/Environment.h"
#include "runtime/ImageFile.h"
#include "session/Settings.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"

#include <map>

using namespace tilewright;
using namespace tilewright::session;

namespace {

constexpr llvm::StringLiteral magic = "tilewright bundle 1\n";
constexpr llvm::StringLiteral moduleTarget = "tilebc";
constexpr llvm::StringLiteral nvidiaPrefix = "nvidia:";

// How well this machine's CPU runs an image: the bits of its vectors, more for code made for this very machine. Zero if
// it does not.
unsigned fitness(const BundledImage &image) {
  if (!image.machine.empty())
    return image.machine == hostMachine().key() ? ~0u : 0;
  auto machine = parseMachine(image.target);
  if (!machine) {
    llvm::consumeError(machine.takeError());
    return 0;
  }
  if (llvm::Error error = checkOnHost(*machine, image.target)) {
    llvm::consumeError(std::move(error));
    return 0;
  }
  return 2 * machine->vectorBits + machine->hasAmx;
}

bool isForCpu(const BundledImage &image) {
  return image.target != moduleTarget && !nvidia::isNvidiaTarget(image.target);
}

const BundledImage *findTarget(llvm::ArrayRef<BundledImage> images, llvm::StringRef target) {
  auto found = llvm::find_if(images, [&](const BundledImage &image) { return image.target == target; });
  return found == images.end() ? nullptr : found;
}

const BundledImage *bestForCpu(llvm::ArrayRef<BundledImage> images) {
  const BundledImage *best = nullptr;
  for (const BundledImage &image : images)
    if (isForCpu(image) && fitness(image) > (best ? fitness(*best) : 0))
      best = &image;
  return best;
}

std::string wantedTarget() {
  if (environmentFlag("TILEWRIGHT_CHECK"))
    return "interpreter";
  return environmentText("TILEWRIGHT_TARGET");
}

// All code of a bundle that this process has loaded.
struct LoadedBundle {
  std::vector<BundledImage> images;
  std::shared_ptr<Executable> cpu;
  cuda::GpuExecutable *gpu = nullptr;

  llvm::Expected<LoadedEntry> load(llvm::StringRef name);

private:
  llvm::Expected<LoadedEntry> loadOnCpu(const BundledImage &image, llvm::StringRef name);
  llvm::Expected<LoadedEntry> loadOnGpu(const BundledImage &image, cuda::Device &device, llvm::StringRef name);
  llvm::Expected<LoadedEntry> compile(llvm::StringRef target, const BundledImage &module, llvm::StringRef name);
  llvm::Error noImage(llvm::StringRef name, const cuda::Device *device) const;
};

llvm::Expected<LoadedEntry> LoadedBundle::loadOnCpu(const BundledImage &image, llvm::StringRef name) {
  if (!cpu) {
    auto read = Image::deserialize(image.bytes);
    if (!read)
      return read.takeError();
    auto loaded = Executable::load(std::move(*read));
    if (!loaded)
      return loaded.takeError();
    cpu = std::move(*loaded);
  }
  return findEntry(cpu, name, "program");
}

llvm::Expected<LoadedEntry> LoadedBundle::loadOnGpu(const BundledImage &image, cuda::Device &device,
                                                    llvm::StringRef name) {
  if (!gpu) {
    auto read = cuda::GpuImage::deserialize(image.bytes);
    if (!read)
      return read.takeError();
    auto loaded = cuda::GpuExecutable::load(std::move(*read), device);
    if (!loaded)
      return loaded.takeError();
    gpu = &*loaded;
  }
  return findEntry(*gpu, name, "program");
}

llvm::Expected<LoadedEntry> LoadedBundle::compile(llvm::StringRef target, const BundledImage &module,
                                                  llvm::StringRef name) {
  auto settings = Settings::fromEnvironment();
  if (!settings)
    return settings.takeError();
  auto pipeline = settings->resolve();
  if (!pipeline)
    return pipeline.takeError();
  LoadOptions options;
  options.pipeline = std::move(*pipeline);
  options.entry = name.str();
  options.device = settings->device;
  return loadEntry(target, {module.bytes, module.bytes}, options);
}

llvm::Error LoadedBundle::noImage(llvm::StringRef name, const cuda::Device *device) const {
  llvm::SmallVector<llvm::StringRef> targets;
  for (const BundledImage &image : images)
    targets.push_back(image.target);
  std::string wanted = wantedTarget();
  std::string here = !wanted.empty() ? (wanted == "interpreter" ? "the " : "the target ") + wanted
                     : device ? device->text() + ", which is " + device->architecture->name.str() + ", or the CPU"
                              : "the CPU of this machine";
  return usageError("kernel '" + llvm::demangle(name) + "' has no code for " + here + ", but for " +
                    llvm::join(targets, ", ") + "; --tile-targets of tilewright-c++ names the targets of a program");
}

llvm::Expected<LoadedEntry> LoadedBundle::load(llvm::StringRef name) {
  std::string wanted = wantedTarget();
  bool mayUseGpu = !llvm::all_of(images, isForCpu); // else there is no need of a driver
  cuda::Device *device = mayUseGpu ? deviceOfProgram() : nullptr;
  if (device)
    if (const BundledImage *image = findTarget(images, (nvidiaPrefix + device->architecture->name).str()))
      return loadOnGpu(*image, *device, name);
  if (wanted.empty() || llvm::StringRef(wanted).starts_with("cpu"))
    if (const BundledImage *image = bestForCpu(images))
      return loadOnCpu(*image, name);
  if (const BundledImage *module = findTarget(images, moduleTarget))
    return compile(!wanted.empty() ? wanted : device ? "nvidia" : "cpu", *module, name);
  return noImage(name, device);
}

} // namespace

llvm::Expected<BundledImage> session::compileImage(llvm::StringRef targetName, llvm::StringRef module,
                                                   llvm::StringRef name, const PipelineOptions &options,
                                                   PipelineReport &report) {
  if (targetName == moduleTarget)
    return BundledImage{moduleTarget.str(), "", module.str()};
  auto target = parseTarget(targetName);
  if (!target)
    return target.takeError();
  if (const nvidia::Architecture *architecture = (*target)->getArchitecture()) {
    auto image = compileToGpuImage(module, name, *architecture, /*driver=*/0, options, report);
    if (!image)
      return image.takeError();
    return BundledImage{nvidiaPrefix.str() + architecture->name.str(), "", image->serialize()};
  }
  auto machine = parseMachine(targetName);
  if (!machine)
    return machine.takeError();
  auto image = compileToImage(module, name, *machine, options, report);
  if (!image)
    return image.takeError();
  bool isHost = machine->name == hostMachine().name;
  return BundledImage{targetName.str(), isHost ? machine->key() : "", image->serialize()};
}

std::string session::serializeBundle(llvm::ArrayRef<BundledImage> images) {
  llvm::json::Array description;
  std::string code;
  for (const BundledImage &image : images) {
    description.push_back(llvm::json::Array{image.target, image.machine, static_cast<int64_t>(image.bytes.size())});
    code += image.bytes;
  }
  return ImageFile{std::move(description), std::move(code)}.serialize(magic);
}

llvm::Expected<std::vector<BundledImage>> session::deserializeBundle(llvm::StringRef bytes) {
  auto file = ImageFile::deserialize(magic, bytes);
  if (!file)
    return file.takeError();
  std::vector<BundledImage> images;
  llvm::StringRef rest = file->code;
  const llvm::json::Array *rows = file->description.getAsArray();
  for (const llvm::json::Value &value : rows ? *rows : llvm::json::Array()) {
    const llvm::json::Array *row = value.getAsArray();
    auto target = row && row->size() == 3 ? (*row)[0].getAsString() : std::nullopt;
    auto machine = target ? (*row)[1].getAsString() : std::nullopt;
    auto size = target ? (*row)[2].getAsInteger() : std::nullopt;
    if (!machine || !size || *size < 0 || static_cast<uint64_t>(*size) > rest.size())
      return brokenImage();
    images.push_back({target->str(), machine->str(), rest.take_front(*size).str()});
    rest = rest.drop_front(*size);
  }
  if (!rows || !rest.empty())
    return brokenImage();
  return images;
}

cuda::Device *session::deviceOfProgram() {
  std::string wanted = wantedTarget();
  if (!wanted.empty() && !nvidia::isNvidiaTarget(wanted))
    return nullptr;
  auto settings = Settings::fromEnvironment();
  if (!settings) {
    llvm::consumeError(settings.takeError());
    return nullptr;
  }
  auto device = cuda::Device::get(settings->device);
  if (device)
    return &*device;
  llvm::consumeError(device.takeError());
  return nullptr;
}

llvm::Expected<LoadedEntry> session::loadBundled(llvm::StringRef bundle, llvm::StringRef name) {
  static std::mutex &mutex = *new std::mutex();
  // By place and checksum: a library that is unloaded leaves its place to others.
  static auto &bundles = *new std::map<std::pair<const char *, std::string>, LoadedBundle>();
  std::lock_guard<std::mutex> lock(mutex);
  auto [known, isNew] = bundles.try_emplace({bundle.data(), bundle.take_front(magic.size() + sizeof(uint64_t)).str()});
  if (isNew) {
    auto images = deserializeBundle(bundle);
    if (!images) {
      bundles.erase(known);
      return images.takeError();
    }
    known->second.images = std::move(*images);
  }
  return known->second.load(name);
}
