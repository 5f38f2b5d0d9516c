/*
 * A second, simple reader of numbers as people write them, by the rules of docs/files.md: it takes a text apart from both ends, where
 * vouch matches patterns.
 */

const SPACES = " \u00a0\u2007\u2009\u202f";
const SIGNS = "+-−–";
const CODES =
  "AED ARS AUD BRL CAD CHF CLP CNY COP CZK DKK EUR GBP HKD HUF IDR ILS INR JPY KRW MXN MYR NOK NZD PHP PLN RON RUB SAR SEK SGD THB TRY TWD UAH USD VND ZAR";
const NAMES = [
  ...CODES.split(" "),
  ..."kr. kr zł Kč Ft SFr. SFr Fr. Fr Rs. Rs RM руб. руб лв. лв".split(" "),
];
const BEFORE_SYMBOL = ["US", "AU", "A", "CA", "C", "NZ", "HK", "S", "R", "Mex", ""];

/** Reads a number with a decimal point, or else with a decimal comma; undefined if the text is not a number. */
export function writtenNumber(text: string): number | undefined {
  return readWith(".", text) ?? readWith(",", text);
}

function readWith(mark: string, text: string): number | undefined {
  if (text.length > 60) return undefined;
  const bare = text.trim().startsWith("'") ? text.trim().slice(1) : text.trim();
  const inParentheses = bare.startsWith("(") && bare.endsWith(")");
  if (!inParentheses) return readSigned(mark, bare, true);
  const value = readSigned(mark, bare.slice(1, -1).trim(), false);
  return value === undefined ? undefined : -value;
}

function readSigned(mark: string, text: string, maySayMore: boolean): number | undefined {
  let rest = text;
  const isLimit = startsWithAny(rest, "<>≤≥~≈");
  if (isLimit) rest = withoutSpace(rest.slice(1));
  const isOpen = rest.endsWith("+");
  if (isOpen) rest = rest.slice(0, -1);
  if ((isLimit && (isOpen || !maySayMore)) || (isOpen && isLimit)) return undefined;
  let signs = "";
  const takeSign = () => {
    if (!startsWithAny(rest, SIGNS)) return;
    signs += rest[0];
    rest = rest.slice(1);
  };
  takeSign();
  rest = withoutSpace(rest);
  const before = currencies(rest).find((symbol) => rest.startsWith(symbol));
  if (before !== undefined) {
    rest = withoutSpace(rest.slice(before.length));
    takeSign();
  }
  const after = [...currencies(rest), "%"].find((symbol) => rest.endsWith(symbol));
  if (after !== undefined) rest = withoutSpaceAtEnd(rest.slice(0, -after.length));
  if (before !== undefined && after !== undefined && after !== "%") return undefined;
  if (before !== undefined && after === "%") return undefined;
  if (signs.length > 1 || (signs !== "" && !maySayMore)) return undefined;
  if (signs === "+" && [...SPACES].some((space) => rest.includes(space))) return undefined;
  const value = readDigits(mark, rest);
  return value !== undefined && signs !== "" && signs !== "+" ? -value : value;
}

function readDigits(mark: string, text: string): number | undefined {
  const [mantissa, exponent = "0", ...more] = text.split(/e/i);
  if (more.length > 0 || !isDigits(startsWithAny(exponent, "+-") ? exponent.slice(1) : exponent))
    return undefined;
  const [whole, decimals = "", ...others] = mantissa.split(mark);
  if (others.length > 0 || (decimals !== "" && !isDigits(decimals)) || whole + decimals === "")
    return undefined;
  const separator = [...whole].find((character) => !isDigits(character));
  const digits = separator === undefined ? whole : groupedDigits(mark, whole.split(separator), separator);
  if (digits === undefined) return undefined;
  const value = Number(`${digits}.${decimals}e${exponent}`);
  return Number.isFinite(value) ? value : undefined;
}

function groupedDigits(mark: string, groups: readonly string[], separator: string): string | undefined {
  const other = mark === "." ? "," : ".";
  if (separator !== other && !`${SPACES}'’`.includes(separator)) return undefined;
  const [first, ...rest] = groups;
  if (!groups.every(isDigits) || first.startsWith("0")) return undefined;
  const inThousands = first.length <= 3 && rest.every(({ length }) => length === 3);
  const isIndian =
    mark === "." && separator === "," && first.length <= 2 && rest.length > 1 && rest.at(-1)?.length === 3;
  const inLakhs = isIndian && rest.slice(0, -1).every(({ length }) => length === 2);
  return inThousands || inLakhs ? groups.join("") : undefined;
}

/** Lists currencies with which a text may start or end, the longest first. */
function currencies(text: string): string[] {
  const symbols = [...new Set(text.match(/\p{Sc}/gu) ?? [])];
  const written = symbols.flatMap((symbol) => BEFORE_SYMBOL.map((letters) => letters + symbol));
  return [...NAMES, ...written].sort((a, b) => b.length - a.length);
}

const isDigits = (text: string) => /^[0-9]+$/.test(text);
const startsWithAny = (text: string, characters: string) => text !== "" && characters.includes(text[0]);
const withoutSpace = (text: string) => (startsWithAny(text, SPACES) ? text.slice(1) : text);
const withoutSpaceAtEnd = (text: string) =>
  text !== "" && SPACES.includes(text[text.length - 1]) ? text.slice(0, -1) : text;
