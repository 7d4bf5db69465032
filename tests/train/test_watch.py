"""A watch over training logs: alarms on real spikes, none on quiet runs, every kind of log, live, and what is told to whom."""

import base64
import csv
import gzip
import json
import math
import subprocess
import sys
import threading
import time
import zlib
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from quiet_runs import csv_of, quiet_run

from forked import honestly
from honestly.errors import FormatError
from honestly.train import Reading, StabilityWatch, TrainingLog, WatchedRun, watch_log

LOGS = Path(__file__).parents[2].parent / "shared" / "data" / "training-logs"
BLOOM = {"loss": (2.2, 0.03), "grad_norm": (0.2, 0.1)}
EVENTS = zlib.decompress(
    base64.b85decode(
        # Written by tensorboard 2.21: 30 steps of train/loss (simple_value) and train/grad_norm (a tensor).
        "c-ocLTS(JU90zbOQ@6i&w>h1cN`h+HaxO0|FK3c9G_pie!I*#B=6$pOR;d-JVQ7R?qcqVjCYgCFA+#3>FTI#rc2U#v@{oo-6r|XqNO3Pe&LGZt"
        "Jm-6UpSK@hh1J&iTdQc|jCj&PLjxb>Lgx&I&en=!&#SctS#YA53N)y-dL5IYqZyT0e=a|tW{SiYm~4ZZ5vw;-N=<g2TDf&2ZCokgo9BLL&)qBH"
        "QtlLG*c`b(Pp8*!ydgB_l*$*IL&GD<CQ%?IqFlE^nGCH`YIRJ048^wguoAI0GSP946o+!qpP}<;MsHNeO#<`prLlE?H){;plNOEQPs!JU%(0uR"
        "uaz4yB8KkK1OUbcV-owK(3_ET0bp#%n3@xvE`YJcn2Wq9<g>GO0Wh{?Oz9WC9bi}((^3$LoR=;a1BOM$O!H<HfU(1v(N__u;qJX_fUzTEzTQ#A"
        "1I8X>)^<lAZ`tA^VC>15Usmm>0pox%+sY52tHWc#fN>yWIC^dhVAvR=SdgJ(&nNu>!zN=&+7?Rz!@-!dkuo%$xb_<`95SZbF~<NH3S$~>A4J0F"
        "Kh=Pt$e8r}rz*fWV$9%bI2vaqNdV(W#uPYs>j2|~G2c#xBfqLL8Zb^|47+dsF<_iAhSwE_vPzx=0LGb&S&z(W1B?sCL{ed>H*8loU|h(U<(ckY"
        "z_?<JMiYuI<rqf+<4VR%r3(51<AyQDfe>V@>AVjZH!^0T?EN@k+%cxlKLph$JemQFI~g<ZGw&r}JTPXV_y9`brN{x}LB{mldN=_XF2+!kQdHC#"
        "+W{CZ8PmMoe*rK&jFC#ENMCn&2Vi()jBNaEBVhO#lV%J?{mDnzfZ>xdaq8SUz<6Rz`HBR^KI6Ruj3*f*9Biosi~wW0j!Mvv<iR<>2*?<b#P>R2"
        "yf9|+K@e)H&Z!5C*MAr{IbgDmtI7f6ZJ`VXp-PhwZfI{ZCS`fH3NS(otFsklUrDF{jF60}h~qW`#>YbIY(+1ISebzFA!7<V+HU~H*Fqf>BO5E9"
        "7{K_FG4m$%6kz-;)WLlyDYSGQFn(mr_rlMg{sF^MMS="
    )
)


def real(name: str) -> Path:
    if not (LOGS / name).exists():
        pytest.skip(f"needs training-logs/{name} in ../shared/data, beside the checkout")
    return LOGS / name


def watched(path: Path, **how) -> WatchedRun:
    *_, last = watch_log(TrainingLog(path), StabilityWatch(**how))
    return last


def spiking(step: int) -> dict:
    loss = 3 - 0.001 * step + 0.02 * math.sin(37 * step) + (3 if step in (300, 301) else 0)
    return {"step": step, "loss": loss, "grad_norm": (4 if 296 <= step <= 301 else 0.5) + 0.05 * math.sin(5 * step)}


STATES = [("precursor", 297), ("spike", 300)]


def states(run: WatchedRun) -> list[tuple[str, int]]:
    return [(event.state, event.step) for event in run.events]


