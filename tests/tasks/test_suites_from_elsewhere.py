"""Suites in other people's layouts: read as they are, run to the end in real sandboxes, refused with the reason."""

import json
import shutil
from functools import partial
from pathlib import Path

import anyio
import pytest
from foreign_suites import EXERCISM, HARBOR, HARBOR_TOML, INSTANCE, QUIXBUGS, SWEBENCH, write
from hypothesis import HealthCheck, given, settings, strategies as st

from honestly.errors import FormatError, HonestlyError, TaskError
from honestly.formats import read_samples
from honestly.records import Environment, Healthcheck, Tree
from honestly.sandbox import open_sandbox
from honestly.sandbox.images import add_image
from honestly.tasks import load_suite, missing_programs, runnable_tasks
from honestly.verify import Slots, check_task, verify
from sampled import sampled

DATA = Path(__file__).parents[3] / "shared/data/formats/harbor/tasks"


def proofs(tasks):
    """What was proved of each task."""

    async def go():
        async with Slots(partial(open_sandbox)) as slots:
            return {task.id: await check_task(task, slots) for task in tasks}

    return anyio.run(go)


LAYOUTS = {"exercism": EXERCISM, "quixbugs": QUIXBUGS, "harbor": HARBOR, "swebench": SWEBENCH}


@pytest.mark.slow
@pytest.mark.parametrize("last", sampled([1, 9]))
@pytest.mark.parametrize(
    ("layout", "ids"),
    [
        ("exercism", ["bills", "leap"]),
        ("quixbugs", ["gcd", "last", "pairs", "sqrt"]),
        ("harbor", ["count-words"]),
        ("swebench", ["us__clamps-12"]),
    ],
)
def test_the_reference_passes_and_the_untouched_workspace_fails(layout, ids, last, tmp_path):
    suite = load_suite(write(tmp_path / layout, LAYOUTS[layout]))
    assert [task.id for task in suite.tasks] == ids
    assert suite.name == layout
    assert runnable_tasks(suite)[1] == ()
    for name, proof in proofs(suite.tasks[-last:]).items():
        assert len(proof.claims) == 2
        assert proof.holds, (name, proof.claims)
    assert load_suite(tmp_path / layout, only=ids[-1:]).tasks == suite.tasks[-1:]
    with pytest.raises(TaskError, match=f"no task nobody; it has: {', '.join(ids)}"):
        load_suite(tmp_path / layout, only=["nobody"])


def test_exercises_are_read_by_their_own_list_of_files(tmp_path):
    bills, leap = load_suite(write(tmp_path, EXERCISM)).tasks
    assert " ".join(leap.instruction.split()) == (
        "# Instructions Is it a leap year? # Append No calendar, please. Write the solution in `leap.py`."
    )
    assert set(leap.workspace.files) == {"leap.py"}
    assert (leap.tags.difficulty, bills.tags.difficulty) == ("easy", "")
    assert leap.visible is None
    assert leap.hidden.checks.expected == ("leap_test.LeapTest.test_by_four", "leap_test.LeapTest.test_by_hundred")
    assert set(bills.workspace.files) == {"bills.py", "rates.py"}
    assert bills.hidden.checks.expected == ("bills_test.py::TestBills::test_rates",)


def test_tests_of_exercises_are_shown_if_asked_for(tmp_path):
    leap = load_suite(write(tmp_path / "e", EXERCISM), only=["leap"], visible_tests=True).tasks[0]
    assert set(leap.workspace.files) == {"leap.py", "leap_test.py"}
    assert leap.visible == leap.hidden.checks
    with pytest.raises(TaskError, match="no exercises"):
        load_suite(write(tmp_path / "q", QUIXBUGS), visible_tests=True)


