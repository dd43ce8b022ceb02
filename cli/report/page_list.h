/* The pictures of a report of one experiment, in their order.
 *
 *     PAGE(kind, "heading") */
PAGE(history, "History")
PAGE(curves, "Learning curves")
PAGE(importance, "What matters")
PAGE(parallel, "Parallel coordinates")
PAGE(slices, "Each parameter")
PAGE(rank, "Pairs of parameters")
PAGE(front, "The front")
PAGE(edf, "Distribution")
PAGE(timeline, "Timeline")
PAGE(losses, "Where the time went")
PAGE(phases, "Profiles")
PAGE(failures, "Failures")
