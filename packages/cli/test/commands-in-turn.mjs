/**
 * Runs commands one after the other in one process, which saves the time that each would take to start. The argument is a JSON
 * list of their arguments; what each has printed ends with a record separator. Stops at the first that fails.
 */
import { main } from "../dist/main.js";

for (const args of JSON.parse(process.argv[2])) {
  process.exitCode = await main(args);
  if (process.exitCode !== 0) break;
  process.stdout.write("\u001e");
}
