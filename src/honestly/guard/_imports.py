"""The packages that source files import and nothing declares: Python by its syntax tree, JavaScript and TypeScript by
their import statements and by calls with a plain text.

The standard library, modules and packages of the same tree, and aliases that a configuration names are nobody's
package. Where a module has another name than its package (`yaml`, `PyYAML`), a table of frequent ones says so; beyond
it a module's name is taken for its package's. Not covered: names that are computed, modules that lie outside of the
tree, other languages.
"""

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import NamedTuple

from honestly.guard._readers import inline_block
from honestly.permissions import package_name

_PYTHON = (".py", ".pyi", ".pyw")
_SCRIPT = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts", ".vue", ".svelte")
_BEFORE_TEXT = """distutils asynchat asyncore imp smtpd cgi cgitb crypt pipes telnetlib annotationlib compression
_typeshed __main__ js pyodide"""
_BEFORE = frozenset(_BEFORE_TEXT.split())
"""Modules of the standard library of other versions of Python, of type checkers and of browsers."""
_OTHER_NAMES_TEXT = """yaml=pyyaml cv2=opencv-python PIL=pillow sklearn=scikit-learn skimage=scikit-image
bs4=beautifulsoup4 attr=attrs dateutil=python-dateutil dotenv=python-dotenv jwt=pyjwt jose=python-jose
Crypto=pycryptodome OpenSSL=pyopenssl serial=pyserial usb=pyusb docx=python-docx pptx=python-pptx fitz=pymupdf
MySQLdb=mysqlclient psycopg2=psycopg2-binary pkg_resources=setuptools _pytest=pytest git=gitpython magic=python-magic
nacl=pynacl zmq=pyzmq dns=dnspython ldap=python-ldap slugify=python-slugify multipart=python-multipart gi=pygobject
wx=wxpython win32api=pywin32 win32con=pywin32 win32gui=pywin32 win32com=pywin32 pythoncom=pywin32 Xlib=python-xlib
cairo=pycairo pylab=matplotlib mpl_toolkits=matplotlib faiss=faiss-cpu socks=pysocks telegram=python-telegram-bot
googleapiclient=google-api-python-client vcr=vcrpy pythonjsonlogger=python-json-logger traceloop=traceloop-sdk
_distutils_hack=setuptools discord=discord.py Levenshtein=levenshtein rest_framework=djangorestframework
corsheaders=django-cors-headers environ=django-environ allauth=django-allauth debug_toolbar=django-debug-toolbar
speech_recognition=speechrecognition webview=pywebview vlc=python-vlc nmap=python-nmap consul=python-consul
barcode=python-barcode hydra=hydra-core umap=umap-learn talib=ta-lib pywintypes=pywin32 ruamel=ruamel.yaml
github=pygithub gitlab=python-gitlab osgeo=gdal shapefile=pyshp bson=pymongo gridfs=pymongo tlz=toolz
markdown_it=markdown-it-py websocket=websocket-client engineio=python-engineio socketio=python-socketio grpc=grpcio
grpc_tools=grpcio-tools IPython=ipython"""
_OTHER_NAMES = dict(each.split("=") for each in _OTHER_NAMES_TEXT.split())
_SHARED = frozenset({"google", "azure", "zope", "opentelemetry", "sphinxcontrib", "backports", "jaraco", "ibm"})
"""First words that many packages share."""
_NODE_TEXT = """assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns
domain events fs http http2 https inspector module net os path perf_hooks process punycode querystring readline repl
stream string_decoder sys timers tls trace_events tty url util v8 vm wasi worker_threads zlib vscode electron bun"""
_NODE = frozenset(_NODE_TEXT.split())
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/|`(?:\\.|[^`\\])*`|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"", re.DOTALL)
"""A comment, or a text in which there is none."""
_USE = re.compile(
    r"`(?:\\.|[^`\\])*`"
    r"|(?:\b(?:import|export)\b[^;'\"`()=]{0,600}?\bfrom\s*|\bimport\s*\(?\s*|\brequire(?:\.resolve)?\s*\(\s*)"
    r"(?:'([^'\n]+)'|\"([^\"\n]+)\")"
    r"|'(?:\\.|[^'\\\n])*'|\"(?:\\.|[^\"\\\n])*\"",
    re.DOTALL,
)
_SCOPED = re.compile(r"@[a-z0-9~][\w.~-]*/[a-z0-9~][\w.~-]*|[a-z0-9~][\w.~-]*")
_FAMILY = re.compile("^(?:django|flask|pytest|sphinx)-")
"""What packages of a family have before the name of their module."""
_FILE = re.compile(r"\.(?:css|scss|html|svg|png|txt|wasm|json|md)$")
_CONFIGURATION = re.compile(
    r"(?:ts|js)config[\w.-]*\.json|deno\.jsonc?|import_map\.json|[\w.-]+\.config\.\w+|package\.json"
)


class ImportedPackage(NamedTuple):
    """A package that a file imports."""

    name: str
    ecosystem: str
    line: int
    optional: bool = False
    """It stands in a `try` that bears its absence."""


def is_source(path: str) -> bool:
    """Whether a file is read for imports."""
    return path.endswith((*_PYTHON, *_SCRIPT)) or _CONFIGURATION.fullmatch(path.rpartition("/")[2]) is not None


def imported_packages(
    files: Mapping[str, str], chosen: Iterable[str], declared: Iterable[tuple[str, str]], unread: list[str]
) -> Iterator[tuple[str, ImportedPackage]]:
    """The packages that some files of a tree import and nothing declares, each with its file.

    Args:
        files: the texts of the tree, by path; empty for a file whose name alone matters.
        chosen: paths of the files that are looked at.
        declared: ecosystem and name of the packages that manifests, lock files and commands name.
        unread: gets the paths of files that are no Python.
    """
    named = list(declared)
    python = {package_name("PyPI", name) for ecosystem, name in named if ecosystem in {"PyPI", "conda"}}
    script = {name for ecosystem, name in named if ecosystem == "npm"}
    modules = _local_modules(files)
    packages, aliases = _local_packages(files)
    for path in chosen:
        text = files[path]
        if ".min." in path:
            continue
        if path.endswith(_PYTHON):
            inline = {package_name("PyPI", each) for each in re.findall(r"[\"']([\w.-]+)", inline_block(text))}
            try:
                tree = ast.parse(text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                unread.append(path)
                continue
            for found, module in _of_python(tree):
                if module not in modules and not _is_declared(found.name, module, python | inline):
                    yield path, found
        elif path.endswith(_SCRIPT):
            for found in _of_script(text):
                first = found.name.partition("/")[0]
                types = f"@types/{found.name.removeprefix('@').replace('/', '__')}"
                if not ({found.name, types} & script or found.name in packages or {first, found.name} & aliases):
                    yield path, found


def _local_modules(files: Mapping[str, str]) -> set[str]:
    """What Python files of a tree may be imported as, from whichever folder."""
    found: set[str] = set()
    for name in files:
        path = PurePosixPath(name)
        if path.suffix in {*_PYTHON, ".pyx", ".so", ".pyd", ".ipynb"}:
            found |= {path.name.partition(".")[0], *path.parts[:-1]}
    return found


def _local_packages(files: Mapping[str, str]) -> tuple[set[str], set[str]]:
    """The names of a tree's own npm packages, and first words of paths that configurations send elsewhere."""
    names: set[str] = set()
    aliases: set[str] = set()
    for name, text in files.items():
        path = PurePosixPath(name)
        if path.name in {"package.json", "deno.json", "deno.jsonc"}:
            own = re.search(r'"name"\s*:\s*"([^"]+)"', text)
            names |= {own[1]} if own else set()
            aliases |= set(re.findall(r'"([@\w./-]+)"\s*:\s*"npm:', text))
        if _CONFIGURATION.fullmatch(path.name):
            keys = re.findall(
                r"(?:[\"']([@\w~^][\w@/~*().$^-]*)[\"']|\b([A-Za-z]\w*))\s*:|find\s*:\s*[\"']([^\"']+)", text
            )
            if path.name != "package.json":
                aliases |= {re.sub(r"/?(?:\(?\.?\*\)?)?\$?$", "", "".join(each)).lstrip("^") for each in keys}
            if '"baseUrl"' in text:
                under = str(path.parent)
                tops = [each if under == "." else each.removeprefix(f"{under}/") for each in files]
                tops += [each.removeprefix("src/") for each in tops]
                aliases |= {PurePosixPath(each).parts[0].partition(".")[0] for each in tops if each}
    return names, aliases - {""}


def _is_declared(name: str, module: str, declared: set[str]) -> bool:
    plain = {package_name("PyPI", name), package_name("PyPI", module)}
    plain |= {
        f"{before}{each}{after}"
        for each in list(plain)
        for before, after in (("python-", ""), ("py", ""), ("", "-python"), ("", "-binary"), ("py-", ""))
    }
    squeezed = {each.replace("-", "").removesuffix("s") for each in plain}
    bare = {_FAMILY.sub("", each).replace("-", "").removesuffix("s") for each in declared}
    return (
        bool(plain & declared)
        or any(each.startswith(tuple(f"{one}-" for one in plain)) for each in declared)
        or bool({*squeezed, *(_FAMILY.sub("", each).replace("-", "").removesuffix("s") for each in plain)} & bare)
    )


def _of_python(tree: ast.Module) -> Iterator[tuple[ImportedPackage, str]]:
    optional: set[ast.AST] = set()
    for node in ast.walk(tree):
        handlers = node.handlers if isinstance(node, ast.Try) else []
        caught = [ast.unparse(each.type) if each.type else "Exception" for each in handlers]
        if any(re.search(r"ImportError|ModuleNotFoundError|\bException\b", each) for each in caught):
            optional |= {inner for part in node.body for inner in ast.walk(part)}  # type: ignore[attr-defined]
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module if node.module.partition(".")[2] else f"{node.module}.{node.names[0].name}"]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            of = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            given = node.args[0].value
            names = [given] if of in {"import_module", "__import__", "importorskip"} and isinstance(given, str) else []
        for name in names:
            first, *rest = name.split(".")
            if first and first not in sys.stdlib_module_names and first not in _BEFORE:
                many = "-".join([first, *rest[: 2 if rest[:1] == ["cloud"] or first == "azure" else 1]])
                package = "protobuf" if name.startswith("google.protobuf") else many if first in _SHARED else first
                plain = _OTHER_NAMES.get(first, package_name("PyPI", package))
                yield ImportedPackage(plain, "PyPI", getattr(node, "lineno", 0), node in optional), first


def _of_script(text: str) -> Iterator[ImportedPackage]:
    line, last = 1, 0
    text = _COMMENT.sub(lambda found: re.sub(r"[^\n]", " ", found[0]) if found[0][0] == "/" else found[0], text)
    for found in _USE.finditer(text):
        at = max(found.start(1), found.start(2), last)
        line, last = line + text.count("\n", last, at), at
        given = (found[1] or found[2] or "").removeprefix("npm:")
        name = _SCOPED.match(given)
        if name is None or ":" in given or given.startswith("@/") or name[0].partition("/")[0] in _NODE:
            continue
        if given[name.end() : name.end() + 1] in {"", "/", "?", "@"} and not _FILE.search(name[0]):
            yield ImportedPackage(name[0], "npm", line)
