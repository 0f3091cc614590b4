import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'

import { apiReports, staleReports } from '../../tools/api/reports.ts'
import { reportOf } from '../../tools/api/surface.ts'

/** Writes declaration files into a folder of their own, and returns the path of the first. */
function declarations(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'endwell-api-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
  return join(folder, Object.keys(files)[0]!)
}

describe('an API report', () => {
  it('shows each exported name with its declaration, without comments and private members', () => {
    const file = declarations({
      'index.d.ts': `/** A cup. */\nexport declare class Cup {\n  #private;\n  private secret;\n  /** Fills it. */\n  fill(ml: number): void;\n}\nexport type Size = 'small' | 'large';\n`,
    })
    expect(reportOf('cups', file)).toBe(
      `# cups: 2 names\n\n## Cup\n\nclass Cup {\n  fill(ml: number): void;\n}\n\n## Size\n\ntype Size = 'small' | 'large';\n`,
    )
  })

  it('follows re-exports to the file that declares the name, and keeps all overloads', () => {
    const file = declarations({
      'index.d.ts': `export { pour as serve } from './pour.ts';\nexport * from './size.ts';\n`,
      'pour.d.ts': `export declare function pour(ml: number): void;\nexport declare function pour(size: string): void;\n`,
      'size.d.ts': `import { Big } from './big.ts';\nexport { Big as Size };\n`,
      'big.d.ts': `export interface Big { ml: number }\n`,
    })
    expect(reportOf('cups', file)).toContain(
      '## Size\n\ninterface Big { ml: number }\n\n## serve\n\nfunction pour(ml: number): void;\n\nfunction pour(size: string): void;',
    )
  })
})

describe('the API reports of endwell', () => {
  const reports = apiReports()

  it('are as committed: run `npm run build && npm run api`, and review the difference', () => {
    expect(staleReports(reports)).toEqual([])
  })

  it('have few enough names at the main entry point for a newcomer to read', () => {
    expect(Number(/: (\d+) names/.exec(reports.get('endwell.txt')!)?.[1])).toBeLessThanOrEqual(50)
  })
})