def test_a_polyglot_folder_is_one_track_each(tmp_path):
    exercises = {f"python/{path}": text for path, text in EXERCISM.items() if "/" in path and "/old/" not in path}
    write(tmp_path, {**exercises, "go/exercises/practice/leap/.meta/config.json": {}})
    assert [task.id for task in load_suite(tmp_path / "python").tasks] == ["bills", "leap"]
    with pytest.raises(TaskError, match="several languages: give one of them: go, python"):
        load_suite(tmp_path)
    write(tmp_path, {"go/config.json": {"language": "Go"}})
    with pytest.raises(TaskError, match="the track of 'Go'"):
        load_suite(tmp_path / "go")


def test_repairs_leave_out_what_their_authors_skip(tmp_path):
    gcd, last, _pairs, sqrt = load_suite(write(tmp_path, QUIXBUGS)).tasks
    assert json.loads(gcd.hidden.checks.files.text("cases.json")) == [[[17, 0], 17], [[13, 13], 13], [[35, 21], 7]]
    assert "<= arguments[-1]" in sqrt.hidden.checks.files.text("check_cases.py")
    assert set(last.workspace.files) == {"python_programs/last.py", "python_programs/node.py"}
    assert last.hidden.checks.runner == "pytest"


def test_what_harbor_builds_is_what_its_dockerfile_copies(tmp_path):
    (task,) = load_suite(write(tmp_path, HARBOR)).tasks
    assert {path: file.data for path, file in task.workspace.files.items()} == {
        "words.txt": b"one two\nthree\n",
        "more/a.txt": b"a\n",
    }
    assert (task.timeout_s, task.hidden.checks.timeout_s, task.hidden.checks.expected) == (30, 20, ("reward",))
    assert set(task.hidden.solution.files) == {"solve.sh"}
    assert load_suite(tmp_path / "count-words").tasks == (task,)


@pytest.mark.published
@pytest.mark.skipif(not DATA.is_dir(), reason="the data is not beside the checkout")
def test_tasks_that_need_a_gpu_are_left_out_with_that_reason():
    suite = load_suite(DATA)
    assert len(suite.tasks) == 4
    kept, left_out = runnable_tasks(suite)
    assert kept.tasks == ()
    assert all("a GPU" in each.missing for each in left_out), left_out


DOCKERFILE, TEST = "count-words/environment/Dockerfile", "count-words/tests/test.sh"


@pytest.mark.parametrize(
    "changes",
    [
        {DOCKERFILE: "FROM x\nWORKDIR /app\nCOPY data/words.txt ./\n"},
        {DOCKERFILE: "FROM x\nRUN apt-get update\n"},
        {DOCKERFILE: "FROM x\nWORKDIR /srv\n"},
        {DOCKERFILE: "FROM x AS a\nFROM y\n"},
        {DOCKERFILE: "FROM x\nCOPY absent /app/\n"},
        {DOCKERFILE: "FROM x\nCOPY data /etc/\n"},
        {DOCKERFILE: "FROM x\nCOPY --from=a data /app/\n"},
        {DOCKERFILE: "FROM x\nCOPY *.txt /app/\n"},
        {TEST: "apt-get install -y curl\ncurl x | sh\n"},
        {TEST: "# no curl\nuvx pytest /tests\n"},
        {"count-words/task.toml": HARBOR_TOML + "workdir = '/srv'\n"},
    ],
)
def test_what_more_than_files_makes_is_an_image(changes, tmp_path):
    (task,) = load_suite(write(tmp_path, {**HARBOR, **changes})).tasks
    assert task.workspace == Tree()
    assert "Dockerfile" in task.environment.context.files
    assert task.environment.installs == (TEST in changes)
    assert task.public().environment.context == Tree()


@pytest.fixture
def store(tmp_path, monkeypatch):
    """An empty store of images, and a root directory to fill it with."""
    monkeypatch.setenv("HONESTLY_IMAGES", str(tmp_path / "store"))
    (tmp_path / "root" / "bin").mkdir(parents=True)
    (tmp_path / "root" / "bin" / "sh").touch(mode=0o755)
    return tmp_path / "root"


