// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.h"

#include "Bindings.h"
#include "options/Environment.h"

#include <algorithm>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace tilewright::python {
namespace {

// Options that keywords may name.
constexpr unsigned keywordVisibility = visibility::Compile | visibility::Explain | visibility::Session;

// The value, or a ValueError.
template <typename T> T valueOrRaise(llvm::Expected<T> value, const std::string &what) {
  if (!value)
    raise(PyExc_ValueError, what + llvm::toString(value.takeError()));
  return std::move(*value);
}

Value readFromPython(const Option &option, nb::handle given) {
  if (option.values.isList() && !PyUnicode_Check(given.ptr())) {
    std::vector<std::string> texts;
    for (nb::handle item : given)
      if (PyUnicode_Check(item.ptr())) // sys.path may have others
        texts.push_back(nb::cast<std::string>(item));
    return texts;
  }
  std::string text =
      PyBool_Check(given.ptr()) ? given.is(nb::handle(Py_True)) ? "1" : "0" : nb::cast<std::string>(nb::str(given));
  return valueOrRaise(readValue(option.values, text), "option " + option.name.str() + " is ");
}

const Option &findKeyword(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  auto option = findOptionOrError(name, keywordVisibility);
  if (!option)
    raise(PyExc_TypeError, llvm::toString(option.takeError()));
  return **option;
}

// None where there is none.
nb::object toPython(const Value &value) {
  return nb::cast(value);
}

nb::list visibilityOf(const Option &option) {
  nb::list names;
  for (const VisibilityName &known : visibilityNames())
    if (option.isVisibleTo(known.bit))
      names.append(known.name.str());
  return names;
}

std::vector<std::string> choicesOf(const Option &option) {
  std::vector<std::string> words;
  if (option.values.kind == Values::Kind::Choice)
    for (llvm::StringRef word : option.values.choices())
      words.push_back(word.str());
  return words;
}

nb::object readEnvironmentOrRaise(const std::string &variable) {
  return toPython(valueOrRaise(readEnvironment(variable), ""));
}

void checkEnvironmentOrRaise() {
  if (llvm::Error error = checkEnvironment())
    raise(PyExc_ValueError, llvm::toString(std::move(error)));
}

nb::list listOptions() {
  nb::list rows;
  for (const Option &option : allOptions())
    rows.append(nb::cast(&option, nb::rv_policy::reference));
  return rows;
}

} // namespace

session::Settings settingsOf(nb::kwargs keywords) {
  session::Settings settings = valueOrRaise(session::Settings::fromEnvironment(), "");
  settings.pipeline.verifyEach = true;
  for (auto [name, given] : keywords) {
    const Option &option = findKeyword(nb::cast<std::string>(name));
    if (llvm::Error error = settings.set(option, readFromPython(option, given)))
      raise(PyExc_ValueError, llvm::toString(std::move(error)));
  }
  settings.pipeline.limits.interrupted = interruptedByPython;
  return settings;
}

void bindOptions(nb::module_ &m) {
  auto text = [](llvm::StringLiteral Option::*field) {
    return [field](const Option &option) { return (option.*field).str(); };
  };
  nb::class_<Option>(m, "Option")
      .def_prop_ro("name", text(&Option::name))
      .def_prop_ro("letter", [](const Option &option) { return std::string(option.letter ? 1 : 0, option.letter); })
      .def_prop_ro("visibility", &visibilityOf)
      .def_prop_ro("variable", text(&Option::variable))
      .def_prop_ro("reference", text(&Option::reference))
      .def_prop_ro("expected", [](const Option &option) { return option.values.expected.str(); })
      .def_prop_ro("is_flag", [](const Option &option) { return option.values.kind == Values::Kind::Flag; })
      .def_prop_ro("is_repeated", [](const Option &option) { return option.values.kind == Values::Kind::Repeated; })
      .def_prop_ro("takes_empty", [](const Option &option) { return option.values.takesEmpty; })
      .def_prop_ro("choices", &choicesOf)
      .def_prop_ro("initial", [](const Option &option) { return toPython(option.initialValue()); })
      .def_prop_ro("shown_initial",
                   [](const Option &option) {
                     return option.shownInitial.empty() ? option.initial.str() : option.shownInitial.str();
                   })
      .def_prop_ro("meaning", text(&Option::meaning))
      .def_prop_ro("placeholder", text(&Option::placeholder))
      .def_ro("is_hidden", &Option::isHidden)
      .def("read", [](const Option &option, const std::string &given) {
        return toPython(valueOrRaise(readValue(option.values, given), "found "));
      });
  m.def("options", &listOptions);
  m.def("read_environment", &readEnvironmentOrRaise, nb::arg("variable"));
  m.def("is_set_in_environment", [](const std::string &variable) { return isSetInEnvironment(variable); });
  m.def("check_environment", &checkEnvironmentOrRaise);
}

} // namespace tilewright::python
