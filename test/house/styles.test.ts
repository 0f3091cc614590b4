import { describe, expect, it } from 'vitest'

import { magicValues, strayProperties, strayStyleSheets, unusedClasses } from './styles.ts'
import { read, sources } from './tree.ts'

const sheet = (text: string, path = 'studio/src/a.css') => ({ path, text })
const component = (text: string, path = 'studio/src/a.tsx') => ({ path, text })

describe('magic values', () => {
  it.each([
    ['color: #fff;', '#fff'],
    ['border: 1px solid #a1b2c3;', '#a1b2c3'],
    ['background: rgb(1 2 3 / 4%);', 'rgb('],
    ['background: color-mix(in oklab, var(--a) 40%, var(--b));', 'color-mix('],
    ['color: light-dark(white, black);', 'light-dark('],
    ['padding: 3px 0;', '3px'],
    ['margin-left: 0.5em;', '0.5em'],
    ['gap: 7px;', '7px'],
    ['font-size: 13px;', '13px'],
    ['border-radius: 4px;', '4px'],
  ])('are found in %s', (line, magic) => {
    expect(magicValues(sheet(`.a {\n  ${line}\n}`))).toEqual([
      `studio/src/a.css has ${magic} in ${line.split(':')[0]}: use a token`,
    ])
  })

  it.each([
    'color: var(--ink);',
    'padding: var(--space-1) 0;',
    'padding: 1px var(--space-4);',
    'padding-left: calc(30px + var(--space-9));',
    'width: 30px;',
    'border: 1.5px solid var(--bad);',
    '/* color: #fff; */',
  ])('are not found in %s', (line) => {
    expect(magicValues(sheet(`.a {\n  ${line}\n}`))).toEqual([])
  })

  it('include breakpoints other than the common ones', () => {
    expect(magicValues(sheet('@media (width < 760px) {\n}'))).toEqual([])
    expect(magicValues(sheet('@media (prefers-reduced-motion: reduce) {\n}'))).toEqual([])
    expect(magicValues(sheet('@media (width < 700px) {\n}'))).toHaveLength(1)
  })
})

describe('unused styles', () => {
  it('are classes that no component has', () => {
    const sheets = [sheet('.a {\n  .b-c,\n  &.d {\n    top: 0.5px;\n  }\n}\n/* .e */')]
    expect(unusedClasses(sheets, [component('<p class={`a ${x}`}><b class="b-c" /></p>')])).toEqual([
      'studio/src/a.css has .d, which is unused',
    ])
  })

  it('are custom properties that are only defined, and missing ones are only used', () => {
    const sheets = [
      sheet(':root {\n  --a: 1px;\n  --b: var(--a);\n}\n.a {\n  top: var(--c);\n  left: var(--d);\n}'),
    ]
    expect(strayProperties(sheets, [component(`style={{ '--c': '1' }}`)])).toEqual([
      '--d is used, and not defined',
      '--b is defined, and not used',
    ])
    const user = component(`style={{ '--c': '1', color: 'var(--b)' }}`)
    expect(strayProperties(sheets, [user])).toEqual(['--d is used, and not defined'])
  })

  it('are style sheets that the component beside them does not import', () => {
    expect(strayStyleSheets([sheet('')], [component(`import './a.css'`)])).toEqual([])
    expect(strayStyleSheets([sheet('')], [component('')])).toHaveLength(1)
    expect(strayStyleSheets([sheet('')], [component(`import './a.css'`, 'studio/src/b.tsx')])).toHaveLength(1)
  })
})

describe('the style sheets of the page', () => {
  const sheets = sources(/^studio\/src\/.*\.css$/)
  const components = sources(/^studio\/src\/.*\.tsx?$/)
  const tokens = 'studio/src/styles/tokens.css'

  it('take colours, sizes and breakpoints from the tokens', () => {
    expect(sheets.map(({ path }) => path)).toContain(tokens)
    expect(sheets.filter(({ path }) => path !== tokens).flatMap(magicValues)).toEqual([])
  })

  it('have no unused class and no unused token', () => {
    expect(unusedClasses(sheets, components)).toEqual([])
    expect(strayProperties(sheets, components)).toEqual([])
  })

  it('belong to the component beside them, except the common ones', () => {
    const own = sheets.filter(({ path }) => !path.startsWith('studio/src/styles/'))
    expect(strayStyleSheets(own, components)).toEqual([])
  })

  it('agree with the theme colour of the page', () => {
    const [, light, dark] = /--paper: light-dark\((#\w+), (#\w+)\)/.exec(read(tokens)) ?? []
    const page = read('studio/index.html')
    expect(page).toContain(`content="${light}" media="(prefers-color-scheme: light)"`)
    expect(page).toContain(`content="${dark}" media="(prefers-color-scheme: dark)"`)
  })
})
