# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The paged cache: pages of tokens, of which each request holds a list.

Llama keeps keys and values [pages, page, KV, D] per layer, DeepSeek one latent [pages, page, 576]. Every layer uses the
same page numbers, so one table per request serves all of them.
"""

import math

import numpy as np

from .errors import CacheFull

PAGE = 64  # tokens


class PagedCache:
    """`shapes` is the shape of one token in each array of a layer: [(KV, D), (KV, D)] or [(576,)]."""

    def __init__(self, arrays, layers, shapes, pages, dtype, page=PAGE):
        self.page, self.pages = page, pages
        self.layers = [[arrays.zeros((pages, page, *shape), dtype) for shape in shapes] for _ in range(layers)]
        self.free = list(range(pages - 1, -1, -1))

    @staticmethod
    def bytes(layers, shapes, pages, itemsize, page=PAGE):
        """Memory of such a cache, before there is one."""
        return layers * pages * page * itemsize * sum(math.prod(shape) for shape in shapes)

    def pages_for(self, tokens):
        return -(-tokens // self.page)

    def take(self, tokens):
        """Pages for a request of so many tokens; None if they have to wait for another request to end."""
        count = self.pages_for(tokens)
        if count > self.pages:
            raise CacheFull(
                f"a request of {tokens} tokens needs {count} pages, the cache has {self.pages} of {self.page} tokens;"
                " use a larger cache, or fewer tokens"
            )
        if count > len(self.free):
            return None
        return np.array([self.free.pop() for _ in range(count)], np.int32)

    def give_back(self, pages):
        self.free.extend(reversed(pages.tolist()))

    def slots(self, pages, positions):
        """Where tokens at the positions of a request lie: page number * page + offset, i32."""
        return pages[positions // self.page] * self.page + (positions % self.page).astype(np.int32)
