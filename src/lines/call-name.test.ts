import { expect, it } from 'vitest'
import { isCallName } from './call-name.ts'

it('[LN8] the names that carriers and our own code give to calls are accepted', () => {
  for (const name of [
    'CA00000000000000000000000000000001',
    'v3:T02ll-QxI_ya=',
    'a84b4c76@pc33.example.com',
    '7',
  ])
    expect(isCallName(name), name).toBe(true)
})

it('[LN8] names that could escape a folder, forge a log line or be taken for an option are refused', () => {
  const bad = [
    '',
    '.',
    '..',
    '../x',
    'a/b',
    'a\\b',
    '-x',
    'a b',
    'a\nb',
    '\u001b[2J',
    'é',
    'x'.repeat(201),
    7,
    null,
    {},
  ]
  for (const name of bad) expect(isCallName(name), JSON.stringify(name)).toBe(false)
})
