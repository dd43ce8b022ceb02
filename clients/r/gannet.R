# SPDX-License-Identifier: 0BSD
#
# A trial of gannet in an R program: its parameters, metrics, phases, checkpoints, and whether to stop. One file to copy, for
# R 3.5 and later, base R alone; docs/trial.md has the rest.
#
#     source("gannet.R")
#     trial <- gannet_trial(lr = 0.1, epochs = 30)        # the parameters; what is given here is for runs by hand
#     set.seed(trial$seed)
#     state <- trial$restore(list(epoch = 0, weights = rnorm(10)))
#     while (state$epoch < trial$params$epochs) {
#       ...
#       stop <- trial$metric(loss = loss, step = state$epoch)
#       trial$save(state, step = state$epoch)             # with trial.checkpoint: true; random numbers go on where they were
#       if (stop) break
#     }
#
# Without gannet the same program takes its parameters from the command line (--lr=0.01), prints what it measures and goes on.
# R has no local sockets, so it speaks through the commands `gannet metric`, `checkpoint` and `should-stop`, which take tens of
# milliseconds each; where only the worker is installed it prints. No function fails because the worker is gone.

# --- JSON ---

# A reader of JSON texts: reads one value from position `at` on.
gannet_json_ <- function(text) {
  letters <- strsplit(text, "")[[1]]
  at <- 1
  here <- function() if (at <= length(letters)) letters[[at]] else stop("the text ends early")
  skip <- function() while (at <= length(letters) && grepl("[[:space:]]", letters[[at]])) at <<- at + 1
  take <- function(letter) {
    skip()
    if (here() != letter) stop("'", letter, "' was expected")
    at <<- at + 1
  }
  series <- function(open, close, one) {
    take(open)
    skip()
    while (here() != close) {
      one()
      skip()
      if (here() == ",") take(",") else break
    }
    take(close)
  }
  string <- function() {
    take("\"")
    from <- at
    while (here() != "\"") at <<- at + if (here() == "\\") 2 else 1
    at <<- at + 1
    gannet_unescape_(if (at - 2 < from) "" else paste(letters[from:(at - 2)], collapse = ""))
  }
  word <- function() {
    from <- at
    while (at <= length(letters) && grepl("[-+.[:alnum:]]", letters[[at]])) at <<- at + 1
    text <- paste(letters[seq_len(at - from) + from - 1], collapse = "")
    if (text %in% c("true", "false")) text == "true" else if (text == "null") NULL else as.numeric(text)
  }
  value <- function() {
    skip()
    all <- list()
    if (here() == "{") {
      series("{", "}", function() {
        name <- string()
        take(":")
        all[[name]] <<- value()
      })
    } else if (here() == "[") {
      series("[", "]", function() all[[length(all) + 1]] <<- value())
      if (length(all) && all(lengths(all) == 1) && length(unique(vapply(all, class, ""))) == 1) all <- unlist(all)
    } else {
      return(if (here() == "\"") string() else word())
    }
    all
  }
  value()
}

gannet_unescape_ <- function(text) {
  letter <- function(code) {
    known <- c(n = "\n", t = "\t", r = "\r", b = "\b", f = "\f")
    if (substring(code, 2, 2) == "u") return(intToUtf8(strtoi(substring(code, 3), 16L)))
    if (substring(code, 2) %in% names(known)) known[[substring(code, 2)]] else substring(code, 2)
  }
  codes <- gregexpr("\\\\(u[0-9a-fA-F]{4}|.)", text)
  regmatches(text, codes) <- lapply(regmatches(text, codes), vapply, letter, "")
  text
}

# --- parameters ---

gannet_value_ <- function(text) {
  if (text %in% c("true", "false")) text == "true" else type.convert(text, as.is = TRUE)
}

# The parameters of --name=value, --name value and name=value; with defaults only those that they name.
gannet_from_args_ <- function(args, params) {
  known <- names(params)
  put <- function(name, text) {
    name <- if (name %in% known) name else gsub("-", "_", name)
    if (!length(known) || name %in% known) params[[name]] <<- gannet_value_(text)
  }
  for (i in seq_along(args)) {
    if (grepl("^(--)?[A-Za-z_][A-Za-z0-9_.-]*=", args[[i]]))
      put(sub("^(--)?([^=]*)=.*$", "\\2", args[[i]]), sub("^[^=]*=", "", args[[i]]))
    else if (startsWith(args[[i]], "--") && i < length(args) && !startsWith(args[[i + 1]], "--"))
      put(substring(args[[i]], 3), args[[i + 1]])
  }
  params
}

