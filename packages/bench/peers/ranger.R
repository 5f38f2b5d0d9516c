# ranger, the R package, at the settings of vouch's forest: √d features per split, leaves of one row, no out-of-bag error.
# `fit` times training; `predict` trains first and times the prediction of other rows; `once` trains and predicts in a
# process of its own and reports its peak memory. The last argument has one number per column: the number of categories,
# which are codes from 1, or 0 for a column of numbers. ranger orders categories by class before it grows trees.

library(ranger)

args <- commandArgs(trailingOnly = TRUE)
job <- args[1]
folder <- args[2]
columns <- as.integer(args[3])
trees <- as.integer(args[4])
threads <- as.integer(args[5])
categories <- as.integer(strsplit(args[6], ",")[[1]])

read_numbers <- function(name, what) {
  file <- file.path(folder, name)
  readBin(file, what, n = file.size(file) / 4, size = 4, endian = "little")
}

# Makes a matrix if all columns are numbers, otherwise a data frame with factors.
read_features <- function(part) {
  values <- matrix(read_numbers(paste0(part, ".features"), "numeric"), ncol = columns, byrow = TRUE)
  colnames(values) <- paste0("x", seq_len(columns))
  if (all(categories == 0)) return(values)
  frame <- as.data.frame(values)
  for (j in which(categories > 0)) frame[[j]] <- factor(frame[[j]], levels = seq_len(categories[j]))
  frame
}

classes <- sort(unique(read_numbers("train.labels", "integer")))
read_labels <- function(part) factor(read_numbers(paste0(part, ".labels"), "integer"), levels = classes)

train <- read_features("train")
train_labels <- read_labels("train")
part <- if (job == "predict") "query" else "test"
test <- read_features(part)
test_labels <- read_labels(part)

fit <- function() {
  ranger(
    x = train, y = train_labels, num.trees = trees, num.threads = threads, mtry = floor(sqrt(columns)),
    min.node.size = 1, respect.unordered.factors = if (is.data.frame(train)) "order" else "ignore",
    oob.error = FALSE, seed = 1
  )
}
predict_test <- function(model) predict(model, data = test, num.threads = threads)$predictions
accuracy <- function(predictions) 100 * mean(predictions == test_labels)

answer <- function(seconds, facts) {
  written <- paste0(sprintf("\"%s\": %.6f", names(facts), unlist(facts)), collapse = ", ")
  cat(sprintf("{\"seconds\": %.6f, \"facts\": {%s}}\n", seconds, written))
  flush(stdout())
}

# Runs the work once; facts are computed outside the timing.
lap <- function(work, facts_of) {
  began <- Sys.time()
  result <- work()
  seconds <- as.numeric(Sys.time() - began, units = "secs")
  answer(seconds, facts_of(result))
}

# Prints a lap for every line on standard input.
serve <- function(work, facts_of) {
  lines <- file("stdin", open = "r")
  while (length(readLines(lines, n = 1)) > 0) lap(work, facts_of)
}

peak_megabytes <- function() {
  line <- grep("^VmHWM:", readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line)) / 1024
}

accuracy_of <- function(predictions) list("accuracy %" = accuracy(predictions))

if (job == "fit") {
  serve(fit, function(model) accuracy_of(predict_test(model)))
} else if (job == "predict") {
  model <- fit()
  serve(function() predict_test(model), accuracy_of)
} else {
  lap(function() predict_test(fit()), function(predictions) {
    c(accuracy_of(predictions), list("peak MB" = peak_megabytes()))
  })
}
