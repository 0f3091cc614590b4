import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { exitCodes, runCommand } from '../src/cli/command.ts'
import { charts } from './pictures/charts.ts'
import { readmePictures } from './pictures/readme-pictures.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Has the browser tests save a picture of every view. Their output goes to stderr, because stdout is for results. */
function picturesOfViews(folder: string): Promise<number> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const child = spawn(process.execPath, [vitest, 'run', 'test/studio/looks.test.ts'], {
    cwd: root,
    env: { ...process.env, STUDIO_PICTURES: folder },
    stdio: ['ignore', process.stderr, process.stderr],
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => resolve(code ?? 1))
  })
}

await runCommand({
  name: 'npm run pictures --',
  summary:
    'Takes pictures of every view of the page, light and dark, wide and narrow, into artifacts/pictures. Build first.',
  options: {
    readme: {
      type: 'boolean',
      about:
        'instead, take the pictures of README.md and docs/ into docs/pictures: a call of the demo, and its close',
    },
    charts: {
      type: 'boolean',
      about:
        'instead, draw the charts of docs/pictures from bench/published, which has what `npm run bench -- NAME --json` printed',
    },
  },
  run: async ({ readme, charts: onlyCharts, json }) => {
    const folder = readme || onlyCharts ? 'docs/pictures' : 'artifacts/pictures'
    mkdirSync(join(root, folder), { recursive: true })
    let failed = false
    const bytes: Record<string, number> = {}
    if (readme || onlyCharts)
      for (const [name, picture] of onlyCharts
        ? charts(join(root, 'bench/published'))
        : await readmePictures()) {
        writeFileSync(join(root, folder, name), picture)
        bytes[name] = picture.length
      }
    else failed = (await picturesOfViews(folder)) !== 0
    if (json) console.log(JSON.stringify({ ok: !failed, folder, bytes }))
    else {
      for (const [name, size] of Object.entries(bytes)) console.log(`${name}  ${Math.round(size / 1_000)} kB`)
      console.log(failed ? 'the tests of the page failed' : `the pictures are in ${folder}`)
    }
    return failed ? exitCodes.failed : exitCodes.ok
  },
})
