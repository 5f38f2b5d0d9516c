import { shortened } from "./text.js";

/**
 * Ends of the words in a name: after a sign such as an underscore, except in numbers and dates, and before a capital
 * letter inside a word.
 */
const WORD_ENDS = /(?<=[_\-./:,;|\\])(?![_\-./:,;|\\]|$)(?!(?<=(?:^|\d)[-./:,])\d)|(?<=\p{Ll})(?=\p{Lu})/u;

/** Breaking spaces only; a non-breaking space keeps a number and its sign together. */
const SPACES = /([^\S\u00a0\u202f]+)/;

/** A longer word may not fit the narrowest column. */
const LONG_WORD = 16;

/** Maximum length of a name. */
const MOST_LETTERS = 60;

interface NameProps {
  readonly text: string;
  readonly most?: number;
}

/**
 * Shows the name of a column, a class or a value. Lines break between the words of a name such as `number_of_calls`,
 * never inside a word. A word that is too long for its line ends with an ellipsis.
 */
export function Name({ text, most = MOST_LETTERS }: NameProps) {
  const pieces = shortened(text, most)
    .split(SPACES)
    .flatMap((piece) => piece.split(WORD_ENDS));
  return (
    <>
      {pieces.map((piece, i) => (
        <>
          {i > 0 && <wbr />}
          {piece.length > LONG_WORD ? (
            <span class="word" title={piece}>
              {piece}
            </span>
          ) : (
            piece
          )}
        </>
      ))}
    </>
  );
}

/** Inserts invisible break opportunities into a name, for places that take no elements. */
export function breakable(text: string, most = MOST_LETTERS): string {
  return shortened(text, most).split(WORD_ENDS).join("\u200b");
}

/** Shows sentences that contain names; lines break inside names as in `Name`. */
export function Sentences({ text }: { readonly text: string }) {
  return <Name text={text} most={Number.POSITIVE_INFINITY} />;
}