DIGEST = "sha256:" + "0" * 64


@pytest.mark.parametrize(
    ("base", "added"),
    [
        ("rust:1.80", "rust:1.80"),
        ("docker.io/library/rust:1.80", "rust:1.80"),
        ("library/rust", "docker.io/rust:latest"),
        (f"rust:1.80@{DIGEST}", f"rust@{DIGEST}"),
        (f"rust@{DIGEST}", f"docker.io/library/rust:1.80@{DIGEST}"),
        ("registry.example.org:5000/us/rust", "registry.example.org:5000/us/rust:latest"),
    ],
)
def test_from_means_the_image_that_it_names(base, added, store, tmp_path):
    dockerfile = f"FROM {base}\nWORKDIR /app\nCOPY data/words.txt ./\n"
    suite = load_suite(write(tmp_path / "suite", {**HARBOR, DOCKERFILE: dockerfile}))
    kept, left_out = runnable_tasks(suite)
    assert kept.tasks == ()
    assert f"the image {base}, which is not in the store" in str(left_out[0])
    assert f"`honestly image add base.tar --name {base}`" in str(left_out[0])
    add_image(store, added)
    assert runnable_tasks(suite) == (suite, ())


@pytest.mark.parametrize(
    ("dockerfile", "wanted"),
    [
        ("ARG V=3\nFROM a:${V} AS x\nFROM b AS unused\nFROM x\nCOPY --from=c:1 /f /f\n", ["a:3", "c:1"]),
        ("FROM a AS x\nFROM scratch\nCOPY --from=x / /\nRUN --mount=type=bind,from=d,target=/m true\n", ["a", "d"]),
        ("FROM scratch\nRUN make\n", ["its image: it begins with scratch"]),
    ],
)
def test_every_image_that_a_build_takes_is_wanted(dockerfile, wanted, store, tmp_path):
    (task,) = load_suite(write(tmp_path / "suite", {**HARBOR, DOCKERFILE: dockerfile})).tasks
    said = missing_programs(task)
    assert [words.split(",")[0] for words in said] == [name if " " in name else f"the image {name}" for name in wanted]


def test_an_image_that_task_toml_names_and_a_dockerfile_that_is_none_leave_a_task_out(store, tmp_path):
    toml = {"count-words/task.toml": HARBOR_TOML + "docker_image = 'us/words:1'\n"}
    suite = load_suite(write(tmp_path / "named", {**HARBOR, **toml}))
    assert "the image us/words:1, which is not in the store" in str(runnable_tasks(suite)[1][0])
    add_image(store, "us/words:1")
    assert runnable_tasks(suite)[1] == ()
    suite = load_suite(write(tmp_path / "broken", {**HARBOR, DOCKERFILE: "FROM a\nDANCE\n"}))
    assert "line 2 of the Dockerfile: 'DANCE' is not an instruction" in str(runnable_tasks(suite)[1][0])


def test_an_author_can_say_that_any_base_will_do(store, tmp_path):
    toml = HARBOR_TOML.replace("[metadata]\n", "[metadata]\n    any_base = true\n")
    files = {"count-words/task.toml": toml, DOCKERFILE: "FROM x\nWORKDIR /app\nCOPY data/words.txt ./\n"}
    suite = load_suite(write(tmp_path / "suite", {**HARBOR, **files}))
    assert suite.tasks[0].environment is None
    assert set(suite.tasks[0].workspace.files) == {"words.txt"}
    assert runnable_tasks(suite)[1] == ()


