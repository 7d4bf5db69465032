import pathlib
from collections.abc import Callable, Iterator
from typing import TypeGuard, assert_type

import tinyq
from tinyq import Field, Record, Stream, cached, read, retry, stream


class Animal: ...


class Dog(Animal):
    def __init__(self, age: int) -> None:
        self.age = age

    def __lt__(self, other: "Dog") -> bool:
        return self.age < other.age


class Cell(Record):
    width = Field(int, 1)
    label = Field(str, "")


class Wide(Cell): ...


class Place:
    def __index__(self) -> int:
        return 0


def is_dog(animal: Animal) -> TypeGuard[Dog]:
    return isinstance(animal, Dog)


def add(total: float, word: str) -> float:
    return total + len(word)


numbers = stream(1, 2, 3)
words = Stream(["a", "b"])
maybe: Stream[int | None] = stream(1, None)
animals: Stream[Animal] = Stream([Dog(1)])
dogs = Stream({Dog(1), Dog(2)})

assert_type(numbers, Stream[int])
assert_type(words, Stream[str])
assert_type(Stream(iter([b"x"])), Stream[bytes])
assert_type(Stream({"a": 1}.items()), Stream[tuple[str, int]])
empty: Stream[str] = Stream()
assert_type(iter(words), Iterator[str])
assert_type(len(words), int)
assert_type(numbers[0], int)
assert_type(numbers[True], int)
assert_type(numbers[Place()], int)
assert_type(numbers[1:2], Stream[int])
assert_type([each for each in words], list[str])
assert_type(numbers.map(str), Stream[str])
assert_type(words.map(lambda word: (word, len(word))), Stream[tuple[str, int]])
assert_type(words.map(str.upper).map(len), Stream[int])
assert_type(maybe.where(), Stream[int])
assert_type(maybe.where(None), Stream[int])
assert_type(words.where(), Stream[str])
assert_type(words.where(len), Stream[str])
assert_type(words.where(lambda word: word > "a"), Stream[str])
assert_type(animals.where(is_dog), Stream[Dog])
assert_type(words.zip(numbers), Stream[tuple[str, int]])
assert_type(words.zip([1.5]), Stream[tuple[str, float]])
assert_type(words.group(len), dict[int, list[str]])
assert_type(words.group(lambda word: (word, 1)), dict[tuple[str, int], list[str]])
assert_type(words.first(), str)
assert_type(words.first(""), str)
assert_type(words.first(None), str | None)
assert_type(words.first(1), str | int)
assert_type(words.first(default=b""), str | bytes)
assert_type(words.fold(add, 0.5), float)
assert_type(words.fold(lambda seen, word: {*seen, word}, set[str]()), set[str])
assert_type(words.sort(key=len), Stream[str])
assert_type(words.sort(key=lambda word: (len(word), word), reverse=True), Stream[str])
assert_type(dogs.sort(key=lambda dog: dog), Stream[Dog])
covariant: Stream[Animal] = dogs
wider: Stream[int] = Stream([True])
assert_type(Cell.width, Field[int])
assert_type(Cell().width, int)
assert_type(Wide().label, str)
assert_type(Cell.width.kind, type[int])
assert_type(Cell.width.default, int)
assert_type(Cell.width.name, str)
cell = Cell()
cell.width = 5
assert_type(cell.replace(width=3, label="x"), Cell)
assert_type(Wide().replace(), Wide)
assert_type(Wide.many(3), list[Wide])
assert_type(Wide().many(count=3), list[Wide])


@cached
def size(word: str, *, extra: int = 0) -> int:
    return len(word) + extra


@retry
def load(path: str) -> bytes:
    return path.encode()


@retry(times=5)
def save(path: str, data: bytes = b"") -> None: ...


@retry()
def again(count: int) -> list[int]:
    return [count]


assert_type(size("a", extra=1), int)
assert_type(size(word="a"), int)
assert_type(size.hits, int)
size.forget()
assert_type(load("x"), bytes)
assert_type(load(path="x"), bytes)
save("x", data=b"")
assert_type(again(count=1), list[int])
assert_type(cached(lambda: "x")(), str)
assert_type(words.map(cached(len)), Stream[int])
loader: Callable[[str], bytes] = load
assert_type(read("x"), str)
assert_type(read(pathlib.Path("x"), "text"), str)
assert_type(read("x", "bytes"), bytes)
assert_type(read(path="x", mode="lines"), Stream[str])
assert_type(read("x", "lines").map(len), Stream[int])
assert_type(tinyq.stream("x")[0], str)
