import { describe, expect, it } from 'vitest'
import { sources } from './tree.ts'

/** Prints one constant text, on a version of Node that cannot load the terminal. */
const exceptions = new Set(['src/cli/main.ts', 'src/cli/terminal.ts'])

describe('the command', () => {
  it('[HO9] prints in one place only', () => {
    const printing = sources(/^src\/cli\/.*\.ts$/)
      .filter(({ path }) => !path.endsWith('.test.ts') && !exceptions.has(path))
      .filter(({ text }) =>
        /\bconsole\.\w+\(|process\.std(out|err)\.write/.test(text.replaceAll(/^ \*.*$/gm, '')),
      )
      .map(({ path }) => path)
    expect(printing).toEqual([])
  })
})
