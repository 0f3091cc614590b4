import { accessSync, constants } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { projectFiles } from '../../src/cli/init/project.ts'

import {
  blocksOf,
  brokenAnchors,
  brokenLinks,
  missingScripts,
  staleExamples,
  testCommands,
  unprovenBlocks,
} from './markdown.ts'
import { manifest, paths, read, root, sources } from './tree.ts'

const page = (...lines: string[]) => ({ path: 'docs/page.md', text: lines.join('\n') })

describe('an example in a page', () => {
  const files: Record<string, string> = {
    'examples/whole.ts': `import 'endwell'\nrun()\n`,
    'examples/part.ts': `setUp()\n// #region shown\nrun()\n// #endregion\ntearDown()\n`,
    'examples/parts.ts': `// #region one\na()\n// #endregion\n// #region two\nb()\n// #endregion\n`,
  }
  const stale = (...lines: string[]): string[] => staleExamples(page(...lines), (path) => files[path])

  it('shows the file, or the region that the file marks', () => {
    expect(stale('<!-- examples/whole.ts -->', '```ts', `import 'endwell'`, 'run()', '```')).toEqual([])
    expect(stale('<!-- examples/part.ts -->', '', '```ts', 'run()', '```')).toEqual([])
  })

  it('shows the region with the given name', () => {
    expect(stale('<!-- examples/parts.ts#two -->', '```ts', 'b()', '```')).toEqual([])
    expect(stale('<!-- examples/parts.ts#two -->', '```ts', 'a()', '```')).toHaveLength(1)
    expect(stale('<!-- examples/parts.ts#three -->', '```ts', 'a()', '```')).toEqual([
      'docs/page.md:2 shows examples/parts.ts#three, which does not exist',
    ])
  })

  it('can be required for every block of TypeScript', () => {
    expect(
      unprovenBlocks(page('```sh', 'ls', '```', '<!-- examples/a.ts -->', '```ts', 'a()', '```')),
    ).toEqual([])
    expect(unprovenBlocks(page('Text.', '```ts', 'a()', '```'))).toEqual(['docs/page.md:2 names no example'])
  })

  it('is stale if it differs from the file, or if the file does not exist', () => {
    expect(stale('', '<!-- examples/whole.ts -->', '```ts', 'run()', '```')).toEqual([
      'docs/page.md:3 differs from examples/whole.ts',
    ])
    expect(stale('<!-- examples/part.ts -->', '```ts', 'setUp()', 'run()', 'tearDown()', '```')).toHaveLength(
      1,
    )
    expect(stale('<!-- examples/part.ts -->', '```ts', '  run()', '```')).toEqual([])
    expect(stale('<!-- examples/gone.ts -->', '```ts', 'run()', '```')).toEqual([
      'docs/page.md:2 shows examples/gone.ts, which does not exist',
    ])
  })

  it('is missing if no block of TypeScript follows the comment that names it', () => {
    expect(stale('<!-- examples/whole.ts -->', 'Some text.', '```ts', 'run()', '```')).toHaveLength(1)
    expect(stale('<!-- examples/whole.ts -->', '```sh', 'npm test', '```')).toHaveLength(1)
    expect(stale('<!-- a comment -->', '```ts', 'run()', '```')).toEqual([])
    expect(stale('````md', '<!-- examples/gone.ts -->', '```ts', 'run()', '```', '````')).toEqual([])
  })
})

describe('npm scripts in a page', () => {
  it('must be in package.json', () => {
    const text = [
      'Use `npm run sim -- --seeds 5`, or',
      '```sh',
      'npm run check:types',
      '```',
      'npm run bench.',
    ]
    expect(missingScripts(page(...text), ['sim', 'check:types', 'bench'])).toEqual([])
    expect(missingScripts(page(...text), ['check', 'bench'])).toEqual([
      'docs/page.md says npm run sim, which is not in package.json',
      'docs/page.md says npm run check:types, which is not in package.json',
    ])
  })
})

describe('a link in a page', () => {
  const files = ['README.md', 'docs/page.md', 'docs/other page.md', 'src/scope/index.ts']

  it.each([
    '[a](other%20page.md)',
    '[a](../README.md#top)',
    '[a](../src/scope/)',
    '[a](/README.md)',
    '[a](#here)',
    '[a](https://example.com/gone.md)',
    '[a](mailto:jo@example.com)',
    '[a]: ./page.md',
    '`[a](gone.md)`',
    '<!-- [a](gone.md) -->',
    '```md\n[a](gone.md)\n```',
    '[^1]: a footnote',
    '[a](https://github.com/endwell/endwell/blob/main/README.md#top)',
    '[a](https://github.com/endwell/endwell/tree/main/src/scope)',
  ])('is valid: %s', (text) => {
    expect(brokenLinks(page(text), files)).toEqual([])
  })

  it.each([
    '[a](gone.md)',
    '![a](gone.png "title")',
    '[a](README.md)',
    '[a](../../elsewhere/README.md)',
    '[a](../src/sco)',
    '[a]: gone.md',
    '<img src="gone.png">',
    '[![a](gone.svg)](https://example.com)',
    '[a](https://example.com) [b](gone.md)',
    '[a](https://github.com/endwell/endwell/blob/main/gone.md)',
  ])('is broken: %s', (text) => {
    expect(brokenLinks(page(text), files)).toHaveLength(1)
  })
})

