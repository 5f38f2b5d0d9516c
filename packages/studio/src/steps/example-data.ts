/** A data set of the studio. */
export interface ExampleData {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  /** Origin of the rows, and the question that they answer. */
  readonly story: string;
}

/** Data sets of the studio; the first one contains categories and missing values, like real data. */
export const exampleData: readonly ExampleData[] = [
  {
    name: "penguins",
    title: "Penguins",
    about: "Which of three species is a penguin? 344 rows, some values missing.",
    story:
      "From 2007 to 2009, researchers measured 344 penguins on three islands of the Antarctic; some values are missing. Can a model tell the species of the next penguin? For a harder question, predict “sex”.",
  },
  {
    name: "iris",
    title: "Iris",
    about: "Which of three species is a flower? 150 rows, 4 measurements.",
    story:
      "Edgar Anderson measured 150 irises of three species in Canada, and Ronald Fisher published the values in 1936. Which species is a flower with these petals and sepals?",
  },
  {
    name: "breastcancer",
    title: "Breast cancer",
    about: "Is a tumour benign or malignant? 699 rows, 9 features of cells.",
    story:
      "A doctor in Wisconsin graded the cells of 699 tumours under the microscope, from 1 to 10 in nine respects. Is a tumour benign or malignant? Missing a malignant tumour is the worse error: check how many of each class it finds.",
  },
  {
    name: "ionosphere",
    title: "Ionosphere",
    about: "Is a radar return good or bad? 351 rows, 34 measurements.",
    story:
      "Antennas in Labrador sent radar pulses into the ionosphere and recorded 351 returns. Does a return show structure in the ionosphere (g), or did the signal pass through it (b)?",
  },
];
