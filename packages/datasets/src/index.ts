/**
 * Find, fetch and load public data sets, and draw simulated customers.
 *
 * @packageDocumentation
 */

export { catalogue } from "./catalogue.js";
export { CHURN_EXAMPLE, type Customer, drawCustomer } from "./churn.js";
export type {
  Compression,
  Conversion,
  DatasetEntry,
  DatasetFile,
  DatasetPart,
  Download,
  FieldsConversion,
  FileDigest,
  LibsvmConversion,
} from "./entry.js";
export { type FetchedDataset, type FetchOptions, fetchDataset } from "./fetch.js";
export { type LoadedDataset, loadDataset } from "./load.js";
export {
  cacheFolder,
  type DatasetListing,
  type DatasetPaths,
  type DatasetPlace,
  type LocatedDataset,
  listDatasets,
  locateDataset,
} from "./locate.js";
