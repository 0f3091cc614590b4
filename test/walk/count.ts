/** How far a reader has to walk who reads each function once, in the order of first calls. */
export interface Walk {
  readonly functions: number
  readonly files: number
  /** How often a file is opened again. */
  readonly reentries: number
  /** The files opened most often. */
  readonly mostOpened: Readonly<Record<string, number>>
  /** The way itself: the files in the order of opening, with the functions read there. */
  readonly way: readonly { readonly file: string; readonly functions: readonly string[] }[]
}

/** Counts a walk. The kernel, the parts of tests and getters are left out: a reader does not open them on the way. */
export function countWalk(entered: readonly string[]): Walk {
  const read = new Set(entered.filter((id) => !/^(scope|testing)\/|:get /.test(id)))
  const way: { file: string; functions: string[] }[] = []
  const openings: Record<string, number> = {}
  for (const id of read) {
    const [file = '', name = ''] = id.split(':')
    if (way.at(-1)?.file !== file) {
      way.push({ file, functions: [] })
      openings[file] = (openings[file] ?? 0) + 1
    }
    way.at(-1)!.functions.push(name)
  }
  const files = Object.keys(openings).length
  const most = Object.entries(openings).toSorted(([, a], [, b]) => b - a)
  return {
    functions: read.size,
    files,
    reentries: way.length - files,
    mostOpened: Object.fromEntries(most.slice(0, 3)),
    way,
  }
}
