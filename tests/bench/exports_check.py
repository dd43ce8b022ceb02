#!/usr/bin/env python3
"""Whether the tools themselves read what `gannet export` wrote, and say what gannet says.

    exports_check.py GANNET EXPERIMENT DIRECTORY

DIRECTORY has the exports under the names that tests/bench/exports gives them. A line a claim; status 1 when one does not hold. What
is not installed is said, and is no failure."""
import json
import math
import os
import subprocess
import sys
import tempfile
import warnings

gannet, experiment, place = sys.argv[1:4]
failed = 0


def claim(words, holds, detail=""):
    global failed
    failed += not holds
    print(("ok - " if holds else "not ok - ") + words + ("" if holds else f"\n    {detail}"))


def ask(*words):
    return json.loads(subprocess.run([gannet, *words, "--json"], check=True, capture_output=True).stdout)


def number(value):
    return float(value) if isinstance(value, str) else value


def same(a, b):
    return (a is None and b is None) or (a is not None and b is not None and (a == b or (math.isnan(a) and math.isnan(b))))


trials = ask("trials", experiment)
shown = {trial["trial"]: ask("show", experiment, str(trial["trial"])) for trial in trials}
metrics = shown and [m for m in json.loads(subprocess.run(
    ["sqlite3", "-json", f"{experiment}/gannet.db", "SELECT * FROM criteria ORDER BY criterion"], capture_output=True,
    check=True).stdout)]
objectives = [m["name"] for m in metrics if m["goal"]]
limits = any(m["min"] is not None or m["max"] is not None for m in metrics)


def plain(value):
    return json.dumps(value) if isinstance(value, (list, dict)) else value


def check_optuna():
    import optuna
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        storage = f"sqlite:///{place}/study.db"
        names = [s.study_name for s in optuna.get_all_study_summaries(storage)]
        study = optuna.load_study(study_name=names[0], storage=storage)
        theirs = study.trials
    strange = [str(w.message) for w in heard if "deprecat" not in str(w.message).lower()]
    claim(f"Optuna {optuna.__version__} opens it without a warning", not strange, strange[:3])
    claim("it has every trial by its number", [t.number + 1 for t in theirs] == [t["trial"] for t in trials])
    states = {"completed": "COMPLETE", "stopped": "PRUNED", "failed": "FAIL", "cancelled": "FAIL", "running": "RUNNING",
              "paused": "RUNNING", "waiting": "WAITING"}
    claim("states are those of gannet", all(t.state.name == ("FAIL" if o["ignored"] else states[o["state"]]) for t, o in zip(theirs, trials)))
    odd = [(t.params, o["params"]) for t, o in zip(theirs, trials)
           if {k: plain(v) for k, v in o["params"].items()} != t.params
           or any(type(t.params[k]) is not type(plain(v)) for k, v in o["params"].items() if not isinstance(v, (int, float)))]
    claim("parameters are the same values of the same types", not odd, odd[:1])
    outside = [(t.number, k, v) for t in theirs for k, v in t.params.items() if not t.distributions[k]._contains(t.distributions[k].to_internal_repr(v))]
    claim("every value lies in its distribution", not outside, outside[:3])
    wrong = [(t.values, o["values"]) for t, o in zip(theirs, trials)
             if (t.values or []) != ([number(o["values"][m]) for m in objectives] if o["values"] else [])]
    claim("values are the same to the last digit", not wrong, wrong[:1])
    for t, o in zip(theirs, trials):
        curve = {s["step"]: number(s["value"]) for s in shown[o["trial"]]["curve"] if s["metric"] == objectives[0]}
        if set(curve) != set(t.intermediate_values) or not all(same(curve[s], t.intermediate_values[s]) for s in curve):
            claim("intermediate values are the samples", False, (curve, t.intermediate_values))
            break
    else:
        claim("intermediate values are the samples", True)
    claim("times are the same, in UTC", all(t.datetime_complete is None and o["ended"] is None or t.datetime_complete.isoformat(timespec="milliseconds") + "Z" == o["ended"]
                                          for t, o in zip(theirs, trials)))
    claim("its metrics have their names", study.metric_names == objectives, study.metric_names)
    complete = [o for o in trials if o["state"] == "completed" and o["feasible"] and not o["ignored"]]
    if len(objectives) == 1 and complete:
        best = ask("best", experiment)
        sign = -1 if study.direction.name == "MAXIMIZE" else 1
        value = min(sign * number(o["value"]) for o in complete) * sign
        claim("the best value is that of the completed trials", study.best_value == value, (study.best_value, value))
        if best["state"] == "completed" and [o["value"] for o in complete].count(best["value"]) == 1:
            claim("best_params are those of `gannet best`", study.best_params == {k: plain(v) for k, v in best["params"].items()},
                  (study.best_params, best["params"]))
    elif len(objectives) > 1:
        front = {o["trial"] for o in ask("best", experiment, "--front")["front"] if o["state"] == "completed"}
        got = {t.number + 1 for t in study.best_trials}
        claim("best_trials are gannet's front", got == front, (got, front))
    draw_optuna(optuna, study)
    frame = study.trials_dataframe()
    claim("trials_dataframe has a row a trial", len(frame) == len(trials))


