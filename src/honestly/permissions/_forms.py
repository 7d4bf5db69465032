"""One form for the many in which a command can be written, so that a rule in one of them speaks of all: long and short
options, options with their values attached, second names of programs, subcommands and kinds of things.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from honestly.permissions._programs import VALUED
from honestly.permissions._words import first_plain, unclustered

_SHORT_TEXT = """
curl: X:request d:data H:header o:output O:remote-name u:user F:form T:upload-file k=insecure L=location x:proxy
wget: O:output-document P:directory-prefix i:input-file
sed: i=in-place e:expression n=quiet n=silent E=regexp-extended f:file
tar: x=extract x=get c=create t=list r=append u=update f:file C:directory
pip|uv: U=upgrade r:requirement e:editable i:index-url
npm|pnpm|yarn|bun: g=global D=save-dev f=force w:workspace
docker|podman: v:volume e:env p:publish d=detach t=tty i=interactive f=force u:user w:workdir a=all
kubectl: f:filename n:namespace l:selector A=all-namespaces o:output
rm|cp|chmod|chown|chgrp: r=recursive R=recursive f=force v=verbose
git commit: n=no-verify a=all m:message F:file C:reuse-message c:reedit-message q=quiet v=verbose s=signoff e=edit
git push: f=force n=dry-run u=set-upstream d=delete q=quiet v=verbose o:push-option
git clean: f=force n=dry-run e:exclude q=quiet
git branch: f=force a=all r=remotes u:set-upstream-to q=quiet v=verbose
git checkout|git switch: f=force f=discard-changes c:create C:force-create b:- B:- d=detach q=quiet
git add: n=dry-run f=force A=all u=update p=patch v=verbose
git rm|git mv: f=force n=dry-run q=quiet
git tag: f=force d=delete a=annotate m:message l=list s=sign
git fetch|git pull: f=force p=prune a=append q=quiet
git rebase: i=interactive x:exec f=force-rebase
git stash: m:message u=include-untracked a=all
systemctl: H:host
psql|mysql: c:command e:execute h:host u:user f:file
python: m:- c:-
make: f:file C:directory j:jobs n=dry-run
gh: X:method f:raw-field F:field H:header R:repo
node|bun: e:eval p:print r:require
"""
"""By program, or program and subcommand: the letter, a colon where it takes a value, and the long name."""
_SHORT: dict[str, tuple[str, dict[str, str]]] = {}
for _line in _SHORT_TEXT.strip().split("\n"):
    _keys, _, _given = _line.partition(": ")
    _pairs = [re.split("[:=]", each) for each in _given.split()]
    _valued = "".join(each[0] for each in _given.split() if each[1] == ":")
    _SHORT |= dict.fromkeys(_keys.split("|"), (_valued, {long: letter for letter, long in _pairs}))
_KUBERNETES_TEXT = """namespace ns namespaces|pod po pods|service svc services|deployment deploy deployments
|configmap cm configmaps|ingress ing ingresses|persistentvolume pv persistentvolumes|secret secrets|job jobs
|persistentvolumeclaim pvc persistentvolumeclaims|statefulset sts statefulsets|daemonset ds daemonsets
|cronjob cj cronjobs
|replicaset rs replicasets|node no nodes|serviceaccount sa serviceaccounts|clusterrole clusterroles"""
_KINDS = {each: names.split()[0] for names in _KUBERNETES_TEXT.split("|") for each in names.split()}
_IMAGES, _CONTAINERS = "push pull build tag save load", "run exec rm stop kill start create cp logs ps restart"
_OF_GH = "pr issue release repo gist label project secret variable run workflow cache ssh-key gpg-key"
_SECOND_TEXT = {
    "git": {"stage": "add", "annotate": "blame", "pickaxe": "blame", "init-db": "init", "fsck-objects": "fsck"},
    "docker": {f"image {each}": each for each in _IMAGES.split()}
    | {f"container {each}": each for each in _CONTAINERS.split()}
    | {"container remove": "rm", "image remove": "rmi", "volume remove": "volume rm", "network remove": "network rm"}
    | {"image rm": "rmi", "image ls": "images", "container ls": "ps", "buildx build": "build"},
    "npm": dict.fromkeys("i add in ins isntall".split(), "install")  # noqa: SIM905
    | dict.fromkeys("un r rm remove unlink".split(), "uninstall")  # noqa: SIM905
    | {"run-script": "run", "rum": "run", "urn": "run", "t": "test", "tst": "test"},
    "pnpm": {"i": "install", "add": "install", "rm": "remove", "un": "remove", "uninstall": "remove"},
    "kubectl": {"del": "delete"},
    "gh": {
        f"{kind} {new}": f"{kind} {old}"
        for kind in _OF_GH.split()
        for new, old in (("new", "create"), ("ls", "list"), ("remove", "delete"))
    },
    "helm": {"delete": "uninstall", "del": "uninstall", "un": "uninstall"},
    "brew": {"remove": "uninstall", "rm": "uninstall"},
    "chmod": dict.fromkeys("0777 00777 a+rwx +rwx ugo+rwx a=rwx =rwx ugo=rwx".split(), "777"),  # noqa: SIM905
}
_SECOND = {
    name: {tuple(old.split()): tuple(new.split()) for old, new in pairs.items()} for name, pairs in _SECOND_TEXT.items()
}
"""Other words for the first words of a program."""
SHORTENS = frozenset(["npm", "kubectl"])
"""Programs that take the begin of a subcommand for it."""
_REFSPEC = re.compile(r"^(?:[\w./-]+:)?(?:refs/heads/)?(?=\w[\w./-]*$)")
_COMPOSE = "-f --file -p --project-name --profile --env-file --project-directory --ansi --progress".split()  # noqa: SIM905
_SIGNALS = {"HUP": "1", "INT": "2", "QUIT": "3", "KILL": "9", "TERM": "15"}


def in_first_names(words: tuple[str, ...]) -> tuple[str, ...]:
    """A command with the first name of its subcommand, if it has several: `git add` of `git stage`."""
    name, rest = words[0], list(words[1:])
    at = first_plain(rest, VALUED.get(name, "").split())
    if name == "yarn" and rest[at : at + 1] == ["workspace"]:
        rest[at : at + 2] = []
    if name == "cargo" and rest[:1] and rest[0][:1] == "+":
        rest[:1] = []
    if name == "gcloud" and rest[at : at + 1] and rest[at] in {"alpha", "beta"}:
        rest[at : at + 1] = []
    if name == "gradle":  # a task of any project
        rest = [word.rpartition(":")[2] for word in rest]
    if name == "npm":
        rest = ["-g" if word == "--location=global" else word for word in rest]
    if name == "git" and rest[at : at + 1] == ["push"]:  # what a refspec pushes to
        rest = [word if re.search("://|@", word) else _REFSPEC.sub("", word) for word in rest]
        rest = [each for word in rest for each in (["--delete", word[1:]] if re.match(r":\w", word) else [word])]
    if name == "docker" and rest[at : at + 2] == ["compose", "down"]:
        rest = ["-v" if word == "--volumes" else word for word in rest]
    if name in {"terraform", "tofu"} and rest[at : at + 1] == ["apply"] and {"-destroy", "--destroy"} & {*rest}:
        rest[at] = "destroy"
    for old, new in _SECOND.get(name, {}).items():
        if tuple(rest[at : at + len(old)]) == old:
            rest[at : at + len(old)] = new
            break
    return (name, *rest)


@lru_cache(4000)
def one_form(words: tuple[str, ...]) -> tuple[str, ...]:
    """A command in one form."""
    name, *rest = in_first_names(words)
    at = first_plain(rest, VALUED.get(name, "").split())
    if name == "docker" and rest[at : at + 1] == ["compose"]:
        ends = at + 1 + first_plain(rest[at + 1 :], _COMPOSE)
        rest[at + 1 : ends] = []
    if name == "kubectl":
        rest = [part for word in rest for part in (word.split("/", 1) if word.split("/")[0] in _KINDS else [word])]
        rest = [_KINDS.get(word, word) for word in rest]
    if name == "kill":
        rest = _signal_as_number(rest)
    if name == "tar" and rest and re.fullmatch("[A-Za-z]+", rest[0]):
        rest[0] = f"-{rest[0]}"
    table = _table((name, *rest))
    return (name, *_in_short(rest, *table)) if table else (name, *rest)


def _table(words: Sequence[str]) -> tuple[str, dict[str, str]] | None:
    if words[0] != "git":
        return _SHORT.get(words[0])
    at = 1 + first_plain(words[1:], VALUED["git"].split())
    return _SHORT.get(f"git {words[at]}") if at < len(words) else None


def takes_value(words: Sequence[str], option: str) -> bool:
    """Whether an option of one letter takes a value, in a command in one form."""
    table = _table(words)
    return table is not None and len(option) == 2 and option[1] in table[0]


def _in_short(words: Sequence[str], valued: str, long: dict[str, str]) -> list[str]:
    """Words with short options for long ones, and the value of each behind it."""
    found: list[str] = []
    ends = words.index("--") if "--" in words else len(words)
    for word in words[:ends]:
        given, equals, value = word[2:].partition("=")
        full = (
            given if given in long else next((each for each in long if len(given) > 3 and each.startswith(given)), "")
        )
        if word[:2] == "--" and full:
            found += [f"-{long[full]}", *([value] if equals and long[full] in valued else [])]
        else:
            found.append(word)
    apart = unclustered(found, valued) if valued else found
    values = [at for at, word in enumerate(apart) if at and apart[at - 1][:1] == "-" and apart[at - 1][1:] in {*valued}]
    for at in values:
        apart[at] = f" {apart[at]}" if apart[at][:1] == "-" else apart[at]  # it is no option
    return [*apart, *words[ends:]]


def _signal_as_number(words: Sequence[str]) -> list[str]:
    given = re.sub(r"(?<!\S)(?:-s|-n|--signal)[ =](?=\S)", "-", " ".join(words)).split()
    return [
        f"-{_SIGNALS[name]}" if (name := word[1:].removeprefix("SIG")) in _SIGNALS and word[0] == "-" else word
        for word in given
    ]
