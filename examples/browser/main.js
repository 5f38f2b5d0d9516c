import { forest, formatPercent, Table, threadExecutor, trainClassifier, VouchError } from "vouch";

const [rows, button, progress, result] = ["rows", "train", "progress", "result"].map((id) =>
  document.getElementById(id),
);
const executor = threadExecutor();

/** Parses CSV with numbers in all columns but the last, which holds the class. */
function parse(csv) {
  const [header, ...lines] = csv.trim().split(/\r?\n/);
  const names = header.split(",");
  const records = lines.map((line) => {
    const cells = line.split(",");
    return Object.fromEntries(
      names.map((name, j) => [name, j < names.length - 1 ? Number(cells[j]) : cells[j]]),
    );
  });
  return Table.fromRecords("the rows above", records);
}

async function train() {
  progress.hidden = false;
  try {
    const { evaluation, certificates } = await trainClassifier(parse(rows.value), forest({ trees: 1000 }), {
      holdout: 0.3,
      run: {
        seed: 1,
        executor,
        progress: ({ done, total }) => {
          if (total) progress.value = done / total;
        },
      },
    });
    const error = `${formatPercent(evaluation.error)} of ${evaluation.rows} held-out rows are misclassified.`;
    result.textContent = `${error} ${certificates[0].statement}`;
  } catch (error) {
    if (!(error instanceof VouchError)) throw error;
    result.textContent = `${error.message} ${error.hint ?? ""}`;
  } finally {
    progress.hidden = true;
  }
}

rows.value = await (await fetch("ionosphere.csv")).text();
button.addEventListener("click", train);