def draw_optuna(optuna, study):
    plots = optuna.visualization
    several = len(study.directions) > 1
    target = {"target": lambda t: t.values[0], "target_name": objectives[0]} if several else {}
    kinds = [("history", lambda: plots.plot_optimization_history(study, **target)), ("slice", lambda: plots.plot_slice(study, **target)),
             ("parallel coordinates", lambda: plots.plot_parallel_coordinate(study, **target)),
             ("intermediate values", lambda: plots.plot_intermediate_values(study)), ("timeline", lambda: plots.plot_timeline(study)),
             ("EDF", lambda: plots.plot_edf(study, **target)), ("rank", lambda: plots.plot_rank(study, params=sorted(
                 {k for t in study.trials for k in t.params})[:2], **target)),
             ("importances", lambda: plots.plot_param_importances(study, **target))]
    if len(study.directions) == 2:
        kinds.append(("front", lambda: plots.plot_pareto_front(study)))
    for name, draw in kinds:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                draw().to_json()
            claim(f"Optuna draws the {name}", True)
        except Exception as trouble:  # whatever it is, it is the answer
            claim(f"Optuna draws the {name}", False, f"{type(trouble).__name__}: {trouble}")


def check_tensorboard():
    from importlib.metadata import version
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.backend.event_processing import data_provider, plugin_event_multiplexer
    from tensorboard import context
    from tensorboard.plugins.hparams import api_pb2, backend_context, get_experiment, list_session_groups
    odd, begun = [], [o for o in trials if o["started"] or o["ended"]]
    for o in begun:
        reader = EventAccumulator(f"{place}/tensorboard/trial-{o['trial']:06d}")
        reader.Reload()
        curve = {}
        for s in shown[o["trial"]]["curve"]:
            curve.setdefault(s["metric"], []).append((s["step"], number(s["value"])))
        got = {tag: [(e.step, e.value) for e in reader.Scalars(tag)] for tag in reader.Tags()["scalars"]}
        if set(got) != set(curve) or any(len(got[m]) != len(curve[m]) or any(
                a[0] != b[0] or not (same(a[1], b[1]) or abs(a[1] - b[1]) <= 1e-6 * abs(b[1])) for a, b in zip(got[m], curve[m])) for m in curve):
            odd.append((o["trial"], got, curve))
    claim(f"TensorBoard {version('tensorboard')} reads every scalar of every trial", not odd, odd[:1])
    multiplexer = plugin_event_multiplexer.EventMultiplexer()
    multiplexer.AddRunsFromDirectory(f"{place}/tensorboard")
    multiplexer.Reload()
    provider = data_provider.MultiplexerDataProvider(multiplexer, f"{place}/tensorboard")
    hparams = backend_context.Context(type("Context", (), {"data_provider": provider})())
    request = context.RequestContext()
    found = get_experiment.Handler(request, hparams, "", api_pb2.GetExperimentRequest()).run()
    claim("its HParams know the parameters and metrics", {i.name for i in found.hparam_infos} >= {p for o in trials for p in o["params"]}
          and {m["name"] for m in metrics} <= {i.name.tag for i in found.metric_infos},
          ([i.name for i in found.hparam_infos], [i.name.tag for i in found.metric_infos]))
    ask_for = api_pb2.ListSessionGroupsRequest(start_index=0, slice_size=10000, allowed_statuses=[
        api_pb2.STATUS_UNKNOWN, api_pb2.STATUS_SUCCESS, api_pb2.STATUS_FAILURE, api_pb2.STATUS_RUNNING])
    for info in found.hparam_infos:
        ask_for.col_params.add(hparam=info.name, include_in_result=True)
    for info in found.metric_infos:
        ask_for.col_params.add(metric=info.name, include_in_result=True)
    groups = list_session_groups.Handler(request, hparams, "", ask_for).run().session_groups
    claim("a group a trial", len(groups) == len(begun), (len(groups), len(begun)))
    by_name = {g.name: g for g in groups}
    wrong = []
    for o in begun:
        group = by_name.get(f"trial {o['trial']}")
        for name, value in o["params"].items():
            got = group and group.hparams[name]
            kind = got and got.WhichOneof("kind")
            read = got and getattr(got, kind)
            if read != value and not (kind == "string_value" and (read == json.dumps(value) or json.loads(read) == value)):
                wrong.append((o["trial"], name, value, str(got)))
    claim("every parameter of every trial is there", not wrong, wrong[:3])


