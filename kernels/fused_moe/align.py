# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Sorting the slots of a mixture of experts by expert, each expert padded to whole blocks."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Alignment:
    sorted_slots: np.ndarray  # int32, tile_m per block; a padding slot has the number of slots as its value
    block_experts: np.ndarray  # int32, one per block
    tile_m: int


def align(ids, experts, tile_m) -> Alignment:
    """The slots and blocks for expert choices `ids` [tokens, top_k].

    Three experts chosen by five slots, blocks of two: ids 2 0 0 2 0 -> slots 1 2 | 4 - | 0 3, experts 0 | 0 | 2.
    """
    chosen = np.asarray(ids).reshape(-1)
    counts = np.bincount(chosen, minlength=experts)
    blocks = -(-counts // tile_m)
    ends = np.cumsum(blocks) * tile_m
    order = np.argsort(chosen, kind="stable")
    # The i-th slot of an expert goes i places after that expert's first block.
    shift = (ends - blocks * tile_m) - (np.cumsum(counts) - counts)
    sorted_slots = np.full(ends[-1], chosen.size, np.int32)
    sorted_slots[np.arange(chosen.size) + shift[chosen[order]]] = order
    return Alignment(sorted_slots, np.repeat(np.arange(experts, dtype=np.int32), blocks), tile_m)
