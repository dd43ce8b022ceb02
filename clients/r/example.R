# SPDX-License-Identifier: 0BSD
# Gradient descent on a line with noise, 9 epochs; the search minimizes loss over lr.
#
#     Rscript example.R --lr=0.05
here <- dirname(sub("^--file=", "", grep("^--file=", commandArgs(), value = TRUE)))
source(file.path(here, "gannet.R"))

trial <- gannet_trial(lr = 0.1)
set.seed(trial$seed)
points <- data.frame(x = seq(-1, 1, length.out = 64))
points$y <- 3 * points$x + 1
state <- trial$restore(list(epoch = 0, slope = rnorm(1), base = 0))
while (state$epoch < 9) {
  state$epoch <- state$epoch + 1
  batch <- trial$phase("data", points[sample(nrow(points), 16), ])
  wrong <- state$slope * batch$x + state$base - batch$y
  state$slope <- state$slope - trial$params$lr * mean(2 * wrong * batch$x)
  state$base <- state$base - trial$params$lr * mean(2 * wrong)
  loss <- mean((state$slope * points$x + state$base - points$y)^2)
  stop <- trial$metric(loss = loss, step = state$epoch)
  trial$save(state, step = state$epoch)
  if (stop) {
    cat("stops:", trial$stop_detail, "\n")
    break
  }
}
