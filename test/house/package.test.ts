import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import {
  brokenLinks,
  privatePaths,
  registryAddresses,
  testFiles,
  tooLarge,
} from '../../tools/package/contents.ts'
import { installScripts } from '../../tools/package/lockfile.ts'
import { wrongTypes } from '../../tools/package/resolved-types.ts'
import { deadSubpaths, layOut } from '../../tools/package/subpaths.ts'
import { readTarball, type Files } from '../../tools/package/tarball.ts'
import { root } from './tree.ts'

const run = promisify(execFile)
const pack = (files: Record<string, string>): Files =>
  new Map(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]))

let folder = ''
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'endwell-package-test-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('reading a tarball', () => {
  it('gives the files that npm packed, however long their paths are', async () => {
    const long = `dist/${'deep/'.repeat(20)}name.js`
    const longer = `dist/${'deep/'.repeat(30)}${'name-'.repeat(25)}é.js`
    const files = {
      'package.json': JSON.stringify({ name: 'small', version: '1.0.0' }),
      'dist/empty.js': '',
      'dist/large.js': '// '.padEnd(5_000, 'x'),
      [long]: 'export {}',
      [longer]: 'export {}',
    }
    const source = join(folder, 'source')
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(source, path)), { recursive: true })
      writeFileSync(join(source, path), text)
    }
    const cli = process.env['npm_execpath']
    const args = ['pack', source, '--pack-destination', folder]
    await (cli === undefined ? run('npm', args) : run(process.execPath, [cli, ...args]))
    const name = readdirSync(folder).find((file) => file.endsWith('.tgz')) ?? ''
    const read = [...readTarball(readFileSync(join(folder, name)))]
    expect(
      Object.fromEntries(read.map(([path, content]) => [path, Buffer.from(content).toString()])),
    ).toEqual(files)
  })
})

describe('the contents of a package', () => {
  it('include no tests', () => {
    const files = pack({
      'src/a.ts': '',
      'src/a.test.ts': '',
      'dist/a.test.d.ts': '',
      'test/b.js': '',
      'dist/testing/c.js': '',
    })
    expect(testFiles(files)).toEqual(['src/a.test.ts', 'dist/a.test.d.ts', 'test/b.js'])
  })

  it('include no path of this machine', () => {
    const folders = ['/home/jo/endwell/', '/people', '/']
    const bad = ['a /home/jo/endwell/src', '"/people/x"', 'file:///people/x', '/people']
    const fine = ['/home/jo/endwell-2', './people/x', 'a/people/x', '/peoples', 'https://example.com/people']
    for (const text of bad) expect(privatePaths(pack({ a: text }), folders), text).toHaveLength(1)
    for (const text of fine) expect(privatePaths(pack({ a: text }), folders), text).toEqual([])
  })

  it('include no address of a registry, neither a public one nor the one in use', () => {
    const files = pack({
      a: 'https://registry.example.com/x',
      b: 'http://packages.example:4873/x',
      c: '//localhost/',
    })
    expect(registryAddresses(files, 'http://packages.example:4873/')).toHaveLength(2)
    expect(registryAddresses(files, 'http://localhost/')).toEqual(['a contains //registry.example.com'])
  })

  it('have links that lead to packed files, or that are absolute', () => {
    const files = pack({
      'README.md': '[a](docs/a.md) [b](CONTRIBUTING.md) [c](https://example.com/c.md)',
      'docs/a.md': '[readme](../README.md) ![picture](a.png)',
      'dist/index.js': '// [d](d.md)',
    })
    expect(brokenLinks(files)).toEqual([
      'README.md links to CONTRIBUTING.md, which does not exist',
      'docs/a.md links to a.png, which does not exist',
    ])
  })

  it('have a size limit', () => {
    expect(tooLarge(pack({ a: '12', b: '345' }), 5)).toEqual([])
    expect(tooLarge(pack({ a: '12', b: '3456' }), 5)).toEqual([
      '6 bytes unpacked, more than maxUnpackedBytes: 5',
    ])
  })
})

describe('install scripts', () => {
  it('are found in the packages that users install', () => {
    const packages = {
      '': {},
      'node_modules/a': { hasInstallScript: true },
      'node_modules/b': { hasInstallScript: true, dev: true },
      'node_modules/c': {},
    }
    expect(installScripts({ packages })).toEqual(['node_modules/a has an install script'])
  })
})

describe('types', () => {
  it('are wrong if they do not resolve like the code, for Node or for a bundler', async () => {
    const entry = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` })
    const exports = { '.': entry('index'), './untyped': './dist/untyped.js', './styles.css': './styles.css' }
    const files = pack({
      'dist/index.js': `export const a = 1`,
      'dist/index.d.ts': `export declare const a: number`,
      'dist/untyped.js': `export const b = 1`,
      'styles.css': '',
    })
    const manifest = { name: 'small', version: '1.0.0', type: 'module', exports }
    expect(await wrongTypes(files, manifest)).toEqual([
      './untyped in node16-esm: No types',
      './untyped in bundler: No types',
    ])
    const commonjs = {
      ...manifest,
      type: 'commonjs',
      exports: { '.': { types: './dist/index.d.mts', default: './dist/index.js' } },
    }
    const mixed = pack({
      'dist/index.js': `exports.a = 1`,
      'dist/index.d.mts': `export declare const a: number`,
    })
    expect(await wrongTypes(mixed, commonjs)).toEqual([
      '/node_modules/small/dist/index.d.mts: Masquerading as ESM',
    ])
  })
})

describe('subpaths', () => {
  it('are dead if they cannot be imported or export nothing', async () => {
    const exports = Object.fromEntries(
      ['fine', 'empty', 'missing', 'broken', 'dev'].map((name) => [`./${name}`, `./${name}.js`]),
    )
    const manifest = {
      name: 'small',
      type: 'module',
      exports: { ...exports, './package.json': './package.json', './all/*': './*.js' },
      dependencies: { 'fast-check': '*' },
    }
    const files = pack({
      'package.json': JSON.stringify(manifest),
      'fine.js': `import 'fast-check'; export const a = 1`,
      'empty.js': `globalThis.a = 1`,
      'broken.js': `throw new Error('no')`,
      'dev.js': `import 'publint'; export const a = 1`,
    })
    layOut(folder, files, manifest, join(root, 'node_modules'))
    expect(await deadSubpaths(folder, manifest)).toEqual([
      'small/empty has no exports',
      expect.stringContaining('small/missing cannot be imported: Error [ERR_MODULE_NOT_FOUND]'),
      'small/broken cannot be imported: Error: no',
      expect.stringContaining(`Cannot find package 'publint'`),
      'small/all/* is a pattern: list each subpath instead',
    ])
  })

  it('are dead if they keep their process alive', async () => {
    const manifest = { name: 'busy', type: 'module', exports: { '.': './busy.js' } }
    const files = pack({
      'package.json': JSON.stringify(manifest),
      'busy.js': 'export const a = setInterval(() => {}, 1_000)',
    })
    layOut(folder, files, manifest, join(root, 'node_modules'))
    expect(await deadSubpaths(folder, manifest, 500)).toEqual([
      'busy kept its process alive for more than 500 ms',
    ])
  })
})
