// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies rows [T, heads, size] into the slots of a cache [pages, PAGE, heads, size], WIDTH elements a thread. Block
// (t, 0) has the keys of token t, block (t, 1) the values, whose heads may be of another size.
#include "values.cuh"

struct Side {
  const ELEMENT *from;
  long token_stride, head_stride;
  ELEMENT *cache;
  long page_stride, slot_stride, cache_head_stride;
  int size;
};

DEVICE void copy_rows(const Side &side, int slot, int heads) {
  const ELEMENT *from = side.from + blockIdx.x * side.token_stride;
  ELEMENT *to = side.cache + slot / PAGE * side.page_stride + slot % PAGE * side.slot_stride;
  int parts = side.size / WIDTH;
  for (int work = threadIdx.x; work < heads * parts; work += blockDim.x) {
    int head = work / parts, place = work % parts * WIDTH;
    store_pack(to + head * side.cache_head_stride + place,
               load_pack<ELEMENT, WIDTH>(from + head * side.head_stride + place));
  }
}

KERNEL append(const int *slots, int heads, const ELEMENT *k, long k_token, long k_head, ELEMENT *cache_k, long page_k, long slot_k,
              long cache_head_k, int size_k, const ELEMENT *v, long v_token, long v_head, ELEMENT *cache_v, long page_v,
              long slot_v, long cache_head_v, int size_v) {
  Side keys{k, k_token, k_head, cache_k, page_k, slot_k, cache_head_k, size_k};
  Side values{v, v_token, v_head, cache_v, page_v, slot_v, cache_head_v, size_v};
  if (blockIdx.y == 0)
    copy_rows(keys, slots[blockIdx.x], heads);
  else
    copy_rows(values, slots[blockIdx.x], heads);
}
