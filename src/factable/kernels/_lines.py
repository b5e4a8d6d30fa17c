# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The compiled twin of lines.py: a JSON parser that makes examples, and leaves to others what is unusual.

It reads what an example usually has: known fields of the usual types, each once, with triples, an object or
rows as data. Whatever else it meets, and every mistake, makes a line unusual: a complete JSON parser reads it
then, and says what is wrong. A bytes object has a zero after its last byte, at which every loop here ends.
"""

import cython

if not cython.compiled:
    raise ImportError("the kernels were not compiled; their Python twins do the work")

from cython.cimports.cpython.long import PyLong_FromLongLong
from cython.cimports.cpython.unicode import (
    PyUnicode_DATA,
    PyUnicode_DecodeUTF8,
    PyUnicode_GET_LENGTH,
    PyUnicode_New,
)
from cython.cimports.factable.kernels._objects import set_slot, slot_of, without_fields
from cython.cimports.libc.string import memchr, memcmp, memcpy
from orjson import loads

from factable.kernels._reading import flatten, flatten_rows, make_records
from factable.kernels.reading import NoRecordError
from factable.types import Example, Table

_QUOTE = cython.declare(cython.uchar, 34)
_COMMA = cython.declare(cython.uchar, 44)
_COLON = cython.declare(cython.uchar, 58)
_BACKSLASH = cython.declare(cython.uchar, 92)
_OPEN_LIST = cython.declare(cython.uchar, 91)
_CLOSE_LIST = cython.declare(cython.uchar, 93)
_OPEN_OBJECT = cython.declare(cython.uchar, 123)
_CLOSE_OBJECT = cython.declare(cython.uchar, 125)
_NEWLINE = cython.declare(cython.uchar, 10)

# Characters of a string that stand for themselves, digits, and characters of a number.
_PLAIN = cython.declare(cython.int, 1)
_DIGIT = cython.declare(cython.int, 2)
_NUMERIC = cython.declare(cython.int, 4)
_kinds = cython.declare(cython.uchar[256])
_code = cython.declare(cython.int)
for _code in range(32, 128):
    _kinds[_code] = _PLAIN if _code != 34 and _code != 92 else 0
for _code in b"+-.eE0123456789":
    _kinds[_code] |= _NUMERIC | (_DIGIT if 48 <= _code <= 57 else 0)

# Digits of a number that surely fits in 64 bits.
_MOST_DIGITS = cython.declare(cython.Py_ssize_t, 18)
# Names of attributes that are remembered, and the longest of them.
_NAMES = cython.declare(cython.size_t, 1024)
_LONGEST_NAME = cython.declare(cython.Py_ssize_t, 64)

# Where each field of a line is kept while the line is read.
_FIELDS = cython.declare(
    dict, {"id": 0, "system": 1, "text": 2, "data": 3, "references": 4, "subject": 5, "title": 6}
)

_item_slot = cython.declare(cython.Py_ssize_t, slot_of(Example, "item"))
_system_slot = cython.declare(cython.Py_ssize_t, slot_of(Example, "system"))
_text_slot = cython.declare(cython.Py_ssize_t, slot_of(Example, "text"))
_table_slot = cython.declare(cython.Py_ssize_t, slot_of(Example, "table"))
_references_slot = cython.declare(cython.Py_ssize_t, slot_of(Example, "references"))
_human_slot = cython.declare(cython.Py_ssize_t, slot_of(Example, "human"))
_extra_slot = cython.declare(cython.Py_ssize_t, slot_of(Example, "extra"))
_records_slot = cython.declare(cython.Py_ssize_t, slot_of(Table, "records"))
_title_slot = cython.declare(cython.Py_ssize_t, slot_of(Table, "title"))
_source_slot = cython.declare(cython.Py_ssize_t, slot_of(Table, "source"))


@cython.final
@cython.cclass
class LineReader:
    """One call of read_lines: the bytes, how far they are read, and the names met so far."""

    content: bytes
    letters: cython.p_uchar
    place: cython.Py_ssize_t
    unusual: cython.bint
    # The names met last, by hash, and the hash of each.
    names: list
    hashes: cython.uint[1024]
    max_records: cython.Py_ssize_t
    max_depth: cython.int
    max_name: cython.Py_ssize_t

    def __cinit__(self, content: bytes, max_records, max_depth, max_name):
        self.content = content
        self.letters = content
        self.names = [None] * _NAMES
        self.max_records = max_records
        self.max_depth = max_depth
        self.max_name = max_name

    @cython.cfunc
    def read_example(
        self, start: cython.Py_ssize_t, end: cython.Py_ssize_t, number: cython.longlong
    ) -> object:
        """The example of the line between two places; None if the line is unusual."""
        self.place = start
        self.unusual = False
        try:
            line = self.read_fields()
            if self.unusual:
                return None
            self.skip_blanks()
            return self.make_example(line, number) if self.place == end else None
        except (NoRecordError, UnicodeDecodeError, ValueError):
            return None

    @cython.cfunc
    def read_fields(self) -> list:
        """The fields of the object that begins here, each in its place."""
        fields: list = [None] * 7
        if self.skip_blanks() != _OPEN_OBJECT:
            return self.give_up()
        while True:
            self.place += 1
            if self.skip_blanks() != _QUOTE:
                return self.give_up()
            known = _FIELDS.get(self.read_name())
            if known is None:
                return self.give_up()
            field: cython.Py_ssize_t = known
            value = self.read_member(1)
            if value is None or fields[field] is not None:
                return self.give_up()
            fields[field] = value
            letter: cython.uchar = self.skip_blanks()
            if letter == _CLOSE_OBJECT:
                self.place += 1
                return fields
            if letter != _COMMA:
                return self.give_up()

    @cython.cfunc
    def give_up(self):
        self.unusual = True

    @cython.cfunc
    @cython.exceptval(check=False)
    @cython.inline
    def skip_blanks(self) -> cython.uchar:
        """Go on to the next letter that is no blank; a line feed is one, because the line ends there."""
        letters: cython.p_uchar = self.letters
        while letters[self.place] == 32 or letters[self.place] == 9 or letters[self.place] == 13:
            self.place += 1
        return letters[self.place]

    @cython.cfunc
    def read_member(self, depth: cython.int) -> object:
        """The value after a name and its colon."""
        if self.unusual or self.skip_blanks() != _COLON:
            return self.give_up()
        self.place += 1
        return self.read_value(depth)

    @cython.cfunc
    def read_value(self, depth: cython.int) -> object:
        letter: cython.uchar = self.skip_blanks()
        if letter == _QUOTE:
            return self.read_string()
        if letter == _OPEN_OBJECT and depth <= self.max_depth:
            return self.read_object(depth)
        if letter == _OPEN_LIST and depth <= self.max_depth:
            return self.read_list(depth)
        if _kinds[letter] & _NUMERIC:
            return self.read_number()
        for name, value in (("true", True), ("false", False), ("null", None)):
            size: cython.Py_ssize_t = len(name)
            word: bytes = self.content[self.place : self.place + size]
            if word == name.encode():
                self.place += size
                return value
        return self.give_up()

    @cython.cfunc
    def read_object(self, depth: cython.int) -> object:
        made: dict = {}
        members: cython.Py_ssize_t = 0
        self.place += 1
        if self.skip_blanks() == _CLOSE_OBJECT:
            self.place += 1
            return made
        while True:
            if self.skip_blanks() != _QUOTE:
                return self.give_up()
            name = self.read_name()
            value = self.read_member(depth + 1)
            if self.unusual:
                return None
            made[name] = value
            members += 1
            letter: cython.uchar = self.skip_blanks()
            self.place += 1
            if letter == _CLOSE_OBJECT:
                # Fewer members than were read: a name occurred twice.
                return made if len(made) == members else self.give_up()
            if letter != _COMMA:
                return self.give_up()

    @cython.cfunc
    def read_list(self, depth: cython.int) -> object:
        made: list = []
        self.place += 1
        if self.skip_blanks() == _CLOSE_LIST:
            self.place += 1
            return made
        while True:
            made.append(self.read_value(depth + 1))
            if self.unusual:
                return None
            letter: cython.uchar = self.skip_blanks()
            self.place += 1
            if letter == _CLOSE_LIST:
                return made
            if letter != _COMMA:
                return self.give_up()

    @cython.cfunc
    def read_number(self) -> object:
        start: cython.Py_ssize_t = self.place
        letters: cython.p_uchar = self.letters
        number: cython.longlong = 0
        while _kinds[letters[self.place]] & _DIGIT:
            if self.place - start < _MOST_DIGITS:
                number = 10 * number + letters[self.place] - 48
            self.place += 1
        digits: cython.Py_ssize_t = self.place - start
        if not _kinds[letters[self.place]] & _NUMERIC and digits <= _MOST_DIGITS:
            if letters[start] != 48 or digits == 1:
                return PyLong_FromLongLong(number)
        while _kinds[letters[self.place]] & _NUMERIC:
            self.place += 1
        return loads(self.content[start : self.place])

    @cython.cfunc
    def read_name(self) -> object:
        """The name that begins here; the same object if it was met before, which saves memory and hashing."""
        letters: cython.p_uchar = self.letters
        start: cython.Py_ssize_t = self.place + 1
        end: cython.Py_ssize_t = start
        hashed: cython.uint = 0
        while _kinds[letters[end]] & _PLAIN:
            hashed = (hashed ^ letters[end]) * 16777619
            end += 1
        size: cython.Py_ssize_t = end - start
        if letters[end] != _QUOTE or size > _LONGEST_NAME:
            return self.read_string()
        self.place = end + 1
        slot: cython.size_t = (hashed ^ (hashed >> 15)) & (_NAMES - 1)
        if self.hashes[slot] == hashed and self.names[slot] is not None:
            known = self.names[slot]
            if PyUnicode_GET_LENGTH(known) == size and not memcmp(
                PyUnicode_DATA(known), letters + start, size
            ):
                return known
        name = plain_text(letters + start, size)
        self.names[slot] = name
        self.hashes[slot] = hashed
        return name

    @cython.cfunc
    def read_string(self) -> object:
        """The string that begins here."""
        letters: cython.p_uchar = self.letters
        start: cython.Py_ssize_t = self.place + 1
        end: cython.Py_ssize_t = start
        while _kinds[letters[end]] & _PLAIN:
            end += 1
        if letters[end] == _QUOTE:
            self.place = end + 1
            return plain_text(letters + start, end - start)
        escapes: cython.bint = False
        while letters[end] != _QUOTE:
            if letters[end] < 32:
                return self.give_up()
            if letters[end] == _BACKSLASH:
                escapes = True
                end += 1
                if letters[end] < 32:
                    return self.give_up()
            end += 1
        self.place = end + 1
        if escapes:
            return loads(self.content[start - 1 : end + 1])
        return PyUnicode_DecodeUTF8(cython.cast(cython.p_char, letters + start), end - start, "strict")

    @cython.cfunc
    def make_example(self, fields: list, number: cython.longlong) -> object:
        """The example with these fields; None if a type is unusual."""
        item = fields[0]
        if item is None:
            item = str(number)
        elif type(item) is int:
            item = str(item)
        system = "" if fields[1] is None else fields[1]
        text = fields[2]
        if type(item) is not str or type(system) is not str or type(text) is not str:
            return None
        references: tuple = ()
        if fields[4] is not None:
            if type(fields[4]) is not list:
                return None
            references = tuple(cython.cast(list, fields[4]))
            for reference in references:
                if type(reference) is not str:
                    return None
        subject = "" if fields[5] is None else fields[5]
        title = "" if fields[6] is None else fields[6]
        if type(subject) is not str or type(title) is not str:
            return None
        table = self.make_table(fields[3], subject, title)
        if table is None:
            return None
        example = without_fields(Example)
        set_slot(example, _item_slot, item)
        set_slot(example, _system_slot, system)
        set_slot(example, _text_slot, text)
        set_slot(example, _table_slot, table)
        set_slot(example, _references_slot, references)
        set_slot(example, _human_slot, {})
        set_slot(example, _extra_slot, {})
        return example

    @cython.cfunc
    def make_table(self, data: object, subject: str, title: str) -> object:
        """The table of triples, an object or rows; None for anything else."""
        records: tuple = None
        source = data
        if type(data) is dict:
            records = flatten(data, subject, self.max_records, self.max_depth, self.max_name)
        elif type(data) is not list:
            return None
        else:
            records = make_records(data)
            if records is not None:
                source = None
            else:
                for row in cython.cast(list, data):
                    if type(row) is not dict:
                        return None
                title = title or subject
                records = flatten_rows(data, self.max_records, self.max_depth, self.max_name)
        table = without_fields(Table)
        set_slot(table, _records_slot, records)
        set_slot(table, _title_slot, title)
        set_slot(table, _source_slot, source)
        return table


@cython.cfunc
def plain_text(letters: cython.p_uchar, size: cython.Py_ssize_t) -> str:
    """A string of ASCII characters."""
    text: str = PyUnicode_New(size, 127)
    if size:
        memcpy(PyUnicode_DATA(text), letters, size)
    return text


def read_lines(content: bytes, first_line, max_bytes: cython.Py_ssize_t, max_records, max_depth, max_name):
    """Each line that is not blank, as an example or as it is; the number of each; whether all were read."""
    reader: LineReader = LineReader(content, max_records, max_depth, max_name)
    size: cython.Py_ssize_t = len(content)
    start: cython.Py_ssize_t = 0
    number: cython.longlong = first_line
    lines: list = []
    numbers: list = []
    all_read: cython.bint = True
    while start < size:
        found: cython.p_char = cython.cast(
            cython.p_char, memchr(reader.letters + start, _NEWLINE, size - start)
        )
        end: cython.Py_ssize_t = size
        if found != cython.NULL:
            end = found - cython.cast(cython.p_char, reader.letters)
        example = reader.read_example(start, end, number) if end - start < max_bytes else None
        if example is None:
            example = content[start:end]
            if not example or example.isspace():
                example = None
            else:
                all_read = False
        if example is not None:
            lines.append(example)
            numbers.append(number)
        start = end + 1
        number += 1
    no_blanks: cython.bint = len(numbers) == number - first_line
    return lines, range(first_line, number) if no_blanks else numbers, all_read
