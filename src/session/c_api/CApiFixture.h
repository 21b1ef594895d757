// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The module and the helpers that tests of the C interface share.
#ifndef TILEWRIGHT_SESSION_C_API_CAPIFIXTURE_H
#define TILEWRIGHT_SESSION_C_API_CAPIFIXTURE_H

#include "tilewright.h"

#include "gtest/gtest.h"

#include <memory>
#include <string>

namespace tilewright::c_api {

/// `double` doubles one number per tile block; `refuse` asserts that its parameter is 0.
inline constexpr char doubled[] = R"(
cuda_tile.module @kernels {
  entry @double(%p: tile<ptr<f32>>) {
    %i, %j, %k = get_tile_block_id : tile<i32>
    %q = offset %p, %i : tile<ptr<f32>>, tile<i32> -> tile<ptr<f32>>
    %v, %t = load_ptr_tko weak %q : tile<ptr<f32>> -> tile<f32>, token
    %w = addf %v, %v : tile<f32>
    %u = store_ptr_tko weak %q, %w token = %t : tile<ptr<f32>>, tile<f32> -> token
    return
  }
  entry @refuse(%n: tile<i32>) {
    %zero = constant <i32: 0> : tile<i32>
    %is = cmpi equal %n, %zero, signed : tile<i32> -> tile<i1>
    assert %is, "it is not 0" : tile<i1>
    return
  }
}
)";

struct Deleter {
  void operator()(tilewright_error *error) const { tilewright_error_free(error); }
  void operator()(tilewright_session *session) const { tilewright_session_close(session); }
  void operator()(tilewright_entry *entry) const { tilewright_entry_free(entry); }
  void operator()(tilewright_compilation *compilation) const { tilewright_compilation_free(compilation); }
};
template <typename T> using Owned = std::unique_ptr<T, Deleter>;

/// Frees the error after comparing its status, and a part of its message.
inline void expectError(tilewright_error *given, tilewright_status status, const std::string &part = "") {
  Owned<tilewright_error> error(given);
  std::string message = tilewright_error_message(error.get());
  EXPECT_EQ(tilewright_error_status(error.get()), status) << message;
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

inline Owned<tilewright_session> open(const char *target) {
  tilewright_session *session = nullptr;
  expectError(tilewright_session_open(target, &session), TILEWRIGHT_OK);
  return Owned<tilewright_session>(session);
}

inline tilewright_error *load(tilewright_session *session, const char *name, tilewright_entry **entry) {
  return tilewright_entry_load(session, doubled, sizeof(doubled) - 1, name, entry);
}

inline Owned<tilewright_entry> load(tilewright_session *session, const char *name) {
  tilewright_entry *entry = nullptr;
  expectError(load(session, name, &entry), TILEWRIGHT_OK);
  return Owned<tilewright_entry>(entry);
}

} // namespace tilewright::c_api

#endif