# Those of GANNET_PARAM_NAME: a command that gannet prints has them when a person runs it again.
gannet_from_environment_ <- function(params) {
  told <- Sys.getenv()
  told <- told[startsWith(names(told), "GANNET_PARAM_")]
  for (variable in names(told)) {
    name <- substring(variable, nchar("GANNET_PARAM_") + 1)
    known <- names(params)[gsub("[^A-Za-z0-9_]", "_", names(params)) == name]
    params[[if (length(known)) known[[1]] else name]] <- gannet_value_(told[[variable]])
  }
  params
}

gannet_params_ <- function(defaults, is_alone) {
  path <- Sys.getenv("GANNET_PARAMS_FILE")
  if (is_alone) defaults <- gannet_from_environment_(defaults)
  if (nzchar(path) && (file.exists(path) || !is_alone)) tryCatch({
    told <- gannet_json_(paste(readLines(path, warn = FALSE, encoding = "UTF-8"), collapse = "\n"))
    defaults[names(told)] <- told
  }, error = function(e) message("gannet: the parameters can't be read: ", conditionMessage(e)))
  if (is_alone) gannet_from_args_(commandArgs(trailingOnly = TRUE), defaults) else defaults
}

# --- the trial ---

# The trial that this program was started for, or one by hand, as an environment:
#
#   params                     the parameters
#   number, attempt            the trial's number and attempt; NA without gannet
#   experiment, dir            the experiment's name, or NA; a directory for its files
#   seed                       for set.seed
#   deadline                   when the time of the job is up, seconds since 1970, or NA
#   restore_path               a checkpoint to go on from, or NULL; checkpoint_path: where to save one, or NULL
#   max_steps, until           the step at which it is complete; the step after which it is to save and end; or NA
#   stop_detail                why it is to stop, once that is known
#
#   metric(loss = 0.3, step = 4), metric("val/loss" = 0.3)     tells values; TRUE: stop now
#   should_stop(step = 4)      whether to stop
#   phase("data", read())      the value of read(), whose time is shown as data; also forward, backward, update, evaluation,
#                              checkpoint. What an inner phase takes is that one's alone
#   save(object, step = 4)     saves an object, with the state of the random numbers, as the trial's checkpoint; FALSE: it could not
#   restore(otherwise)         the object of the checkpoint to go on from, or `otherwise`
#   checkpoint(path, step = 4) makes a copy of a file the trial's checkpoint
gannet_trial <- function(...) {
  variable <- function(name) if (nzchar(Sys.getenv(name))) Sys.getenv(name)
  number <- function(name) suppressWarnings(as.numeric(Sys.getenv(name, NA)))
  or <- function(value, other) if (is.null(value)) other else value
  trial <- new.env()
  trial$number <- number("GANNET_TRIAL")
  trial$attempt <- number("GANNET_ATTEMPT")
  trial$experiment <- or(variable("GANNET_EXPERIMENT"), NA)
  trial$dir <- or(variable("GANNET_TRIAL_DIR"), getwd())
  trial$deadline <- number("GANNET_DEADLINE")
  trial$restore_path <- variable("GANNET_CHECKPOINT")
  trial$checkpoint_path <- variable("GANNET_CHECKPOINT_OUT")
  trial$max_steps <- number("GANNET_MAX_STEPS")
  trial$until <- number("GANNET_UNTIL")
  trial$stop_detail <- NULL
  seed <- 0 # as set.seed takes it: the remainder by 2^31 - 1 of a number that a double may not hold
  for (digit in strsplit(or(variable("GANNET_SEED"), "0"), "")[[1]]) seed <- (10 * seed + as.numeric(digit)) %% 2147483647
  trial$seed <- as.integer(seed)
  is_alone <- is.na(trial$number)
  trial$params <- gannet_params_(list(...), is_alone)
  phases <- list()
  inner <- 0

  # A command of gannet, by the arguments that are no NA; its output with the status.
  command <- function(...) {
    arguments <- c(...)
    program <- variable("GANNET")
    if (is.null(program) || !file.exists(program)) return(structure("", status = 127L))
    said <- suppressWarnings(tryCatch(
      system2(program, shQuote(arguments[!is.na(arguments)]), stdout = TRUE, stderr = TRUE, stdin = "/dev/null"),
      error = function(e) structure(conditionMessage(e), status = 127L)))
    structure(said, status = or(attr(said, "status"), 0L))
  }
  worked <- function(said) attr(said, "status") == 0L
  step_option <- function(step) if (is.null(step)) NA else sprintf("--step=%.0f", step)
  say <- function(line) {
    cat(line, "\n", sep = "")
    flush(stdout())
  }
  tell_phases <- function() {
    told <- phases
    phases <<- list()
    if (length(told)) say(paste0("time.", names(told), "=", vapply(told, format, "", digits = 9), collapse = " "))
  }

  trial$metric <- function(..., step = NULL) {
    number <- function(value) suppressWarnings(tryCatch(as.numeric(value)[1], error = function(e) NA_real_))
    values <- vapply(list(...), number, 0)
    odd <- is.na(values) & !is.nan(values)
    if (any(odd)) message("gannet: the value of '", paste(names(values)[odd], collapse = "', '"), "' is no number")
    values <- values[!odd]
    texts <- ifelse(is.finite(values), sprintf("%.17g", values), tolower(values))
    pairs <- if (length(values)) paste0(names(values), "=", texts)
    if (!is_alone) tell_phases()
    said <- if (length(pairs) && !is_alone) command("metric", step_option(step), "--", pairs) else structure("", status = 1L)
    if (worked(said)) lapply(said[nzchar(said)], say) # of a worker that can't be reached: to be read from there
    else if (length(pairs)) say(paste(c(pairs, if (!is.null(step)) sprintf("step=%.0f", step)), collapse = " "))
    trial$should_stop(step)
  }

  trial$should_stop <- function(step = NULL) {
    if (is.null(trial$stop_detail) && !is_alone) {
      if (!is.null(step) && !is.na(trial$until) && step >= trial$until)
        trial$stop_detail <- "it has come to the step after which it is to pause"
      else if (worked(said <- command("should-stop", step_option(step))))
        trial$stop_detail <- sub("^gannet: ", "", paste(said, collapse = " "))
    }
    !is.null(trial$stop_detail)
  }

  trial$phase <- function(name, expression) {
    outer <- inner
    inner <<- 0
    begun <- proc.time()[["elapsed"]]
    on.exit({
      whole <- proc.time()[["elapsed"]] - begun
      if (!is_alone && name %in% c("data", "forward", "backward", "update", "evaluation", "checkpoint"))
        phases[[name]] <<- or(phases[[name]], 0) + max(0, whole - inner)
      inner <<- outer + whole
    })
    force(expression)
  }

  trial$checkpoint <- function(path, step = NULL) {
    if (is.null(trial$checkpoint_path)) {
      if (is_alone) say(paste("checkpoint", path))
      return(is_alone)
    }
    if (!is_alone && worked(command("checkpoint", step_option(step), "--", path))) return(TRUE)
    beside <- paste0(trial$checkpoint_path, ".new")
    done <- suppressWarnings(file.copy(path, beside, overwrite = TRUE) && file.rename(beside, trial$checkpoint_path))
    if (!done) message("gannet: the checkpoint could not be saved")
    done
  }

  trial$save <- function(object, step = NULL) {
    if (is.null(trial$checkpoint_path)) return(is_alone)
    path <- paste0(trial$checkpoint_path, ".rds")
    tryCatch(trial$phase("checkpoint", {
      saveRDS(list(object = object, random = globalenv()$.Random.seed), path)
      done <- trial$checkpoint(path, step)
      unlink(path)
      done
    }), error = function(e) {
      message("gannet: the checkpoint could not be saved: ", conditionMessage(e))
      FALSE
    })
  }

  trial$restore <- function(otherwise = NULL) {
    if (is.null(trial$restore_path)) return(otherwise)
    tryCatch({
      saved <- suppressWarnings(readRDS(trial$restore_path))
      stopifnot(is.list(saved), "object" %in% names(saved))
      if (!is.null(saved$random)) assign(".Random.seed", saved$random, envir = globalenv())
      saved$object
    }, error = function(e) {
      message("gannet: the checkpoint can't be gone on from (", conditionMessage(e), "); the trial begins at its beginning")
      otherwise
    })
  }

  reg.finalizer(trial, function(trial) if (!is_alone) tell_phases(), onexit = TRUE)
  trial
}
