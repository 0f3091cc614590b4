import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { exitCodes, runCommand } from '../src/cli/command.ts'
import { checkSite } from './docs/check-site.ts'
import { root, sitePages } from './docs/pages.ts'
import { serveSite } from './docs/serve-site.ts'
import { OwnPackages } from './own-packages.ts'

const site = join(root, 'site')
const staged = join(site, 'artifacts')
const built = join(root, 'artifacts/docs')

/** Writes the pages from which the site is built. */
function stage(): number {
  const { pages, sections } = sitePages()
  rmSync(staged, { recursive: true, force: true })
  for (const [path, text] of pages) {
    mkdirSync(dirname(join(staged, path)), { recursive: true })
    writeFileSync(join(staged, path), text)
  }
  writeFileSync(join(staged, 'sections.json'), JSON.stringify(sections))
  cpSync(join(root, 'docs/pictures'), join(staged, 'public/pictures'), { recursive: true })
  return pages.size
}

/** Builds the site from the staged pages. Output goes to stderr, because stdout is for results. */
function build(base: string): Promise<void> {
  const vitepress = join(site, 'node_modules/vitepress/bin/vitepress.js')
  const child = spawn(process.execPath, [vitepress, 'build', site], {
    cwd: site,
    env: { ...process.env, DOCS_BASE: base },
    stdio: ['ignore', process.stderr, process.stderr],
  })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`vitepress exited with ${code}`)),
    )
  })
}

await runCommand({
  name: 'npm run docs --',
  summary:
    'Builds the documentation site from docs/, the rules, the changelog and the built declarations (build first), into\n' +
    'artifacts/docs, and checks its links. Installs VitePress into site/ first.',
  options: {
    check: { type: 'boolean', about: 'also open every page in a browser: width, barriers, keyboard, search' },
    serve: { type: 'boolean', about: 'serve the built site until Ctrl-C' },
    port: { type: 'number', about: 'the port to serve it on', default: 4173 },
    base: { type: 'string', about: 'the path of the site on its server', default: '/' },
  },
  run: async ({ check, serve, port, base, json }) => {
    if (!existsSync(join(root, 'dist/index.d.ts'))) {
      console.error('There are no declarations in dist. Run `npm run build` first.')
      return exitCodes.failed
    }
    const pages = stage()
    await new OwnPackages(site).install()
    await build(base)
    const problems = await checkSite(built, base, check)
    if (json)
      console.log(JSON.stringify({ ok: problems.length === 0, pages, problems, folder: 'artifacts/docs' }))
    else {
      for (const problem of problems) console.log(problem)
      console.log(`${pages} pages in artifacts/docs, ${problems.length} problems`)
    }
    if (serve) {
      const server = await serveSite(built, base, port)
      console.log(`http://localhost:${server.port}${base}`)
      await server.closed
    }
    return problems.length === 0 ? exitCodes.ok : exitCodes.failed
  },
})
