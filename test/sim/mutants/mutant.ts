/** A way to break the code: in `file`, the text `find`, which occurs exactly once, becomes `replace`. */
export interface Mutant {
  readonly name: string
  readonly file: string
  readonly find: string
  readonly replace: string
}
