import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { exitCodes, runCommand } from '../src/cli/command.ts'
import { releaseSection, sectionOf } from './release/changelog.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const changelog = join(root, 'CHANGELOG.md')

const read = (path: string): string => readFileSync(path, 'utf8')

/** `npm create endwell`, which depends on the same version. */
const starter = join(root, 'create-endwell/package.json')

/** Writes the version into both package.json, package-lock.json and CHANGELOG.md. */
function prepare(version: string): string[] {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) throw new Error(`'${version}' is not a version like 0.2.0`)
  const today = new Date().toISOString().slice(0, 10)
  writeFileSync(changelog, releaseSection(read(changelog), version, today))
  const args = ['version', '--no-git-tag-version', '--allow-same-version', version]
  execFileSync('npm', args, { cwd: root, stdio: 'ignore', shell: process.platform === 'win32' })
  const manifest = JSON.parse(read(starter)) as { dependencies: object }
  const dependencies = { ...manifest.dependencies, endwell: version }
  writeFileSync(starter, `${JSON.stringify({ ...manifest, version, dependencies }, undefined, 2)}\n`)
  return [
    `package.json and CHANGELOG.md have version ${version}. Review the changes, then:`,
    `  git commit -am 'release: ${version}' && git tag v${version} && git push origin main v${version}`,
  ]
}

/** The notes of a tagged version. Throws if the tag is not the version in package.json. */
function notesOf(tag: string): string[] {
  const { version } = JSON.parse(read(join(root, 'package.json'))) as { readonly version: string }
  if (tag !== `v${version}`) throw new Error(`The tag is ${tag}, and package.json has version ${version}`)
  const notes = sectionOf(read(changelog), version)
  if (notes === undefined) throw new Error(`CHANGELOG.md has no section for ${version}`)
  return [notes]
}

await runCommand({
  name: 'npm run release --',
  summary:
    'Prepares a release: writes the version into package.json, and turns "Unreleased" of CHANGELOG.md into its section.\n' +
    'The workflow that publishes a pushed tag uses --notes to check the tag and to print that section.',
  argument: { name: 'VERSION', about: 'the new version, such as 0.2.0' },
  options: { notes: { type: 'string', about: 'print the notes of this tag, such as v0.2.0' } },
  async run({ argument, notes, json }) {
    if ((argument === undefined) === (notes === undefined)) {
      console.error('Give a VERSION, or --notes\nSee npm run release -- --help')
      return exitCodes.misuse
    }
    try {
      const lines = notes === undefined ? prepare(argument ?? '') : notesOf(notes)
      console.log(json ? JSON.stringify({ ok: true, lines }) : lines.join('\n'))
      return exitCodes.ok
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      if (json) console.log(JSON.stringify({ ok: false, error: message }))
      else console.error(message)
      return exitCodes.failed
    }
  },
})
