export { type Colour, type Colouring, type ColouringProblem, optimalColouring } from "./colouring.js";
