# Of find_package(Tilewright) where the compiler for CUDA Tile C++ is installed: the target Tilewright::cpp, for programs
# that compile sources when they run, and
#
#   tilewright_add_kernels(<target> <source>... [TARGETS cpu sm_90 ...] [OPTIONS -ffp-contract=off ...])
#
# compiles sources with kernels by tilewright-c++, for the host and for these targets (default: cpu), into a target. Its
# include folders, definitions and standard hold for them, and those of the libraries that it links.
find_program(Tilewright_CXX tilewright-c++ PATHS "${_tilewright_prefix}/bin" NO_DEFAULT_PATH)
find_library(Tilewright_CPP_LIBRARY tilewright-cpp PATHS "${_tilewright_prefix}" "${_tilewright_prefix}/lib" NO_DEFAULT_PATH)
mark_as_advanced(Tilewright_CXX Tilewright_CPP_LIBRARY)

if(NOT TARGET Tilewright::cpp)
  add_library(Tilewright::cpp SHARED IMPORTED)
  set_target_properties(Tilewright::cpp PROPERTIES
                        IMPORTED_LOCATION "${Tilewright_CPP_LIBRARY}"
                        INTERFACE_LINK_LIBRARIES Tilewright::tilewright)
endif()

function(tilewright_add_kernels target)
  cmake_parse_arguments(ARG "" "" "TARGETS;OPTIONS" ${ARGN})
  if(NOT ARG_TARGETS)
    set(ARG_TARGETS cpu)
  endif()
  list(JOIN ARG_TARGETS "," targets)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" configuration)
  separate_arguments(flags NATIVE_COMMAND "${CMAKE_CXX_FLAGS_${configuration}}")
  set(includes "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  set(definitions "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  foreach(source IN LISTS ARG_UNPARSED_ARGUMENTS)
    get_filename_component(source "${source}" ABSOLUTE)
    file(RELATIVE_PATH name "${CMAKE_CURRENT_SOURCE_DIR}" "${source}")
    string(REPLACE ".." "__" name "${name}")
    set(object "${CMAKE_CURRENT_BINARY_DIR}/kernels/${target}/${name}.o")
    get_filename_component(folder "${object}" DIRECTORY)
    file(MAKE_DIRECTORY "${folder}")
    add_custom_command(
      OUTPUT "${object}"
      COMMAND "${Tilewright_CXX}" -std=c++20 -fPIC ${flags} "--tile-targets=${targets}" ${ARG_OPTIONS}
              "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>"
              "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>"
              -MD -MF "${object}.d" -c "${source}" -o "${object}"
      DEPENDS "${source}" "${Tilewright_CXX}" "${Tilewright_CPP_LIBRARY}" "${Tilewright_LIBRARY}"
      DEPFILE "${object}.d"
      COMMENT "Compiling kernels of ${name} for ${targets}"
      COMMAND_EXPAND_LISTS VERBATIM)
    set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    target_sources(${target} PRIVATE "${object}")
  endforeach()
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
  target_link_libraries(${target} PRIVATE Tilewright::tilewright Threads::Threads)
endfunction()
