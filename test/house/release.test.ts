import { describe, expect, it } from 'vitest'
import { releaseSection, sectionOf } from '../../tools/release/changelog.ts'
import { manifest, read } from './tree.ts'

const changelog = '# Changelog\n\n## Unreleased\n\n- Two.\n\n## 0.1.0 (2026-01-02)\n\n### Scope\n\n- One.\n'

describe('a changelog', () => {
  it('has sections by version', () => {
    expect(sectionOf(changelog, 'Unreleased')).toBe('- Two.')
    expect(sectionOf(changelog, '0.1.0')).toBe('### Scope\n\n- One.')
    expect(sectionOf(changelog, '0.1')).toBeUndefined()
  })

  it('gets a section for a release, and an empty one for the next', () => {
    const released = releaseSection(changelog, '0.2.0', '2026-03-04')
    expect(released).toContain('## Unreleased\n\n## 0.2.0 (2026-03-04)\n\n- Two.\n\n## 0.1.0')
    expect(sectionOf(released, '0.2.0')).toBe('- Two.')
    expect(sectionOf(released, 'Unreleased')).toBeUndefined()
  })

  it('refuses a release that exists, or that changes nothing', () => {
    expect(() => releaseSection(changelog, '0.1.0', '2026-03-04')).toThrow('has 0.1.0 already')
    const released = releaseSection(changelog, '0.2.0', '2026-03-04')
    expect(() => releaseSection(released, '0.3.0', '2026-03-05')).toThrow('no changes')
  })
})

it('the changelog of endwell has a section for the version in package.json, and starts with the unreleased changes', () => {
  const text = read('CHANGELOG.md')
  expect(sectionOf(text, manifest.version)).toBeDefined()
  expect(/^## (.*)$/m.exec(text)?.[1]).toBe('Unreleased')
})