MANY_KEYS = """
    [task]
    name = "us/count-words"
    [agent]
    timeout_sec = 30.0
    user = "ada"
    network_mode = "no-network"
    [verifier]
    timeout_sec = 20.0
    env = { KEY = "${NO_SUCH_KEY:-none}" }
    network_mode = "allowlist"
    allowed_hosts = ["example.com"]
    [solution]
    env = { HOW = "well" }
    [environment]
    build_timeout_sec = 77.0
    docker_image = "us/words:1"
    memory = "1G"
    storage = "512M"
    env = { PLACE = "here" }
    workdir = "/srv"
    [environment.healthcheck]
    command = "true"
    interval_sec = 1.0
    start_period_sec = 2.0
    retries = 4
"""


def test_the_keys_of_task_toml_are_read(tmp_path):
    (task,) = load_suite(write(tmp_path, {**HARBOR, "count-words/task.toml": MANY_KEYS})).tasks
    assert task.environment == Environment(
        image="us/words:1",
        workdir="/srv",
        env={"PLACE": "here"},
        agent_user="ada",
        verifier_user="root",
        verifier_env={"KEY": "${NO_SUCH_KEY:-none}"},
        solution_env={"HOW": "well"},
        verifier_network=("example.com",),
        build_timeout_s=77.0,
        memory_mb=1024,
        storage_mb=512,
        healthcheck=Healthcheck(command="true", interval_s=1.0, start_s=2.0, retries=4),
    )
    assert task.public().environment.verifier_env == {}


@pytest.mark.parametrize(
    ("keys", "allowed"),
    [
        ("", ("*",)),
        ("allow_internet = true\n", ("*",)),
        ("allow_internet = false\n", ()),
        ("network_mode = 'no-network'\n", ()),
        ("network_mode = 'allowlist'\nallowed_hosts = ['a.example']\n", ("a.example",)),
    ],
)
def test_networks_of_all_versions(keys, allowed, tmp_path):
    toml = HARBOR_TOML + "workdir = '/srv'\n" + keys
    (task,) = load_suite(write(tmp_path, {**HARBOR, "count-words/task.toml": toml})).tasks
    assert (task.environment.agent_network, task.environment.verifier_network) == (allowed, allowed)


@pytest.mark.parametrize("keys", ["memory = 'much'\n", "cpus = -1\n", "network_mode = 'some'\n", "cpus = 'two'\n"])
def test_keys_that_mean_nothing_are_refused(keys, tmp_path):
    toml = HARBOR_TOML.replace("cpus = 1\n", "") + "workdir = '/srv'\n" + keys
    with pytest.raises(TaskError, match=keys.split()[0]):
        load_suite(write(tmp_path, {**HARBOR, "count-words/task.toml": toml}))


HUGE = HARBOR_TOML.replace("cpus = 1\n", "") + "workdir = '/srv'\n"


@pytest.mark.parametrize(
    ("changes", "needed"),
    [
        (
            {"count-words/environment/docker-compose.yaml": "services: {main: {privileged: true}}\n"},
            "privileged of the service main (environment/docker-compose.yaml)",
        ),
        ({"count-words/task.toml": HARBOR_TOML + "[[steps]]\nname = 'one'\n"}, "several steps"),
        ({"count-words/task.toml": HARBOR_TOML + "gpus = 1\n"}, "a GPU"),
        ({"count-words/task.toml": HARBOR_TOML + "os = 'windows'\n"}, "the operating system windows"),
        ({"count-words/task.toml": HARBOR_TOML + "speed = 3\n"}, "what task.toml calls environment.speed"),
        ({"count-words/task.toml": HUGE + "cpus = 4096\n"}, "4096 processors, where this machine has"),
        ({"count-words/task.toml": HUGE + "memory_mb = 99999999\n"}, "99999999 MiB of memory, where this machine has"),
        ({"count-words/task.toml": HUGE + "storage = '9000T'\n"}, "MiB of disk, where this machine has"),
        ({"count-words/tests/Dockerfile": "FROM x\n"}, "a container of its own for the tests"),
        ({"count-words/trajectory.json": "{}"}, "a trajectory to begin with"),
    ],
)
def test_what_a_harbor_task_needs_beyond_a_sandbox_is_said(changes, needed, tmp_path):
    suite = load_suite(write(tmp_path, {**HARBOR, **changes}))
    kept, left_out = runnable_tasks(suite)
    assert kept.tasks == ()
    assert needed in str(left_out[0])


