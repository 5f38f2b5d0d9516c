import type { ReportClient } from "@vouch/report/internal/client-script";
import type { TrainingReportOptions } from "@vouch/report/internal/training-report";
import type { TrainingFacts } from "@vouch/views/facts";

/** The code that writes live reports, and the script that goes into them. */
interface ReportWriter {
  readonly write: (facts: TrainingFacts, parts: TrainingReportOptions) => Promise<string>;
  readonly client: ReportClient;
}

/**
 * Loads the report writer, which is not part of the first visit. The service worker caches it on first load. The page
 * loads it with the first model, so that reports can be written offline from then on.
 */
export async function loadReportWriter(): Promise<ReportWriter> {
  try {
    const [{ trainingReport }, response] = await Promise.all([
      import("@vouch/report/internal/training-report"),
      fetch(new URL("../report-client.json", import.meta.url)),
    ]);
    if (!response.ok) throw new Error(`The server answered ${response.status}.`);
    return { write: trainingReport, client: await response.json() };
  } catch (cause) {
    throw new Error(
      "The report needs files of the studio that are not on this computer yet. Connect to the server and try again.",
      { cause },
    );
  }
}
