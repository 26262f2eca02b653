"""Reads the index that the compiler writes during a debug build: which file declares and which file uses a symbol.

The format is LLVM's index store; its library (libIndexStore) comes with the Swift toolchain, and with it the description of
the functions below, `indexstore.h`.
"""

import ctypes
import dataclasses
import os
import shutil
from collections.abc import Iterator
from ctypes import CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from pathlib import Path

# Roles of a symbol in a file.
DEFINITION, REFERENCE = 1 << 1, 1 << 2
# Kinds whose declarations are not uses: modules, extensions, parameters.
NO_DECLARATIONS = {1, 9, 25}


@dataclasses.dataclass(frozen=True)
class Symbol:
    """A symbol that a file declares or uses."""

    usr: str
    name: str
    kind: int
    roles: int


@dataclasses.dataclass(frozen=True)
class Use:
    """A place where a file declares or uses a symbol."""

    usr: str
    roles: int
    line: int


class _Text(Structure):
    _fields_ = [("data", c_void_p), ("length", c_size_t)]

    def __str__(self) -> str:
        return ctypes.string_at(self.data, self.length).decode() if self.length else ""


def _library() -> ctypes.CDLL:
    swift = Path(os.path.realpath(shutil.which("swift") or "swift"))
    library = ctypes.CDLL(str(swift.parent.parent / "lib" / "libIndexStore.so"))
    results = {
        c_void_p: "store_create unit_reader_create record_reader_create occurrence_get_symbol",
        _Text: "unit_reader_get_main_file unit_reader_get_module_name unit_dependency_get_name symbol_get_usr symbol_get_name",
        c_uint64: "symbol_get_roles occurrence_get_roles",
        c_bool: "unit_reader_is_module_unit unit_reader_is_system_unit",
        c_int: "unit_dependency_get_kind symbol_get_kind",
    }
    for result, names in results.items():
        for name in names.split():
            getattr(library, f"indexstore_{name}").restype = result
    return library


# Visits a dependency, a symbol or an occurrence; true continues with the next one.
_Visit = CFUNCTYPE(c_bool, c_void_p, c_void_p)


class CompilerIndex:
    """The index of a debug build."""

    def __init__(self, binaries: Path) -> None:
        """Opens the index below the directory that `swift build --show-bin-path` prints."""
        self._library = _library()
        self._units = binaries / "index" / "store" / "v5" / "units"
        self._store = self._call("store_create", c_char_p(str(binaries / "index" / "store").encode()), POINTER(c_void_p)())
        if not self._store or not self._units.is_dir():
            raise SystemExit(f"{binaries}: no compiler index; build first, in debug")

    def files(self) -> Iterator[tuple[str, Path, str]]:
        """Each source file that exists: its module, its path and the name of its record.

        The index keeps earlier compilations: of the units of one file the newest one counts.
        """
        newest: dict[tuple[str, Path], tuple[float, str]] = {}
        for unit in self._units.iterdir():
            reader = self._call("unit_reader_create", c_void_p(self._store), c_char_p(unit.name.encode()), POINTER(c_void_p)())
            if reader is None:
                continue
            path = Path(str(self._call("unit_reader_get_main_file", c_void_p(reader))))
            if path.is_file() and path.is_relative_to(Path.cwd()):
                module = str(self._call("unit_reader_get_module_name", c_void_p(reader)))
                key = (module, path.relative_to(Path.cwd()))
                for record in self._records(reader):
                    newest[key] = max(newest.get(key, (0, "")), (unit.stat().st_mtime, record))
            self._call("unit_reader_dispose", c_void_p(reader))
        for (module, path), (_, record) in sorted(newest.items()):
            yield module, path, record

    def symbols(self, record: str) -> list[Symbol]:
        """The symbols of a file, each once, with all its roles in the file."""
        found = []

        def visit(_: int, symbol: int) -> bool:
            found.append(self._symbol(symbol))
            return True

        self._read(record, "record_reader_symbols_apply_f", c_bool(True), None, _Visit(visit))
        return found

    def uses(self, record: str) -> list[Use]:
        """The places of the symbols of a file."""
        found = []

        def visit(_: int, occurrence: int) -> bool:
            line, column = c_uint(), c_uint()
            self._call("occurrence_get_line_col", c_void_p(occurrence), ctypes.byref(line), ctypes.byref(column))
            symbol = c_void_p(self._call("occurrence_get_symbol", c_void_p(occurrence)))
            roles = self._call("occurrence_get_roles", c_void_p(occurrence))
            found.append(Use(str(self._call("symbol_get_usr", symbol)), roles, line.value))
            return True

        self._read(record, "record_reader_occurrences_apply_f", None, _Visit(visit))
        return found

    def _symbol(self, symbol: int) -> Symbol:
        of = c_void_p(symbol)
        return Symbol(
            usr=str(self._call("symbol_get_usr", of)), name=str(self._call("symbol_get_name", of)),
            kind=self._call("symbol_get_kind", of), roles=self._call("symbol_get_roles", of))

    def _records(self, unit: int) -> list[str]:
        """The names of the records of a file; Swift writes one for each."""
        found = []

        def visit(_: int, dependency: int) -> bool:
            if self._call("unit_dependency_get_kind", c_void_p(dependency)) == 2:
                name = str(self._call("unit_dependency_get_name", c_void_p(dependency)))
                if ".swift-" in name:
                    found.append(name)
            return True

        self._call("unit_reader_dependencies_apply_f", c_void_p(unit), None, _Visit(visit))
        return found

    def _read(self, record: str, function: str, *arguments) -> None:
        reader = self._call("record_reader_create", c_void_p(self._store), c_char_p(record.encode()), POINTER(c_void_p)())
        self._call(function, c_void_p(reader), *arguments)
        self._call("record_reader_dispose", c_void_p(reader))

    def _call(self, name: str, *arguments):
        return getattr(self._library, f"indexstore_{name}")(*arguments)