@pytest.mark.published
@pytest.mark.parametrize("kind", ["iterations.csv", "md"])
def test_the_spike_of_bloom_is_seen_in_the_gradient_norm_three_iterations_before_the_loss(kind):
    run = watched(real(f"bigscience/tr11-176B-ml_chronicles.{kind}"), baseline=BLOOM)
    assert states(run) == [("precursor", 31216), ("spike", 31219)]
    assert run.final == "ok"  # it is back at 31250


@pytest.mark.published
@pytest.mark.parametrize(
    ("first", "last", "loss", "norm", "seen"),
    [
        (11446, 11448, 3.06, 13_000, [("precursor", 11447), ("spike", 11448)]),
        (8738, 8743, 3.3, 15_000, [("precursor", 8738), ("spike", 8741)]),
        (6900, 6940, 6.37, 95_000, [("spike", 6930)]),
    ],
)
def test_the_spikes_of_the_104b_run_are_seen_where_they_are(first, last, loss, norm, seen, tmp_path):
    with real("bigscience/tr8-104B-wide_chronicles.iterations.csv").open() as file:
        rows = [row for row in csv.DictReader(file) if first <= int(row["iteration"]) <= last]
    run = watched(csv_of_texts(rows, tmp_path / "log.csv"), baseline={"loss": (loss, 0.05), "grad_norm": (norm, 0.2)})
    assert states(run) == seen


def csv_of_texts(rows: list[dict], path: Path) -> Path:
    path.write_text("\n".join([",".join(rows[0]), *(",".join(row.values()) for row in rows)]))
    return path


@pytest.mark.published
def test_no_alarm_in_a_quiet_log_of_megatron():
    run = watched(real("megatron_golden/gpt__gpt3_15b_8t_release__golden_values_dev_dgx_h100.csv.gz"))
    assert (run.events, run.final, run.steps) == ((), "ok", 10173)
    assert run.left_out == {"a row is empty": 28}


@pytest.mark.slow
def test_at_most_one_false_alarm_in_10_000_steps_of_public_losses():
    steps = alarms = 0
    for path in [*real("modded_nanogpt").glob("track_1*.csv"), *real("megatron_golden").glob("*.gz")]:
        run = watched(path)
        steps, alarms = steps + run.steps, alarms + len(run.events)
    assert steps > 60_000
    assert alarms <= steps / 10_000


@pytest.mark.slow
@pytest.mark.parametrize(
    "how", [{}, {"drops": (3000, 6000)}, {"resumed": (4000, 3500)}, {"drops": (5000,), "resumed": (5100, 4000)}]
)
def test_no_alarm_in_quiet_runs_of_our_own_with_warm_up_steps_of_the_learning_rate_and_resumption(how, tmp_path):
    alarms = [watched(csv_of(quiet_run(seed, 10_000, **how), tmp_path / "log.csv")).events for seed in range(3)]
    assert sum(map(len, alarms)) <= 3


@pytest.mark.parametrize("how", [{"drops": (600,)}, {"resumed": (800, 500)}])
def test_no_alarm_in_a_short_quiet_run_and_one_at_each_spike_put_into_it(how, tmp_path):
    rows = quiet_run(7, 1200, **how)
    assert watched(csv_of(rows, tmp_path / "quiet.csv")).events == ()
    for row in rows[1000:1004]:
        row["train/loss"] *= 4
        row["grad_norm"] *= 12
    # Rows 1000 on; a resumed log has 300 steps twice.
    at = rows[1000]["step"]
    seen = states(watched(csv_of(rows, tmp_path / "spiked.csv")))
    assert seen[0][0] in {"precursor", "spike"}
    assert at <= seen[-1][1] <= at + 1
    assert seen[-1][0] == "spike"


def jsonl(rows):
    return "\n".join(
        json.dumps({"train": {"loss": row["loss"]}, "grad_norm": row["grad_norm"], "_step": row["step"]})
        for row in rows
    )


def wandb_table(rows):
    head = '"Step","calm-sea-1 - train/loss","calm-sea-1 - train/loss__MIN","calm-sea-1 - grad_norm"'
    return "\n".join([head, *(f'"{r["step"]}","{r["loss"]}","0","{r["grad_norm"]}"' for r in rows)])


def megatron(rows):
    line = " iteration {step:8d}/  500 | consumed samples: 12 | learning rate: 1.0E-04 | lm loss: {loss:.6E} | grad norm: {grad_norm:.3f} | number of skipped iterations:   0 |"
    return "\n".join(line.format(**row) for row in rows)


