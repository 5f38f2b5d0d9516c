import type { ReportClient } from "@vouch/report/internal/client-script";
import type { TrainingReportOptions } from "@vouch/report/internal/training-report";
import type { TrainingFacts } from "@vouch/views/facts";

/** What writes live reports: code, and the script that reports contain. */
interface ReportWriter {
  readonly write: (facts: TrainingFacts, parts: TrainingReportOptions) => Promise<string>;
  readonly client: ReportClient;
}

/**
 * Loads what writes live reports. It is not part of the first visit. The service worker keeps it once it was loaded, so the page loads
 * it with the first model: from then on reports can be written offline.
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
