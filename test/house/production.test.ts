import { describe, expect, it } from 'vitest'
import { startSettings } from '../../src/cli/settings.ts'
import { commands } from '../../src/cli/endwell.ts'
import { hostExitCodes } from '../../src/host/index.ts'
import { read } from './tree.ts'

const page = read('docs/production.md')

/** The row of a setting, as docs/production.md must have it. */
const rows = Object.values(startSettings).map(({ name, flag, variable, about, default: preset }) => {
  const option = flag ? `\`--${name}\`` : ''
  return `| ${option} | \`${variable}\` | ${preset === undefined ? '' : `\`${preset}\``} | ${about} |`
})

describe('docs/production.md', () => {
  it('has a row for every setting, as in src/cli/settings.ts', () => {
    const [, table = ''] = page.split('| Option | Variable | Default | What it is |\n|---|---|---|---|\n')
    const [written = ''] = table.split('\n\n')
    expect(written.split('\n')).toEqual(rows)
  })

  it('has every exit code', () => {
    const codes = [...page.matchAll(/^\| (\d) \|/gm)].map(([, code]) => Number(code))
    expect(codes).toEqual([...Object.values(hostExitCodes), 2].toSorted((a, b) => a - b))
  })

  it('and README.md name every command', () => {
    for (const name of Object.keys(commands)) {
      expect(read('README.md'), name).toContain(`\`endwell ${name}`)
      if (!['init', 'dev', 'chat', 'talk', 'phone', 'call', 'hunt'].includes(name))
        expect(page, name).toContain(`endwell ${name}`)
    }
  })
})
