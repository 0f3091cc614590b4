import { describe, expect, it } from 'vitest'
import { unreviewedScripts, unsupported, type Lockfile } from './dependencies.ts'
import { read } from './tree.ts'

const lockfile = (node: string): Lockfile => ({ packages: { 'node_modules/a': { engines: { node } } } })

describe('the packages of a lock file', () => {
  it.each([
    '*',
    '>=20',
    '>= 20.19',
    '20 || >=22',
    '^20.19.0 || >=22.12.0',
    '10.* || >= 12.*',
    '^20.0.0',
    '20.*',
  ])('support Node 20.19 if they need %s', (range) => {
    expect(unsupported(lockfile(range), '20.19.0')).toEqual([])
  })

  it.each(['>=22', '>=20.20', '^18 || >=22', '^18.0.0', '18 || 22', '^20.20.1'])(
    'do not support Node 20.19 if they need %s',
    (range) => {
      expect(unsupported(lockfile(range), '20.19.0')).toEqual([`node_modules/a needs Node ${range}`])
    },
  )

  it('have install scripts that package.json allows, denies, or does not mention', () => {
    const packages = {
      'node_modules/@a/b': { hasInstallScript: true },
      'node_modules/c/node_modules/d': { hasInstallScript: true },
      'node_modules/e': { hasInstallScript: true },
      'node_modules/f': {},
    }
    expect(unreviewedScripts({ packages }, { '@a/b': false, d: true })).toEqual(['e'])
  })
})

describe('`npm ci` of endwell prints no warnings', () => {
  const locked = JSON.parse(read('package-lock.json')) as Lockfile
  const { engines, allowScripts } = JSON.parse(read('package.json')) as {
    readonly engines: { readonly node: string }
    readonly allowScripts: Readonly<Record<string, boolean>>
  }

  it('because every package supports the oldest Node that endwell does', () => {
    expect(unsupported(locked, engines.node.replace('>=', ''))).toEqual([])
  })

  it('because every install script was reviewed', () => {
    expect(unreviewedScripts(locked, allowScripts)).toEqual([])
  })
})
