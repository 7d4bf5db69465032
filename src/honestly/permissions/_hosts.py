"""The hosts that a command would reach: in addresses, after `@`, as bare names of programs that speak to a network.

A host is written as a rule compares it: in lower case, without a dot at its end, `%61` and braces undone. Words that
are messages, patterns or bodies are no addresses; what a program does with names in its own files is not seen.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from ipaddress import IPv6Address
from itertools import product
from socket import inet_aton, inet_ntoa
from urllib.parse import unquote

from honestly.permissions._words import ANY, MANY, NUMBER, ONE, STAR, UNKNOWN

_PART = f"[\\w\\-*?%{{}},\\[\\]{ANY}{MANY}{STAR}{ONE}{NUMBER}]"
ADDRESS = re.compile(
    rf"[A-Za-z][A-Za-z0-9+.-]*://(?:[^\s/@'\"]*@)?(\[[0-9a-fA-F.]*:[0-9a-fA-F:.]+\]|{_PART}+(?:\.{_PART}+)*)"
)
_BEGINS = re.compile(rf"(?:[\w.-]*[=@:])*?{ADDRESS.pattern}")
_BARE = re.compile(
    rf"(?:^|[@:=,/])(?:[^\s@/:=,]*@)?((?:{_PART}+\.)+[\w-]*[A-Za-z{ANY}{MANY}{NUMBER}][\w-]*|\d+(?:\.\d+){{3}}|localhost)\.?(?=[:/,]|$)"
)
_SPEAKING_TEXT = """curl wget http https xh httpie lynx w3m links elinks aria2c axel ping ping6 traceroute
tracepath mtr dig drill nslookup host nc ncat netcat telnet ftp lftp sftp ssh scp rsync mosh openssl socat
nmap masscan psql pg_dump pg_restore createdb dropdb mysql mysqldump mariadb mongosh mongo redis-cli
ssh-keyscan ssh-copy-id whois smbclient ldapsearch swaks sendmail mail rclone kcat grpcurl websocat wscat
autossh sshfs tftp rsh chisel ngrok ansible ansible-playbook mount finger snmpget snmpwalk oras skopeo crane"""
_SPEAKING = frozenset(_SPEAKING_TEXT.split())
"""Programs that take the bare name of a host."""
_DATABASES = re.compile("psql|pg_|createdb|dropdb|mysql|mariadb|redis-cli|mongo")
_SUBCOMMANDS: Mapping[str, frozenset[str]] = {
    name: frozenset(words.split())
    for names, words in {
        "docker podman nerdctl": "pull push run login create buildx build",
        "go": "get install mod env",
        "gh": "auth api",
        "gcloud": "compute",
        "git": "clone fetch pull push remote ls-remote submodule archive request-pull subtree send-pack lfs config",
    }.items()
    for name in names.split()
}
"""Programs that speak to a network by some of their subcommands; of no subcommand, by their options."""
_BODIES = re.compile(
    r"-[dHAFwbmCXou]|--(?:data[\w-]*|header|user-agent|form[\w-]*|write-out|cookie|message|body|subject|output|request)"
)
"""Options whose value is no address."""
_SHELLS_ELSEWHERE = frozenset("ssh scp sftp rsync sshfs autossh mosh lftp ftp gh go apt apt-get".split())  # noqa: SIM905
"""Programs whose short options are not those."""
_BODY = re.compile(r"--(?:data|header|form|message|body)[\w-]*=")
_SILENT_TEXT = """cat tac head tail less more bat nl od xxd hexdump strings base64 base32 md5sum sha1sum sha256sum
sha512sum wc cut paste join comm fold fmt column rev sort uniq tr split diff cmp grep egrep fgrep zgrep rg ag ack jq yq
awk sed cp mv tee python perl ruby node php lua bash sh dash zsh test [ find ln touch mkdir rm printf echo"""
_SILENT = frozenset(_SILENT_TEXT.split())
"""Programs that reach no host by their words, or whose code is read by itself."""
_INTERPRETERS = frozenset(["python", "perl", "ruby", "node", "php", "lua", "bash", "sh", "deno", "tsx", "ts-node"])
_CODE_OPTION = re.compile(r"-(?!m$)\w*[cepr]\w*$|--eval|--print|eval$")
"""Options of interpreters by which they get code, which is read by itself."""
_NETWORK = (
    r"\b(?:socket|urllib\d?|urlopen|requests|http\.|httpx|aiohttp|websockets?|smtplib|ftplib|telnetlib|paramiko|xmlrpc"
    r"|asyncio|pip"
)
_NETWORK_CODE = {
    True: re.compile(rf"{_NETWORK}|pycurl)\b"),
    False: re.compile(
        rf"{_NETWORK}|subprocess|os\.|fetch|net|Net|URI|HTTP\w*|Faraday|axios|open|curl|LWP|IO::Socket|file_get_contents"
        r"|fsockopen|get(?:print|store)?|post|put|request|hostname|read|send|got|ky|needle|superagent|download)\b"
    ),
}
"""What in Python, and in other languages, speaks to a network."""


def hosts_of(name: str, words: Sequence[str], stdin: str) -> list[str]:
    """The hosts that a program would reach with these words."""
    words = [re.sub("[\u3002\uff0e\uff61]", ".", word) for word in words]  # as names of hosts are normalized
    subcommands = _SUBCOMMANDS.get(name)
    if (name in _INTERPRETERS and not _CODE_OPTION.match(" ".join(words[:1]))) or (name == "go" and "run" in words[:1]):
        return [each for word in words[1:] if (match := _BEGINS.match(word)) for each in _expanded_hosts(match[1])]
    if name in _SILENT or (subcommands and not any(word in subcommands for word in words[:6])):
        return []
    speaks = name in _SPEAKING or bool(subcommands)
    texts: list[str] = [stdin] if speaks and "://" in stdin and len(stdin) < 20_000 else []
    found: list[str] = []
    words = [part for word in words for part in re.split(r"[\s;|]+", word)] if name in {"lftp", "ftp"} else words
    words = [re.sub("^-h(?=.)", "", word) for word in words] if _DATABASES.match(name) else words
    for at, word in enumerate(words):
        if (at and _BODIES.fullmatch(words[at - 1]) and name not in _SHELLS_ELSEWHERE) or _BODY.match(word):
            continue
        plain = not word.startswith("-") and (at or not subcommands) and (name != "git" or ":" in word)
        if match := _BEGINS.match(word):
            found.append(match[1])
        elif "://" in word and not speaks:
            texts.append(word)
        elif speaks and "://" not in word and (plain or "=" in word):
            bare = _BARE.findall(word if plain else word.partition("=")[2])
            found += bare[:1] if name in {"docker", "podman", "nerdctl"} else bare  # an image is named behind its host
    return [
        each
        for host in (*found, *(each for text in texts for each in ADDRESS.findall(text)))
        for each in _expanded_hosts(host)
    ]


def hosts_of_code(texts: Sequence[str], code: str, language: str) -> Iterator[str]:
    """The hosts in the literals of a program that speaks to a network."""
    if _NETWORK_CODE[language == "python"].search(code):
        for text in texts:
            for each in ADDRESS.findall(text) or re.findall(r"^([\w-]+(?:\.[\w-]+)+)\.?(?::\d+)?$", text):
                yield from _expanded_hosts(each)


def _expanded_hosts(host: str) -> list[str]:
    """A host as rules compare it; each of those that its braces stand for."""
    host = unquote(host).lower().rstrip(".")
    if re.fullmatch(r"(?:0x[0-9a-f]+|\d+)(?:\.(?:0x[0-9a-f]+|\d+)){0,3}", host):
        with suppress(OSError):
            return list(dict.fromkeys([host, inet_ntoa(inet_aton(host))]))  # as programs read numbers
    if host[:1] == "[":
        with suppress(ValueError):
            inner = IPv6Address(host.strip("[]")).ipv4_mapped
            return [host, *([str(inner)] if inner else [])]
    if UNKNOWN.search(host) or "{" not in host:
        return [host] if host else []
    pieces = [piece[1:-1].split(",") if piece[:1] == "{" else [piece] for piece in re.split(r"(\{[^{}]*\})", host)]
    return ["".join(each).rstrip(".") for each in product(*pieces)][:50]