def check_mlflow():
    os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
    import logging
    import mlflow
    heard = []
    logging.getLogger("mlflow").addHandler(type("Heard", (logging.Handler,), {"emit": lambda self, record: heard.append(record.getMessage())})())
    client = mlflow.MlflowClient(tracking_uri=f"file://{os.path.abspath(place)}/mlruns")
    found = client.search_experiments()
    claim(f"MLflow {mlflow.__version__} lists the experiment", len(found) == 1 and found[0].name == ask("status", experiment)["name"]
          if "name" in ask("status", experiment) else len(found) == 1, [e.name for e in found])
    runs, token = [], None
    while True:
        page = client.search_runs([e.experiment_id for e in found], max_results=1000, page_token=token)
        runs += page
        token = page.token
        if not token:
            break
    begun = {f"trial {o['trial']}": o for o in trials if o["started"] or o["ended"]}
    claim("a run a trial, by its name", {r.info.run_name for r in runs} == set(begun) and len(runs) == len(begun))
    wrong, curves = [], []
    for run in runs:
        o = begun[run.info.run_name]
        texts = sorted(v.replace("\n", "\\n") if isinstance(v, str) and "\n" not in v else json.dumps(v, ensure_ascii=False) for v in o["params"].values())
        if sorted(run.data.params.values()) != texts:
            wrong.append((run.data.params, o["params"]))
        last = {}
        for s in shown[o["trial"]]["curve"]:
            last.setdefault(s["metric"], []).append((s["step"], number(s["value"])))
        if len(run.data.metrics) != len(last or o["metrics"]):
            curves.append((run.data.metrics, last))
        for name in set(last) & set(run.data.metrics):
            history = sorted((m.step, m.value) for m in client.get_metric_history(run.info.run_id, name))
            if len(history) != len(last[name]) or any(a[0] != b[0] or not same(a[1], b[1]) for a, b in zip(history, sorted(last[name]))):
                curves.append((name, history, last[name]))
    claim("every parameter of every run is there", not wrong, wrong[:1])
    claim("every metric of every run has its history", not curves, curves[:1])
    claim("and it has nothing to complain of", not heard, heard[:3])
    database = f"{place}/migrated.db"
    done = subprocess.run([os.path.join(os.path.dirname(sys.executable), "mlflow"), "migrate-filestore", "--source", f"{place}/mlruns",
                           "--target", f"sqlite:///{database}"], capture_output=True, text=True, check=False)
    claim("`mlflow migrate-filestore` takes it into a database", done.returncode == 0, (done.stdout + done.stderr)[-600:])
    if done.returncode == 0:
        other = mlflow.MlflowClient(tracking_uri=f"sqlite:///{database}")
        kept = other.search_runs([e.experiment_id for e in other.search_experiments()], max_results=10000)
        claim("with every run", len(kept) == len(runs), (len(kept), len(runs)))


def check_pandas():
    import pandas
    frame = pandas.read_csv(f"{place}/trials.csv")
    claim(f"pandas {pandas.__version__} reads the table", len(frame) == len(trials) and list(frame["trial"]) == [o["trial"] for o in trials])
    long = pandas.read_csv(f"{place}/metrics.csv")
    claim("and the metrics", len(long) == sum(len(s["curve"]) for s in shown.values()))
    lines = pandas.read_json(f"{place}/trials.jsonl", lines=True)
    claim("and JSON Lines", len(lines) == len(trials))
    with open(f"{place}/trials.jsonl", encoding="utf-8") as file:
        claim("which are gannet's own words", [json.loads(line) for line in file] == trials)


def trace_processor():
    """What asks Perfetto's trace processor for one number of the trace: the program that TRACE_PROCESSOR names, or the one that Python's package
    perfetto fetches. None when there is none here."""
    shell = os.environ.get("TRACE_PROCESSOR")
    if shell:
        def ask(sql):
            with tempfile.NamedTemporaryFile("w", suffix=".sql") as query:
                query.write(sql)
                query.flush()
                return int(subprocess.run([shell, "-q", query.name, f"{place}/trace.json"], check=True, capture_output=True, text=True).stdout.split()[-1].strip('"'))
        return ask
    from perfetto.trace_processor import TraceProcessor
    try:
        processor = TraceProcessor(trace=f"{place}/trace.json")
    except Exception as trouble:
        print(f"could not - Perfetto's trace processor does not start here ({type(trouble).__name__}: {str(trouble)[:160]}); TRACE_PROCESSOR=FILE names one")
        return None
    return lambda sql: list(processor.query(sql))[0].n


def check_trace():
    claim("the trace keeps the rules of those that read traces", subprocess.run(
        [sys.executable, os.path.join(os.path.dirname(__file__), "..", "e2e", "trace_schema.py"), f"{place}/trace.json"], check=False).returncode == 0)
    ask = trace_processor()
    if ask is None:
        return
    runs = sum(1 for shows in shown.values() for run in shows["runs"] if run["seconds"] is not None)
    got = ask("SELECT count(*) AS n FROM slice WHERE name GLOB 'trial *'")
    lost = ask("SELECT coalesce(sum(value), 0) AS n FROM stats WHERE severity IN ('error', 'data_loss') AND value > 0")
    claim("Perfetto's trace processor has a slice an attempt", got == runs, (got, runs))
    claim("and lost nothing", lost == 0, lost)


for name, check in (("pandas", check_pandas), ("optuna", check_optuna), ("tensorboard", check_tensorboard), ("mlflow", check_mlflow), ("perfetto", check_trace)):
    try:
        check()
    except ImportError as missing:
        print(f"could not - {name}: {missing}")
sys.exit(failed > 0)