def test_a_limit_of_disk_asks_for_no_room_that_is_free(tmp_path):
    most = (shutil.disk_usage(Path.home()).total >> 20) - 1
    suite = load_suite(write(tmp_path, {**HARBOR, "count-words/task.toml": HUGE + f"storage_mb = {most}\n"}))
    assert "of disk" not in str(runnable_tasks(suite)[1])


def test_repository_tasks_keep_their_tests_out_of_sight(tmp_path):
    (task,) = load_suite(write(tmp_path, SWEBENCH)).tasks
    assert "test_high" not in task.workspace.text("tests/test_core.py")
    assert ".git/HEAD" not in task.workspace.files
    assert set(task.hidden.checks.files.files) == {"tests/test_core.py", "tests/conftest.py"}
    assert "test_high" in task.hidden.checks.files.text("tests/test_core.py")
    assert task.hidden.checks.expected == ("tests/test_core.py::test_high", "tests/test_core.py::test_low")


PREDICTION = {"instance_id": "us__clamps-12", "model_name_or_path": "m", "model_patch": INSTANCE["patch"]}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("p.jsonl", json.dumps(PREDICTION)),
        ("p.json", json.dumps([PREDICTION], indent=2)),
        ("p.json", json.dumps({"us__clamps-12": {"model_patch": INSTANCE["patch"]}}, indent=2)),
    ],
)
def test_predictions_are_read_in_each_of_their_shapes(name, content, tmp_path):
    suite = load_suite(write(tmp_path / "s", SWEBENCH))
    (tmp_path / name).write_text(content)
    (sample,) = read_samples(tmp_path / name, suite)
    assert sample.tree == suite.tasks[0].hidden.reference.apply(suite.tasks[0].workspace)
    assert (sample.problem, sample.code) == ("us__clamps-12", INSTANCE["patch"])


@pytest.mark.slow
@pytest.mark.parametrize("chosen", sampled([[0, 3, 4], [*range(6)]]))
def test_predictions_are_judged_like_samples(chosen, tmp_path):
    suite = load_suite(write(tmp_path / "s", SWEBENCH))
    patches = [
        INSTANCE["patch"],
        "",
        None,
        INSTANCE["patch"].replace("max(value, low)\n", "value\n"),
        "no patch",
        "\ud800",
    ]
    (tmp_path / "p.jsonl").write_text("".join(json.dumps({**PREDICTION, "model_patch": p}) + "\n" for p in patches))

    async def judged():
        async with Slots(partial(open_sandbox)) as slots:
            return [
                (await verify(sample.task, sample.tree, seed=1, open_box=slots)).honest
                for at, sample in enumerate(read_samples(tmp_path / "p.jsonl", suite))
                if at in chosen
            ]

    assert anyio.run(judged) == [at == 0 for at in chosen]
    (tmp_path / "p.jsonl").write_text('{"instance_id": "other", "model_patch": ""}')
    with pytest.raises(FormatError, match="no problem 'other'"):
        list(read_samples(tmp_path / "p.jsonl", suite))


LEAP = "exercises/practice/leap/"


