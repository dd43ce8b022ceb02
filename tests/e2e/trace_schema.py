#!/usr/bin/env python3
"""Whether a trace keeps the rules of those that read it.

    trace_schema.py FILE...        names each rule that a trace breaks, and where; status 1 when there is one
    trace_schema.py --break FILE   breaks each rule in turn in a copy of the trace, and says which break is not noticed

The rules are those of Chrome's "Trace Event Format" (Google, 2016), and what the importer of Perfetto's trace processor asks for
beyond it, as its sources have it (src/trace_processor/importers/json, importers/common/process_tracker.cc and slice_tracker.cc)."""
import collections
import copy
import json
import math
import sys

MEMBERS = {"X": {"ph", "name", "cat", "pid", "tid", "ts", "dur", "args"}, "M": {"ph", "name", "pid", "tid", "args"},
           "C": {"ph", "name", "pid", "tid", "ts", "args"}}
METADATA = {"process_name": "name", "thread_name": "name", "thread_sort_index": "sort_index"}
RULES = []


def rule(sentence, breaks):
    """A rule is a function of the trace that gives what breaks it; `breaks` makes a good trace a bad one."""
    def add(function):
        RULES.append((sentence, function, breaks))
        return function
    return add


def events(trace, phase):
    return [event for event in trace["traceEvents"] if event["ph"] == phase]


def threads(trace):
    """The spans of each thread, by when they begin, in the order of the file where that is the same."""
    found = collections.defaultdict(list)
    for span in events(trace, "X"):
        found[span["pid"], span["tid"]].append(span)
    return {thread: sorted(spans, key=lambda span: span["ts"]) for thread, spans in found.items()}


def curves(trace):
    found = collections.defaultdict(list)
    for point in events(trace, "C"):
        found[point["pid"], point["name"]].append(point)
    return found


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def change(phase, **members):
    """Changes the last event of a phase."""
    return lambda trace: events(trace, phase)[-1].update(members)


def longest_thread(trace):
    return max(threads(trace).values(), key=len)


# --- the file ---

@rule("times are shown in a unit that there is", lambda trace: trace.update(displayTimeUnit="us"))
def unit(trace):
    if trace.get("displayTimeUnit") not in ("ms", "ns"):
        yield trace.get("displayTimeUnit")


# --- each event ---

@rule("an event is complete (X), metadata (M) or a counter (C): what begins has its end with it", change("X", ph="B"))
def phases(trace):
    for event in trace["traceEvents"]:
        if event["ph"] not in MEMBERS:
            yield event


@rule("it has the members of its kind and no other", lambda trace: events(trace, "X")[-1].pop("dur"))
def members(trace):
    for event in trace["traceEvents"]:
        if event["ph"] in MEMBERS and set(event) != MEMBERS[event["ph"]]:
            yield event


@rule("no list is a member of it: the tokenizer refuses the trace", change("M", name=["x"]))
def lists(trace):
    for event in trace["traceEvents"]:
        if any(isinstance(value, list) for value in event.values()):
            yield event


@rule("its texts are not empty and have no control characters: the tokenizer refuses the trace", change("X", name="a\nb"))
def texts(trace):
    for event in trace["traceEvents"]:
        for member in ("ph", "name", "cat"):
            text = event.get(member, "x")
            if not isinstance(text, str) or not text or any(ord(letter) < 0x20 or ord(letter) == 0x7f for letter in text):
                yield event


@rule("its arguments are an object", change("X", args=3))
def arguments(trace):
    for event in trace["traceEvents"]:
        if not isinstance(event.get("args"), dict):
            yield event


@rule("processes and threads have numbers of 32 bits, and none is 0, which stands for no process", change("C", tid=0))
def numbers(trace):
    for event in trace["traceEvents"]:
        for member in ("pid", "tid"):
            if not isinstance(event.get(member), int) or not 0 < event[member] < 1 << 32:
                yield event


@rule("times are whole microseconds from 0 on, which a double holds", change("X", ts=-1.0))
def times(trace):
    for event in trace["traceEvents"]:
        for member in ("ts", "dur"):
            value = event.get(member, 0)
            if not is_number(value) or not 0 <= value < 1 << 53 or value != int(value):
                yield event


# --- metadata ---

def give_thread_to_another(trace):
    pid, tid = next((event["pid"], event["tid"]) for event in events(trace, "X"))
    trace["traceEvents"].append(dict(events(trace, "X")[-1], pid=pid + 1, tid=tid, ts=0, dur=0))


@rule("a thread's number is that of no other process's thread, nor of a process: names go by it alone", give_thread_to_another)
def owners(trace):
    owner = {event["pid"]: event["pid"] for event in trace["traceEvents"]}
    for event in trace["traceEvents"]:
        if event["name"] != "process_name" and owner.setdefault(event["tid"], (event["pid"],)) != (event["pid"],):
            yield event