def nanogpt(rows):
    lines = []
    for row in rows:
        if row["step"] % 100 == 0:
            lines.append(f"step {row['step']}: train loss 9.0, val loss 9.0")
        lines.append("iter {step}: loss {loss:.4f}, grad_norm {grad_norm:.4f}, time 12.00ms, mfu 3%".format(**row))
    return "\n".join(lines)


def llm_c(rows):
    return "\n".join("s:{step} trl:{loss:.4f} lr:0.000600 norm:{grad_norm:.2f}".format(**row) for row in rows)


def torchtitan(rows):
    return "\n".join(
        "[rank0]:\x1b[31mstep: {step:2} \x1b[32mloss: {loss:7.4f} \x1b[33mgrad_norm: {grad_norm:.3f} \x1b[0m".format(
            **row
        )
        for row in rows
    )


def olmo(rows):
    return "\n".join(
        "INFO\t[step={step}/500]\n    train/CrossEntropyLoss={loss:.4f}\n    optim/total_grad_norm={grad_norm:.4f}".format(
            **row
        )
        for row in rows
    )


def hugging_face(rows):
    return "\n".join(
        "{{'loss': {loss:.4f}, 'grad_norm': {grad_norm:.4f}, 'learning_rate': 1e-05, 'epoch': 0.1}}".format(**row)
        for row in rows
    )


def trainer_state(rows):
    return json.dumps({"best_metric": None, "log_history": [*rows, {"eval_loss": 9.0, "step": 400}]}, indent=2)


def golden_values(rows):
    series = {"lm loss": "loss", "grad-norm": "grad_norm"}
    return json.dumps(
        {name: {"start_step": 0, "values": {str(r["step"]): r[key] for r in rows}} for name, key in series.items()},
        indent=4,
    )


def mlflow_export(rows):
    lines = ["run_id,key,value,timestamp,step"]
    for row in rows:
        lines += [f"a,grad_norm,{row['grad_norm']},1,{row['step']}", f"a,train_loss,{row['loss']},1,{row['step']}"]
    return "\n".join(lines)


@pytest.mark.parametrize(
    "written",
    [
        jsonl,
        wandb_table,
        megatron,
        nanogpt,
        llm_c,
        torchtitan,
        olmo,
        hugging_face,
        trainer_state,
        golden_values,
        mlflow_export,
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_every_kind_of_log_says_the_same(written, packed, tmp_path):
    text = written([spiking(step) for step in range(400)]).encode()
    path = tmp_path / "log"
    path.write_bytes(gzip.compress(text) if packed else text)
    run = watched(path)
    assert states(run) == STATES
    assert (run.final, run.steps) == ("ok", 400)


def test_an_event_file_of_tensorboard_is_read(tmp_path):
    (tmp_path / "events.out.tfevents.1.host").write_bytes(EVENTS)
    assert states(watched(tmp_path)) == [("precursor", 24), ("spike", 26)]


def test_metrics_of_mlflow_are_read(tmp_path):
    folder = tmp_path / "0" / "abc" / "metrics"
    (folder / "train").mkdir(parents=True)
    rows = [spiking(step) for step in range(400)]
    for name, key in (("train/loss", "loss"), ("grad_norm", "grad_norm")):
        (folder / name).write_text("".join(f"{1000 + row['step']} {row[key]} {row['step']}\n" for row in rows))
    assert states(watched(tmp_path)) == STATES


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "is empty"),
        (b"step,loss\n", "has names and no row below"),
        (b"SQLite format 3\0", "is a study"),
        (b"hello\n", "no series"),
        (b'{"a": 1}\n', "no series"),
        (b"step,val_loss\n1,2\n", "no series"),
    ],
)
def test_a_log_without_anything_to_watch_is_refused(content, says, tmp_path):
    (tmp_path / "log").write_bytes(content)
    with pytest.raises(FormatError, match=says):
        watched(tmp_path / "log")


def test_what_was_not_read_is_counted(tmp_path):
    lines = [json.dumps({"step": n, "loss": 2.0}) for n in range(20)]
    (tmp_path / "log").write_text("\n".join([*lines, "{broken", json.dumps({"step": 20, "loss": "n/a"})]))
    run = watched(tmp_path / "log")
    assert run.left_out == {"a line is not JSON": 1, "loss is not a number": 1}
    assert (run.unjudged, run.steps) == (8, 20)


def quiet(step: int, **values: float) -> Reading:
    return Reading(step, {"loss": 2 + 0.01 * math.sin(step * 7)} | values)


