/**
 * Find, fetch and load public data sets, and draw simulated customers.
 *
 * @packageDocumentation
 */

export { catalogue } from "./catalogue.js";
export { CHURN_EXAMPLE, drawCustomer } from "./churn.js";
export type { DatasetEntry, Download } from "./entry.js";
export { fetchDataset } from "./fetch.js";
export { type LoadedDataset, loadDataset } from "./load.js";
export { cacheFolder, type LocatedDataset, listDatasets, locateDataset } from "./locate.js";
