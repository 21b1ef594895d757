// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launchers as Python sees them.
#include "Boundary.h"
#include "GpuLaunch.h"
#include "LaunchGrid.h"
#include "Launcher.h"
#include "runtime/cuda/LaunchRecords.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tilewright::python {

// A kernel keeps its launcher. Found here, since each Python function between the caller and a launch of three
// microseconds takes a tenth of one.
static void launchKernel(nb::handle kernel, nb::handle grid, nb::handle args, nb::handle stream, nb::handle dependent) {
  static PyObject *const attribute = PyUnicode_InternFromString("_launcher");
  nb::object launcher = nb::steal(PyObject_GetAttr(kernel.ptr(), attribute));
  if (!launcher.is_valid()) {
    PyErr_Clear();
    launcher = nb::module_::import_("tilewright._runtime.dispatch").attr("give_launcher")(kernel);
  }
  try {
    nb::cast<Launcher &>(launcher).launch(grid, args, stream, PyObject_IsTrue(dependent.ptr()) == 1);
  } catch (nb::python_error &error) {
    // The message has the place in the kernel; a dozen frames of the front end would stand between it and the launch.
    error.restore();
    leaveOutOurFrames();
    throw nb::python_error();
  }
}

// (worker, first block, the one behind the last, begin, end) of each run; times in nanoseconds from the launch's begin.
static nb::list runsOf(const LaunchProfile &profile) {
  nb::list runs;
  for (const BlockRun &run : profile.runs)
    runs.append(nb::make_tuple(run.worker, run.first, run.last, run.begin - profile.begin, run.end - profile.begin));
  return runs;
}

// (cta, track, (begin time, clock), (end time, clock), multiprocessor, count, bytes of records) of each agent of a GPU,
// as abi/AgentRecords.h has them.
static nb::list tracksOf(const LaunchProfile &profile) {
  nb::list tracks;
  if (!profile.onGpu)
    return tracks;
  for (const cuda::TrackRecords &track : valueOrRaise(profile.onGpu->read())) {
    const cuda::AgentRecordsHeader &header = track.header;
    const auto *records = reinterpret_cast<const char *>(track.records.data());
    tracks.append(nb::make_tuple(track.cta, track.track, nb::make_tuple(header.beginTime, header.beginClock),
                                 nb::make_tuple(header.endTime, header.endClock), header.multiprocessor, header.count,
                                 nb::bytes(records, track.records.size() * sizeof(cuda::AgentRecord))));
  }
  return tracks;
}

// The agents by their tracks, and (kind, file, line) of the sites by the words of records.
static nb::tuple namesOf(const LaunchProfile &profile) {
  nb::list tracks, sites;
  if (profile.onGpu) {
    for (const std::string &track : profile.onGpu->getEntry().recordTracks)
      tracks.append(track);
    for (const cuda::RecordSite &site : profile.onGpu->getEntry().recordSites)
      sites.append(nb::make_tuple(site.kind, site.file, site.line));
  }
  return nb::make_tuple(tracks, sites);
}

void bindLauncher(nb::module_ &m) {
  nb::class_<LaunchProfile>(m, "LaunchProfile")
      .def(nb::init<>())
      .def_prop_ro("runs", &runsOf)
      .def_prop_ro("tracks", &tracksOf)
      .def_prop_ro("names", &namesOf)
      .def_prop_ro("nanoseconds", [](const LaunchProfile &profile) { return profile.end - profile.begin; });
  nb::class_<Launcher>(m, "Launcher")
      .def(nb::init<std::string, nb::sequence, nb::callable, bool>(), nb::arg("name"), nb::arg("parameters"),
           nb::arg("specialize"), nb::arg("takes_launch") = false)
      .def("__call__", &Launcher::launch, nb::arg("grid"), nb::arg("args"), nb::arg("stream") = nb::none(),
           nb::arg("dependent") = false, nb::arg("profile") = nb::none())
      .def("specs", &Launcher::specs, nb::arg("args"))
      .def("device", &Launcher::device, nb::arg("args"))
      .def("values", &Launcher::values, nb::arg("args"), nb::arg("parameters"))
      .def("bucket", &Launcher::bucket, nb::arg("args"))
      .def("prepare", &Launcher::prepare, nb::arg("args"), nb::arg("stream") = nb::none(), nb::arg("grid") = nb::none())
      .def("time", &Launcher::time, nb::arg("grid"), nb::arg("args"), nb::arg("stream") = nb::none(),
           nb::arg("is_cache_cold") = true, nb::arg("limit") = 0.0, nb::arg("profile") = nb::none())
      .def_prop_ro("num_specializations", &Launcher::numSpecializations);
  m.def("read_grid", [](const std::string &kernel, nb::handle value) {
    Grid grid = readGrid(kernel, value);
    return nb::make_tuple(grid.x, grid.y, grid.z);
  });
  // All by position: without defaults the call is shorter.
  m.def("launch", &launchKernel, nb::arg("kernel"), nb::arg("grid"), nb::arg("args"), nb::arg("stream").none(),
        nb::arg("dependent"));
}

} // namespace tilewright::python