def test_a_rolled_back_spike_that_comes_again_is_recurring_and_one_that_does_not_is_over():
    watch = StabilityWatch()
    path = [*range(300), *((300 + n) for n in range(3)), *range(200, 310)]
    for n, step in enumerate(path):
        watch.read(quiet(step, **({"loss": 6.0} if step in (300, 301, 302) else {})))
    for step in range(310, 1600):
        watch.read(quiet(step))
    assert [(e.state, e.step, e.action, e.recurred) for e in watch.events] == [
        ("spike", 300, "rollback", True),
        ("recurring", 300, None, False),
    ]
    assert watch.state == "ok"


@pytest.mark.parametrize(("values", "action"), [({"skipped": 1.0}, "skip"), ({"lr": 1e-4}, "lr")])
def test_what_was_done_is_seen_in_the_log(values, action):
    watch = StabilityWatch()
    for step in range(100):
        watch.read(quiet(step, lr=3e-4, **({"loss": 6.0} if step in (90, 91) else {})))
    watch.read(quiet(100, **values))
    assert [e.action for e in watch.events] == [action]


def test_a_loss_that_is_no_number_or_stays_up_or_creeps_up_has_diverged():
    for change in (lambda n: math.nan, lambda n: 7.0, lambda n: 2 + n / 300):
        watch = StabilityWatch()
        for step in range(1000):
            watch.read(quiet(step, **({"loss": change(step - 400) + 0.01 * math.sin(step)} if step >= 400 else {})))
        assert watch.state == "diverged"
        assert watch.events[-1].z is None or watch.events[-1].z > 0


@pytest.mark.parametrize("series", ["entropy", "length"])
def test_answers_that_collapse_and_hacks_that_become_more(series):
    watch = StabilityWatch()
    for step in range(300):
        watch.read(
            Reading(step, {series: 0.5 * math.exp(-max(step - 100, 0) / 40), "loss": math.sin(step), "hack_rate": 0.0})
        )
    assert [(e.state, e.detector) for e in watch.events] == [("collapsed", series)]
    watch = StabilityWatch()
    for step in range(300):
        watch.read(Reading(step, {"hack_rate": 0.01 * (step % 2) + (0.3 if step > 200 else 0)}))
    assert (watch.events[0].state, watch.events[0].detector, watch.events[0].step) == ("spike", "hack_rate", 202)


def test_the_command_gives_the_fixed_keys_and_says_by_its_code_whether_the_run_is_sound(tmp_path):
    log = csv_of([spiking(step) for step in range(304)], tmp_path / "log.csv")
    said = honestly("watch", log, "--json", "--action", "302:clamp", "--figures", tmp_path / "f")
    told = json.loads(said.stdout)
    assert said.returncode == 1
    assert [list(each) for each in told["events"]] == [["step", "state", "detector", "z", "action", "recurred"]] * 2
    assert (told["steps"], told["final"], told["events"][1]["action"]) == (304, "spike", "clamp")
    assert (tmp_path / "f" / "run.svg").read_text().startswith("<svg")
    assert honestly("watch", log, "--series", "grad_norm=none").returncode == 1
    assert "no two sides" in honestly("watch", log, "--series", "loss").stderr


def test_a_quiet_log_serves_as_baseline(tmp_path):
    before = csv_of([spiking(step) for step in range(100)], tmp_path / "before.csv")
    spike = csv_of([spiking(step) for step in range(296, 302)], tmp_path / "spike.csv")
    assert states(watched(spike)) == []
    said = honestly("watch", spike, "--baseline", before, "--json")
    assert [each["step"] for each in json.loads(said.stdout)["events"]] == [297, 300]


@pytest.mark.slow
def test_a_growing_log_is_followed_and_changes_go_to_a_command_and_a_webhook(tmp_path):
    posted = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self):
            posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    log, told = tmp_path / "log.jsonl", tmp_path / "told"
    words = ["--follow", "--every", "0.05", "--idle", "1.5", "--on-change", f"cat >> {told}; echo >> {told}"]
    words += ["--webhook", f"http://127.0.0.1:{server.server_port}/", "--json"]
    log.write_text(json.dumps(spiking(0)) + "\n")
    program = subprocess.Popen([sys.executable, "-m", "honestly", "watch", str(log), *words], stdout=subprocess.PIPE)
    with log.open("a") as file:
        for step in range(1, 340):
            line = json.dumps(spiking(step)) + "\n"
            file.write(line[:20])  # half a line is not read
            file.flush()
            time.sleep(0.002)
            file.write(line[20:])
            file.flush()
    out, _ = program.communicate(timeout=60)
    server.shutdown()
    assert [(each["state"], each["step"]) for each in json.loads(out)["events"]] == STATES
    assert [json.loads(line)["state"] for line in told.read_text().splitlines()] == ["precursor", "spike", "ok"]
    assert [each["state"] for each in posted] == ["precursor", "spike", "ok"]
    assert program.returncode == 0