@pytest.mark.parametrize(
    ("files", "changes", "said"),
    [
        (EXERCISM, {f"{LEAP}.meta/config.json": {"files": {"solution": ["leap.py"]}}}, "test"),
        (EXERCISM, {f"{LEAP}.meta/config.json": {"files": {"solution": ["../../x"], "test": ["leap_test.py"]}}}, "below its root"),
        (EXERCISM, {f"{LEAP}.meta/config.json": {"files": {"solution": ["leap.py"], "test": ["leap_test.py"]}}}, "fewer files of an example"),
        (EXERCISM, {f"{LEAP}leap_test.py": "def test_x(:\n"}, "not Python"),
        (EXERCISM, {f"{LEAP}leap_test.py": "x = 1\n"}, "no tests"),
        (EXERCISM, {f"{LEAP}.meta/config.json": "[" * 100_000}, "not JSON"),
        (EXERCISM, {"config.json": "{"}, "not JSON"),
        (QUIXBUGS, {"json_testcases/gcd.json": "[1]\n"}, "gcd.json:1: expected"),
        (QUIXBUGS, {"json_testcases/gcd.json": "\n"}, "no cases"),
        (QUIXBUGS, {"python_testcases/test_last.py": "x = 1\n"}, "contains no tests"),
        (HARBOR, {"count-words/task.toml": "[task\n"}, "task.toml"),
        (HARBOR, {"count-words/task.toml": "[verifier]\ntimeout_sec = -1\n"}, "timeout_sec"),
        (SWEBENCH, {"instances.jsonl": {**INSTANCE, "patch": "@@ -1 +1 @@\n"}}, "instances.jsonl:1: .*belongs to no file"),
        (SWEBENCH, {"instances.jsonl": {**INSTANCE, "patch": INSTANCE["patch"].replace("max", "may")}}, "does not fit"),
        (SWEBENCH, {"instances.jsonl": {**INSTANCE, "FAIL_TO_PASS": "tests"}}, "lists of ids"),
        (SWEBENCH, {"instances.jsonl": {**INSTANCE, "FAIL_TO_PASS": ["test_x (a.Tests)"]}}, "as pytest writes them"),
        (SWEBENCH, {"instances.jsonl": {**INSTANCE, "FAIL_TO_PASS": [], "PASS_TO_PASS": []}}, "names no test"),
        (SWEBENCH, {"instances.jsonl": {**INSTANCE, "instance_id": "../x"}}, "cannot be a task"),
        (SWEBENCH, {"instances.jsonl": {**INSTANCE, "instance_id": "absent"}}, "put the repository there"),
        (SWEBENCH, {"instances.jsonl": {"instance_id": "us__clamps-12"}}, "problem_statement"),
    ],
)  # fmt: skip
def test_what_is_malformed_is_named(files, changes, said, tmp_path):
    write(tmp_path, {**files, **changes})
    with pytest.raises(TaskError, match=said):
        load_suite(tmp_path)


@pytest.mark.parametrize(
    ("layout", "path"),
    [
        ("exercism", f"{LEAP}leap_test.py"),
        ("exercism", f"{LEAP}.meta"),
        ("quixbugs", "python_programs/gcd.py"),
        ("harbor", "count-words/tests"),
        ("swebench", "checkouts/us__clamps-12"),
    ],
)
def test_no_link_shows_what_lies_elsewhere(layout, path, tmp_path):
    write(tmp_path / "suite", LAYOUTS[layout])
    place = tmp_path / "suite" / path
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(TaskError, match=r"link|not a directory"):
        load_suite(tmp_path / "suite")


names = st.sampled_from([(layout, path) for layout, files in LAYOUTS.items() for path in files])
pieces = st.sampled_from(
    ["{", "}", "[", "]", '"', '"files"', ":", ",", "null", "FROM x", "COPY", "COPY .", "WORKDIR", "/app", "\\", "RUN", "[task]", "@@ -1 +1 @@", "0"]
)  # fmt: skip


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(names, st.one_of(st.text(), st.lists(pieces).map(" ".join), st.lists(pieces).map("\n".join)))
def test_any_content_loads_or_is_refused(tmp_path_factory, name, content):
    layout, path = name
    root = write(tmp_path_factory.mktemp("suite"), LAYOUTS[layout])
    (root / path).write_text(content.encode("utf-8", "replace").decode())
    try:
        load_suite(root)
    except HonestlyError:
        pass
