export { cacheFolder } from "./cache-folder.js";
export { catalogue } from "./catalogue.js";
export type { Conversion, FieldsConversion, LibsvmConversion, Packing } from "./conversion.js";
export type { DatasetEntry, DatasetFile, Download, Part, Split } from "./entry.js";
export { type Fetched, type FetchOptions, fetchDataset } from "./fetch.js";
export type { Fingerprint } from "./file-facts.js";
export { type LoadedDataset, loadDataset } from "./load.js";
export {
  type Listed,
  type Located,
  type LocatedFiles,
  listDatasets,
  locateDataset,
  type Place,
} from "./locate.js";
export { obtainByHand } from "./obtain-by-hand.js";