QUIET = "".join(f"{step},{2.5 + step % 7 * 0.01}\n" for step in range(300))
TB = "Wall time,Step,Value\n" + "".join(f"1,{line}\n" for line in QUIET.split())
BAR = "\r 1%|#  | 1/300 [00:01<00:02, 3.2it/s]\r{'loss': '2.5', 'grad_norm': '0.3', 'learning_rate': '1e-05', 'epoch': '0.01'}\n"
MEGATRON = " iteration {:8d}/ 5000 | lm loss: {} | grad norm: 0.543 | number of skipped iterations:   0 |\n"


@pytest.mark.parametrize(
    ("text", "words", "final"),
    [
        ("".join(MEGATRON.format(at, "2.5E+00" if at < 200 else "NAN") for at in range(300)), (), "diverged"),
        ("".join(MEGATRON.format(at, "2.5E+00" if at < 200 else "INF") for at in range(300)), (), "diverged"),
        ("\ufeffstep,loss\r\n" + QUIET, (), "ok"),
        (BAR * 30, (), "ok"),
        (TB, ("--series", "loss=Value"), "ok"),
        ("".join(f"step:{at}/300 val_loss:2.{at % 7} train_time:3s\n" for at in range(300)), ("--series", "loss=val_loss"), "ok"),
        ("step,loss\n" + "".join(f"{at},{2.5 + (0.4 if at * 7 % 10 < 3 else 0) + at % 5 * 0.01}\n" for at in range(2000)), (), "ok"),
    ],
)  # fmt: skip
def test_logs_as_programs_of_others_write_them(text, words, final, tmp_path):
    (tmp_path / "run.log").write_text(text, newline="")
    done = honestly("watch", tmp_path / "run.log", "--json", *words)
    assert json.loads(done.stdout)["final"] == final, done.stderr
    assert done.returncode == (final != "ok")


def test_a_rate_in_a_program_is_no_log_and_null_is_counted(tmp_path):
    (tmp_path / "a.txt").write_text("iteration 5: lr=0.1\n" + "step:1/9 val_loss:2.5\n" * 50)
    assert "has no series" in honestly("watch", tmp_path / "a.txt").stderr
    (tmp_path / "b.jsonl").write_text(
        "".join(json.dumps({"step": at, "loss": None if at == 9 else 2.5}) + "\n" for at in range(30))
    )
    assert json.loads(honestly("watch", tmp_path / "b.jsonl", "--json").stdout)["left_out"] == {"loss is null": 1}


def test_a_name_that_is_not_there_and_two_runs_in_a_folder_are_said(tmp_path):
    (tmp_path / "a.csv").write_text("step,loss,grad_norm\n" + "".join(f"{at},2.5,1.0\n" for at in range(30)))
    assert "nothing of the name 'nope'" in honestly("watch", tmp_path / "a.csv", "--series", "loss=nope").stderr
    assert "there is no series 'nope'" in honestly("watch", tmp_path / "a.csv", "--series", "nope=loss").stderr
    for words in (("--far", "nan"), ("--baseline", "loss=nan")):
        assert honestly("watch", tmp_path / "a.csv", *words).returncode == 2
    for run in "ab":
        (tmp_path / "runs" / run).mkdir(parents=True)
        (tmp_path / "runs" / run / "events.out.tfevents.1.x").write_bytes(b"")
    assert "contains 2 runs of TensorBoard" in honestly("watch", tmp_path / "runs").stderr


def test_a_log_that_begins_anew_is_read_from_its_start(tmp_path):
    path, blocks = tmp_path / "t.jsonl", []
    sound = "".join(json.dumps({"step": at, "loss": 2.5 + at % 7 * 0.01}) + "\n" for at in range(60))
    path.write_text(sound)

    def wait() -> bool:
        blocks.append(path.stat().st_size)
        if len(blocks) == 1:
            path.write_text(sound[: len(sound) // 2])
        elif len(blocks) == 3:
            path.write_text(sound + "".join(json.dumps({"step": 60 + at, "loss": 30}) + "\n" for at in range(3)))
        return len(blocks) < 6

    steps = [reading.step for reading in TrainingLog(path, wait=wait).readings()]
    assert steps[:60] == list(range(60))
    assert steps[-1] == 62