describe('a link to a heading', () => {
  const pages = new Map([
    ['docs/page.md', ''],
    [
      'docs/other.md',
      '# Who may call?\n\n```sh\n# not a heading\n```\n\n## `close()` & _abort_\n\n## Twice\n\n## Twice',
    ],
  ])

  it.each([
    '[a](other.md#who-may-call)',
    '[a](other.md#close--_abort_)',
    '[a](other.md#twice-1)',
    '[a](other.md)',
    '[a](elsewhere.md#gone)',
    '[a](https://example.com#gone)',
    '[a](https://github.com/endwell/endwell/blob/main/docs/other.md#twice)',
  ])('is valid: %s', (text) => {
    expect(brokenAnchors(page(text), pages)).toEqual([])
  })

  it.each([
    '[a](other.md#gone)',
    '[a](other.md#not-a-heading)',
    '[a](#here)',
    '[a](https://github.com/endwell/endwell/blob/main/docs/other.md#gone)',
  ])('is broken: %s', (text) => {
    expect(brokenAnchors(page(text), pages)).toHaveLength(1)
  })
})

describe('the test command of a page', () => {
  it('is the first line of code below a heading that mentions tests', () => {
    const text = [
      '# a',
      '```sh',
      'npm i',
      '```',
      '## Running the tests',
      '',
      '```sh',
      'npm ci && npm test',
      'more',
      '```',
    ]
    expect(testCommands(text.join('\n'))).toEqual(['npm ci && npm test'])
    expect(testCommands(text.slice(0, 4).join('\n'))).toEqual([])
  })
})

const newProject = projectFiles({ name: 'shop', line: 'browser', models: 'local', version: '1.2.3' })

describe('the quick start', () => {
  it('shows what is in a new project', () => {
    const shown = blocksOf(read('docs/quick-start.md')).blocks.flatMap(({ before, text }) => {
      const [, name] = /^<!-- (\S+) of a new project -->$/.exec(before) ?? []
      return name === undefined ? [] : [{ name, text }]
    })
    expect(shown.map(({ name }) => name)).toEqual(['agent.ts', 'agent.test.ts'])
    for (const { name, text } of shown) expect(newProject[name]).toContain(text.trim())
  })
})

describe('the pages of the repository', () => {
  const files = paths()
  const pages = sources(/\.md$/)
  const example = (path: string): string | undefined => (files.includes(path) ? read(path) : undefined)
  const readme = pages.find(({ path }) => path === 'README.md') ?? { path: 'README.md', text: '' }

  it('show the examples unchanged', () => {
    expect(pages.flatMap((each) => staleExamples(each, example))).toEqual([])
  })

  it('mention only npm scripts that exist', () => {
    const scripts = Object.keys(manifest.scripts)
    const { scripts: own } = JSON.parse(newProject['package.json']!) as { scripts: object }
    const texts = [...pages, ...sources(/^(\.ci\/run|\.github\/.*\.ya?ml)$/)]
    expect(texts.length).toBeGreaterThan(pages.length + 1)
    const knownTo = ({ path }: { path: string }): readonly string[] =>
      path === 'docs/quick-start.md' ? Object.keys(own) : scripts
    expect(texts.flatMap((each) => missingScripts(each, knownTo(each)))).toEqual([])
  })

  it('link to files that exist', () => {
    expect(pages.length).toBeGreaterThan(0)
    expect(pages.flatMap((each) => brokenLinks(each, files))).toEqual([])
  })

  it('show TypeScript that is compiled: an example, or what another test of the page runs', () => {
    const tested = new Set(['docs/quick-start.md', 'docs/scope.md', 'docs/testing.md'])
    const shown = pages.filter(({ path }) => /^(docs\/.*|README)\.md$/.test(path) && !tested.has(path))
    expect(shown.length).toBeGreaterThan(10)
    expect(shown.flatMap(unprovenBlocks)).toEqual([])
  })

  it('link to headings that exist', () => {
    const texts = new Map(pages.map(({ path, text }) => [path, text]))
    expect(pages.flatMap((each) => brokenAnchors(each, texts))).toEqual([])
  })

  it('say how to run the tests, and .ci/run does the same', () => {
    expect(testCommands(readme.text)).toContain('npm ci && npm test')
    expect(read('.ci/run')).toMatch(/^part npm ci\npart npm test$/m)
    expect(() => accessSync(`${root}.ci/run`, constants.X_OK)).not.toThrow()
  })
})