@rule("metadata is of a kind that there is, with its argument", change("M", args={}))
def metadata(trace):
    for event in events(trace, "M"):
        argument = event["args"].get(METADATA.get(event["name"]), None) if isinstance(event["args"], dict) else None
        if not (isinstance(argument, int) if event["name"] == "thread_sort_index" else isinstance(argument, str) and argument):
            yield event


def name_later(trace):
    first = next(event for event in trace["traceEvents"] if event["name"] == "thread_name")
    trace["traceEvents"].remove(first)
    trace["traceEvents"].append(first)


@rule("a process and a thread have one name, before all else that is theirs", name_later)
def names(trace):
    named = set()
    for event in trace["traceEvents"]:
        process, thread = ("process", event["pid"]), ("thread", event["pid"], event["tid"])
        if event["ph"] == "M" and event["name"] in ("process_name", "thread_name"):
            what = process if event["name"] == "process_name" else thread
            if what in named or (what == thread and process not in named):
                yield event
            named.add(what)
        elif process not in named or thread not in named:
            yield event


# --- spans ---

def cross(trace):
    span = longest_thread(trace)[0]
    trace["traceEvents"].append(dict(span, ts=span["ts"] + span["dur"] // 2))


@rule("a span lies within the one around it, or behind the one before: what crosses is dropped", cross)
def nesting(trace):
    for spans in threads(trace).values():
        around = []
        for span in sorted(spans, key=lambda span: (span["ts"], -span["dur"])):
            while around and around[-1]["ts"] + around[-1]["dur"] <= span["ts"]:
                around.pop()
            if around and span["ts"] + span["dur"] > around[-1]["ts"] + around[-1]["dur"]:
                yield span
            around.append(span)


def inner_first(trace):
    span = longest_thread(trace)[0]
    trace["traceEvents"].append(dict(span, dur=span["dur"] + 1))


@rule("of two that begin together the longer one comes first: spans are sorted by their beginnings alone", inner_first)
def outer_first(trace):
    for spans in threads(trace).values():
        for one, two in zip(spans, spans[1:]):
            if one["ts"] == two["ts"] and one["dur"] < two["dur"]:
                yield two


# --- counters ---

@rule("a counter's arguments are numbers, one or more", change("C", args={"value": None}))
def counters(trace):
    for event in events(trace, "C"):
        if not event["args"] or not all(is_number(value) for value in event["args"].values()):
            yield event


def swap_points(trace):
    points = next(points for points in curves(trace).values() if len(points) > 1)
    points[0]["ts"], points[-1]["ts"] = points[-1]["ts"] + 1, points[0]["ts"]


@rule("the points of a curve of one trial come in the order of time", swap_points)
def order(trace):
    if len({span["name"] for span in events(trace, "X") if span["name"].startswith("trial ")}) > 1:
        return # trials come in the order of their numbers, of which one may be tried again behind others
    for points in curves(trace).values():
        for one, two in zip(points, points[1:]):
            if one["ts"] > two["ts"]:
                yield two


# --- all of it ---

def refuse_constant(word):
    raise ValueError(f"{word} is no JSON")


def read_text(text):
    """One object, in UTF-8, and nothing before or behind it but the end of its last line."""
    if not text.startswith("{") or not text.endswith("}\n"):
        raise ValueError("something stands before the object, or behind it")
    trace = json.loads(text, parse_constant=refuse_constant)
    if not isinstance(trace["traceEvents"], list) or not all(isinstance(event["ph"], str) for event in trace["traceEvents"]):
        raise ValueError("traceEvents is no list of events")
    return trace


def check(trace):
    """The rules that it breaks, each with what breaks it first."""
    for sentence, function, _ in RULES:
        try:
            for event in function(trace):
                yield sentence, event
                break
        except (KeyError, TypeError, AttributeError) as error: # what another rule is about
            yield sentence, repr(error)


def check_files(paths):
    bad = 0
    for path in paths:
        with open(path, encoding="utf-8", newline="") as file:
            trace = read_text(file.read())
        for sentence, event in check(trace):
            print(f"{path} breaks: {sentence}: {json.dumps(event)[:300]}")
            bad += 1
    return bad


def check_breaks(path):
    """A check that can't fail says nothing: each rule finds its own break."""
    with open(path, encoding="utf-8", newline="") as file:
        text = file.read()
    missed = 0
    for sentence, _, breaks in RULES:
        trace = copy.deepcopy(read_text(text))
        breaks(trace)
        if sentence not in {broken for broken, _ in check(trace)}:
            print(f"not noticed: {sentence}")
            missed += 1
    for bad in (text + "\n", text[:-2], text.replace('"ts": ', '"ts": NaN, "x": ', 1)):
        try:
            read_text(bad)
        except ValueError:
            continue
        print("not noticed: a file that is no single object")
        missed += 1
    return missed


if __name__ == "__main__":
    sys.exit(1 if (check_breaks(sys.argv[2]) if sys.argv[1] == "--break" else check_files(sys.argv[1:])) else 0)
