import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateSync, inflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

import { charts } from '../../tools/pictures/charts.ts'
import { decodePng, encodePng, type Pixels } from '../../tools/pictures/png.ts'
import { linksOf } from './markdown.ts'
import { paths, read, root } from './tree.ts'

const pixels = (...colours: number[]): Pixels => ({
  width: 2,
  height: colours.length / 2,
  colours: Uint32Array.from(colours),
})

/** The types of the chunks of a PNG, with their bodies. */
function chunksOf(png: Buffer): { type: string; body: Buffer }[] {
  const chunks: { type: string; body: Buffer }[] = []
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12)
    chunks.push({
      type: png.toString('latin1', at + 4, at + 8),
      body: png.subarray(at + 8, at + 8 + png.readUInt32BE(at)),
    })
  return chunks
}

/** A PNG as a browser writes it: RGB, with the given filter for each row. */
function browserPng(width: number, rows: readonly (readonly number[])[]): Buffer {
  const png = encodePng([{ pixels: pixels(0, 0), duration: 0 }])
  const header = Buffer.from(chunksOf(png)[0]!.body)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(rows.length, 4)
  header[9] = 2
  const data = deflateSync(Buffer.from(rows.flat()))
  const chunk = (type: string, body: Buffer): Buffer => {
    const length = Buffer.alloc(4)
    length.writeUInt32BE(body.length)
    return Buffer.concat([length, Buffer.from(type, 'latin1'), body, Buffer.alloc(4)])
  }
  return Buffer.concat([png.subarray(0, 8), chunk('IHDR', header), chunk('IDAT', data)])
}

describe('a picture of a browser', () => {
  it('is decoded whichever filters its rows have', () => {
    const png = browserPng(2, [
      [0, 1, 2, 3, 4, 5, 6],
      [1, 1, 1, 1, 1, 1, 1],
      [2, 1, 1, 1, 1, 1, 1],
      [3, 1, 1, 1, 1, 1, 1],
      [4, 1, 1, 1, 1, 1, 1],
    ])
    const { colours } = decodePng(png)
    expect([...colours].map((colour) => colour.toString(16).padStart(6, '0'))).toEqual([
      '010203',
      '040506',
      '010101',
      '020202',
      '020202',
      '030303',
      '020202',
      '030303',
      '030303',
      '040404',
    ])
  })
})

describe('an animation', () => {
  it('has the whole first picture, and of each other one only what changed', () => {
    const shots = [
      { pixels: pixels(1, 2, 3, 4), duration: 100 },
      { pixels: pixels(1, 2, 3, 5), duration: 250 },
    ]
    const chunks = chunksOf(encodePng(shots))
    expect(chunks.map(({ type }) => type)).toEqual([
      'IHDR',
      'acTL',
      'PLTE',
      'fcTL',
      'IDAT',
      'fcTL',
      'fdAT',
      'IEND',
    ])
    const [, second] = chunks.filter(({ type }) => type === 'fcTL')
    const numbers = [0, 4, 8, 12, 16].map((at) => second!.body.readUInt32BE(at))
    expect(numbers).toEqual([1, 1, 1, 1, 1])
    expect(second!.body.readUInt16BE(20)).toBe(250)
  })

  it('shows a colour that does not fit into the palette as the nearest one', () => {
    // The colours 0x000000 to 0x0003fc occur twice, and 0x000400 once: it is nearest to 0x000300.
    const often = Array.from({ length: 256 }, (_, index) => index * 4)
    const chunks = chunksOf(encodePng([{ pixels: pixels(...often, ...often, 0x400, 0), duration: 0 }]))
    const bodyOf = (wanted: string): Buffer => chunks.find(({ type }) => type === wanted)!.body
    const [, index] = inflateSync(bodyOf('IDAT')).subarray(-3)
    expect(bodyOf('PLTE').length).toBe(3 * 256)
    expect([...bodyOf('PLTE').subarray(3 * index!, 3 * index! + 3)]).toEqual([0, 3, 0])
  })
})

describe('the pictures of the docs', () => {
  const pictures = paths('docs/pictures')

  it('are light and dark, shown by a page, and small', () => {
    const schemes = /-(light|dark)(?=\.(png|svg)$)/
    const names = new Set(pictures.map((path) => path.replace(schemes, '')))
    const pairs = [...names].flatMap((name) => ['-dark.', '-light.'].map((end) => name.replace('.', end)))
    expect(pictures).toEqual(pairs)
    const pages = paths('docs').filter((path) => path.endsWith('.md'))
    const inDocs = pages.flatMap((path) => linksOf(read(path)).map((target) => `docs/${target}`))
    const shown = new Set([...linksOf(read('README.md')), ...inDocs])
    expect(pictures.filter((path) => !shown.has(path))).toEqual([])
    for (const path of pictures) expect(readFileSync(root + path).length).toBeLessThan(1_500_000)
  })

  it('include the charts of benchmarks, as `npm run pictures -- --charts` draws them from bench/published', () => {
    for (const [name, chart] of charts(join(root, 'bench/published')))
      expect(readFileSync(join(root, 'docs/pictures', name), 'utf8')).toBe(chart.toString('utf8'))
  })

  it('include one that moves', () => {
    const moving = pictures.filter(
      (path) =>
        path.endsWith('.png') && chunksOf(readFileSync(root + path)).some(({ type }) => type === 'acTL'),
    )
    expect(moving).toEqual(['docs/pictures/close-dark.png', 'docs/pictures/close-light.png'])
  })
})
