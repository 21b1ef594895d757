# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Requests of different lengths through one model: prompts in chunks, then a token per request and step."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from .errors import ModelError, PromptTooLong
from .step import Fresh, Step


@dataclass
class Request:
    """A prompt and how to go on. Temperature 0 takes the most probable token; top_k 0 and top_p 1 keep all tokens."""

    ids: list[int]
    max_tokens: int = 64
    temperature: float = 0.0
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    seed: int = 0
    stop: tuple[int, ...] = ()  # ids that end the text; they are reported


@dataclass
class Token:
    request: int  # place in the list of requests
    id: int
    last: str | None  # None, "stop" or "length"


@dataclass
class Running:
    """A request in the cache: `done` of its tokens are there."""

    number: int
    request: Request
    pages: np.ndarray
    ids: list[int] = field(default_factory=list)
    done: int = 0

    @property
    def waiting(self):
        """Tokens that the next steps have to compute: the rest of the prompt, then one at a time."""
        return len(self.ids) - self.done

    @property
    def generated(self):
        return len(self.ids) - len(self.request.ids)


class Engine:
    """A model with its cache. Steps have at most `chunk` tokens of at most `batch` requests."""

    def __init__(self, model, cache, *, batch, chunk, context):
        self.model, self.cache = model, cache
        self.batch, self.chunk, self.context = batch, chunk, context
        self.table_width = cache.pages_for(context)
        self.arrays = model.arrays
        self.sampled = self.arrays.empty((batch,), "int32")
        self.graphs = None
        if self.arrays.name == "cuda":
            from .graphs import Graphs

            self.graphs = Graphs(self)

    def check(self, request):
        vocabulary = self.model.config.vocabulary
        if not request.ids:
            raise ModelError("the prompt has no tokens, expected at least one; write something")
        if max(request.ids) >= vocabulary or min(request.ids) < 0:
            raise ModelError(f"the prompt has token {max(request.ids)}, expected ids below the model's {vocabulary}")
        tokens = len(request.ids) + request.max_tokens
        if tokens > self.context:
            raise PromptTooLong(
                f"the prompt has {len(request.ids)} tokens and {request.max_tokens} are to follow, expected at most"
                f" {self.context} together; shorten it, or raise --context"
            )

    def generate(self, requests) -> Iterator[Token]:
        """Tokens of all requests in the order in which they are computed."""
        for request in requests:
            self.check(request)
        queue, running = deque(enumerate(requests)), []
        try:
            while queue or running:
                self.admit(queue, running)
                chosen = self.choose(running)
                for state, token in self.run(chosen):
                    state.ids.append(token)
                    last = self.ending(state, token)
                    if last:
                        running.remove(state)
                        self.cache.give_back(state.pages)
                    yield Token(state.number, token, last)
        finally:
            for state in running:
                self.cache.give_back(state.pages)

    def admit(self, queue, running):
        """Starts requests in their order while the cache has all the pages that they will need."""
        while queue and len(running) < self.batch:
            number, request = queue[0]
            pages = self.cache.take(len(request.ids) + request.max_tokens)
            if pages is None:
                return
            queue.popleft()
            running.append(Running(number, request, pages, list(request.ids)))

    def choose(self, running):
        """[(request, tokens)] of the next step: chunks of prompts while there are any, else one token of each."""
        prompts = [state for state in running if state.waiting > 1]
        chosen, room = [], self.chunk
        for state in prompts or running:
            count = min(state.waiting, room)
            if count:
                chosen.append((state, count))
                room -= count
        return chosen

    @staticmethod
    def ending(state, token):
        if token in state.request.stop:
            return "stop"
        return "length" if state.generated == state.request.max_tokens else None

    def run(self, chosen):
        """One step: [(request, new token)] of those whose prompts are through."""
        inputs = self.inputs(chosen)
        finished = [r for r, (state, count) in enumerate(chosen) if count == state.waiting]
        inputs["rows"] = inputs["starts"][1:][finished] - 1
        states = [chosen[r][0] for r in finished]
        if self.graphs and len(states) == len(inputs["ids"]):
            tokens = self.graphs.run(inputs, self.choices(states))
        else:
            put = self.arrays.put
            step = Step(**{name: put(array) for name, array in inputs.items()}, fresh=self.fresh(chosen))
            choices = {name: put(array) for name, array in self.choices(states).items()}
            tokens = self.arrays.get(self.compute(step, choices))
        for state, count in chosen:
            state.done += count
        return list(zip(states, tokens.tolist(), strict=True))

    def compute(self, step, choices):
        """Ids i32 of the requests that the step finishes."""
        logits = self.model.forward(step, self.cache)
        sampled = self.sampled[: step.results]
        if step.results:
            self.model.ops.sample(logits, sampled, **choices)
        return sampled

    def logits(self, ids, sizes) -> np.ndarray:
        """Logits f32 [tokens, V] after every token of a text, which goes through the model in steps of the sizes."""
        pages = self.cache.take(len(ids))
        state = Running(0, Request(ids), pages, list(ids))
        rows = []
        for count in sizes:
            inputs = self.inputs([(state, count)]) | {"rows": np.arange(count, dtype=np.int32)}
            step = Step(**{n: self.arrays.put(a) for n, a in inputs.items()}, fresh=self.fresh([(state, count)]))
            rows.append(np.array(self.arrays.get(self.model.forward(step, self.cache))))
            state.done += count
        self.cache.give_back(pages)
        return np.concatenate(rows)

    def inputs(self, chosen):
        """Arrays of a Step, in NumPy."""
        ids, positions, slots, lengths = [], [], [], []
        tables = np.zeros((len(chosen), self.table_width), np.int32)
        for r, (state, count) in enumerate(chosen):
            ids.extend(state.ids[state.done : state.done + count])
            place = np.arange(state.done, state.done + count, dtype=np.int32)
            positions.append(place)
            slots.append(self.cache.slots(state.pages, place))
            lengths.append(state.done + count)
            tables[r, : len(state.pages)] = state.pages
        starts = np.cumsum([0] + [count for _, count in chosen], dtype=np.int32)
        return {
            "ids": np.array(ids, np.int32),
            "positions": np.concatenate(positions),
            "slots": np.concatenate(slots),
            "tables": tables,
            "starts": starts,
            "lengths": np.array(lengths, np.int32),
        }

    def fresh(self, chosen):
        """The second place of a step's tokens, if all of its requests begin with it, and with more than one token."""
        if any(state.done for state, _ in chosen) or all(count == 1 for _, count in chosen):
            return None
        pages = [self.cache.pages_for(count) for _, count in chosen]
        ends = np.cumsum(pages)
        tables = np.zeros((len(chosen), max(pages)), np.int32)
        slots = []
        for r, (_, count) in enumerate(chosen):
            first = int(ends[r]) - pages[r]
            tables[r, : pages[r]] = np.arange(first, ends[r])
            slots.append(np.arange(count, dtype=np.int32) + first * self.cache.page)
        return Fresh(self.arrays.put(np.concatenate(slots)), self.arrays.put(tables))

    @staticmethod
    def choices(states):
        """How to sample, per request."""
        requests = [state.request for state in states]
        return {
            "temperature": np.array([request.temperature for request in requests], np.float32),
            "top_k": np.array([request.top_k for request in requests], np.int32),
            "top_p": np.array([request.top_p for request in requests], np.float32),
            "min_p": np.array([request.min_p for request in requests], np.float32),
            "seeds": np.array([request.seed for request in requests], np.int64),
            "steps": np.array([state.generated for state in states], np.int32),
        }
