/** Data files of all formats with random damage, for the fuzzing of readers. The same seed gives the same file. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { DuckDBInstance } from "@duckdb/node-api";

/** Returns a generator of integers from 0 to below − 1 (mulberry32). */
export function seededIntegers(seed) {
  let state = seed | 0;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

/** Text that readers treat specially, inserted anywhere. */
const INSERTS = {
  csv: [
    '"',
    '""',
    ",",
    ";",
    "\n",
    "\r\n",
    "\r",
    "\0",
    "\ufeff",
    "NA",
    "inf",
    "1e400",
    "é",
    " ",
    '",',
    '\n"',
    "0x1",
    "sep=;\n",
  ],
  json: [
    '"',
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\\",
    "\\u0000",
    "null",
    "1e999",
    "-0",
    '"a":',
    '{"a":1},',
    "\n",
    "\ufeff",
    "[[",
    '"__proto__":1,',
    "1.0",
  ],
  arff: [
    "'",
    '"',
    "{",
    "}",
    "%",
    ",",
    "?",
    "\\",
    "@data\n",
    "@attribute z numeric\n",
    "\n",
    "{0 1}",
    "\t",
    "{}",
    "relational",
    "1e400",
  ],
  libsvm: [
    ":",
    " ",
    "1:",
    ":1",
    "#",
    "qid:1",
    "\n",
    "0:1",
    "999999:1",
    "nan",
    "inf",
    "-",
    "1:1 ",
    "4294967296:1",
  ],
  binary: ["\0", "\0\0\0\0", "\xff\xff\xff\xff", "\x7f\xff\xff\xff", "PAR1", "\x80", "\x01"],
};

const ROWS = Array.from({ length: 12 }, (_, i) => ({
  id: i,
  colour: ["red", "grün", "dark, blue"][i % 3],
  size: i / 4 - 1,
  note: i % 5 ? `row "${i}"` : null,
}));

const TEXTS = [
  {
    format: "csv",
    inserts: INSERTS.csv,
    text: 'id,colour,size,"a ""name"""\n1,red,2.5,x\n2,"dark, blue",-3e2,"line\nbreak"\n3,NA,,"say ""hi"""\n4,grün,1e-7,z\n',
  },
  { format: "csv", inserts: INSERTS.csv, text: "a;b\r\n1;2\r\n3,25;?\r\n-0;7\r\n" },
  { format: "csv", inserts: INSERTS.csv, text: 'word\none\n"two"\n\nthree\n' },
  { format: "tsv", inserts: INSERTS.csv, text: "day\tvalue\n2024-01-31\t1\n2024-02-01\t.5\n" },
  { format: "json", inserts: INSERTS.json, text: JSON.stringify(ROWS, undefined, 1) },
  { format: "json", inserts: INSERTS.json, text: '[{"a":1,"b":"x"},{"a":2.5,"c":true},{}]' },
  { format: "ndjson", inserts: INSERTS.json, text: ROWS.map((row) => JSON.stringify(row)).join("\n") },
  {
    format: "arff",
    inserts: INSERTS.arff,
    text: "% comment\n@relation 'a b'\n@attribute x numeric\n@attribute \"y z\" {a, 'b c', \"d\"}\n@attribute s string\n@data\n1.5,a,'it\\'s'\n?,'b c',\"two\"\n{0 2, 1 d}\n{}\n-3,?,?\n",
  },
  { format: "libsvm", inserts: INSERTS.libsvm, text: "+1 1:0.5 3:-2 # first\n-1 2:1e-3\n\n+1 1:7 4:0\n" },
];

/** Writes the sample files from which mutants are made: {format, inserts, bytes}. */
export async function sampleFiles() {
  const parquet = await parquetFiles([
    "SELECT i, 'text ' || (i % 5) AS t, sin(i) AS s, i % 2 = 0 AS flag FROM range(60) r(i)",
    "SELECT i::TINYINT AS small, DATE '2024-01-01' + i::INTEGER AS day, CASE WHEN i % 3 = 0 THEN NULL ELSE i / 7 END AS part FROM range(100) r(i)",
    "SELECT {'a': 1} AS s, [1, 2] AS l, 'x' AS t",
  ]);
  return [
    ...TEXTS.map(({ format, inserts, text }) => ({ format, inserts, bytes: Buffer.from(text) })),
    { format: "idx", inserts: INSERTS.binary, bytes: idxFile(8, [5, 2, 3], 1) },
    { format: "idx", inserts: INSERTS.binary, bytes: idxFile(14, [4, 2], 8) },
    ...parquet.map((bytes) => ({ format: "parquet", inserts: INSERTS.binary, bytes })),
  ];
}

function idxFile(type, shape, bytes) {
  const header = Buffer.from([0, 0, type, shape.length, ...shape.flatMap((size) => [0, 0, 0, size])]);
  const count = shape.reduce((product, size) => product * size);
  return Buffer.concat([header, Buffer.from({ length: count * bytes }, (_, i) => (i * 7) % 64)]);
}

async function parquetFiles(queries) {
  const folder = mkdtempSync(join(tmpdir(), "vouch-fuzz-"));
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    const files = [];
    for (const [number, query] of queries.entries()) {
      const path = join(folder, `${number}.parquet`);
      const codec = number % 2 === 0 ? "snappy" : "uncompressed";
      await connection.run(`COPY (${query}) TO '${path}' (FORMAT parquet, CODEC '${codec}')`);
      files.push(readFileSync(path));
    }
    return files;
  } finally {
    connection.disconnectSync();
    instance.closeSync();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Damages bytes in one to four places. */
export function mutated(sample, inserts, random) {
  let bytes = Buffer.from(sample);
  for (let change = 1 + random(4); change > 0; change--) {
    const at = random(bytes.length + 1);
    const to = Math.min(bytes.length, at + 1 + random(12));
    const [before, middle, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
    const kind = random(9);
    if (kind === 0) bytes = Buffer.concat([before, after]);
    else if (kind === 1) bytes = Buffer.concat([before, middle, middle, after]);
    else if (kind <= 4) bytes = Buffer.concat([before, inserted(inserts, random), middle, after]);
    else if (kind === 5) bytes = Buffer.concat([before, Buffer.from([random(256)]), middle, after]);
    else if (kind === 6) bytes = Buffer.concat([before, ...Array(1 + random(300)).fill(middle), after]);
    else if (kind === 7 && random(4) === 0) bytes = Buffer.from(before);
    else if (at < bytes.length) bytes[at] = random(3) === 0 ? random(256) : bytes[at] ^ (1 << random(8));
  }
  return bytes;
}

function inserted(inserts, random) {
  const insert = inserts[random(inserts.length)];
  return Buffer.from(
    insert,
    insert.charCodeAt(0) > 126 && insert.charCodeAt(0) < 256 && insert !== "é" ? "latin1" : "utf8",
  );
}

/** Returns mutant number `seed`: {bytes, format}, compressed in one of eight cases and without a format in another. */
export function mutant(samples, seed) {
  const random = seededIntegers(seed);
  const { format, inserts, bytes } = samples[random(samples.length)];
  const damaged = mutated(bytes, inserts, random);
  const packing = random(16);
  const stored =
    packing === 0 ? mutated(gzipSync(damaged), inserts, random) : packing === 1 ? gzipSync(damaged) : damaged;
  return { bytes: stored, length: damaged.length, ...(random(8) > 0 && { format }) };
}
