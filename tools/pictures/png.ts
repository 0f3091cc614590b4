import { crc32, deflateSync, inflateSync } from 'node:zlib'

/** Pixels as `0xRRGGBB`, row by row. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly colours: Uint32Array
}

/** A picture of an animation, and how long it is shown, in milliseconds. */
export interface Shot {
  readonly pixels: Pixels
  readonly duration: number
}

const signature = Buffer.from('89504e470d0a1a0a', 'hex')
const LARGEST_PALETTE = 256

/** Decodes a PNG as a browser writes it: 8 bits per channel, RGB or RGBA, not interlaced. Transparency is ignored. */
export function decodePng(bytes: Buffer): Pixels {
  let [width, height, channels] = [0, 0, 3]
  const data: Buffer[] = []
  for (let at = signature.length; at < bytes.length;) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    const body = bytes.subarray(at + 8, at + 8 + length)
    if (type === 'IHDR') {
      ;[width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)]
      const [depth, kind, , , interlaced] = body.subarray(8)
      if (depth !== 8 || (kind !== 2 && kind !== 6) || interlaced !== 0)
        throw new Error(`cannot read a PNG of kind ${kind} with ${depth} bits`)
      channels = kind === 6 ? 4 : 3
    }
    if (type === 'IDAT') data.push(body)
    at += length + 12
  }
  const rows = unfiltered(inflateSync(Buffer.concat(data)), width * channels, channels)
  const colours = new Uint32Array(width * height)
  for (let pixel = 0; pixel < colours.length; pixel++) {
    const at = pixel * channels
    colours[pixel] = (rows[at]! << 16) | (rows[at + 1]! << 8) | rows[at + 2]!
  }
  return { width, height, colours }
}

/** Undoes the filter of each row: a byte is stored as its difference from its neighbours. */
function unfiltered(data: Buffer, stride: number, channels: number): Uint8Array {
  const rows = new Uint8Array((data.length / (stride + 1)) * stride)
  for (let from = 0, to = 0; to < rows.length; from += stride + 1, to += stride) {
    const filter = data[from]!
    for (let x = 0; x < stride; x++) {
      const left = x < channels ? 0 : rows[to + x - channels]!
      const up = to === 0 ? 0 : rows[to + x - stride]!
      const corner = x < channels || to === 0 ? 0 : rows[to + x - stride - channels]!
      rows[to + x] = data[from + 1 + x]! + predicted(filter, left, up, corner)
    }
  }
  return rows
}

function predicted(filter: number, left: number, up: number, corner: number): number {
  if (filter === 0) return 0
  if (filter === 1) return left
  if (filter === 2) return up
  if (filter === 3) return (left + up) >> 1
  const estimate = left + up - corner
  const [toLeft, toUp, toCorner] = [left, up, corner].map((each) => Math.abs(estimate - each)) as [
    number,
    number,
    number,
  ]
  if (toLeft <= toUp && toLeft <= toCorner) return left
  return toUp <= toCorner ? up : corner
}

/**
 * Encodes pictures of the same size with one palette of 256 colours: one as a PNG, several as an animated PNG that repeats. Each
 * picture after the first has only the rectangle that changed.
 */
export function encodePng(shots: readonly Shot[]): Buffer {
  const { width, height } = shots[0]!.pixels
  const { palette, indexOf } = paletteOf(shots)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  const frames = shots.map(({ pixels }) => Uint8Array.from(pixels.colours, (colour) => indexOf.get(colour)!))
  const chunks = [chunk('IHDR', header)]
  if (shots.length > 1) chunks.push(chunk('acTL', numbers(shots.length, 0)))
  chunks.push(chunk('PLTE', palette))
  let sequence = 0
  for (const [index, frame] of frames.entries()) {
    const previous = frames[index - 1]
    const area = previous ? changedArea(previous, frame, width) : { x: 0, y: 0, width, height }
    if (shots.length > 1) chunks.push(chunk('fcTL', control(sequence++, area, shots[index]!.duration)))
    const data = packed(frame, width, area)
    if (index === 0) chunks.push(chunk('IDAT', data))
    else chunks.push(chunk('fdAT', Buffer.concat([numbers(sequence++), data])))
  }
  return Buffer.concat([signature, ...chunks, chunk('IEND', Buffer.alloc(0))])
}

interface Area {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** The smallest rectangle with all pixels that differ; one pixel if none does. */
function changedArea(before: Uint8Array, after: Uint8Array, width: number): Area {
  let [left, top, right, bottom] = [width, Infinity, 0, 0]
  for (let at = 0; at < after.length; at++) {
    if (before[at] === after[at]) continue
    const [x, y] = [at % width, Math.floor(at / width)]
    left = Math.min(left, x)
    right = Math.max(right, x)
    top = Math.min(top, y)
    bottom = y
  }
  if (top === Infinity) return { x: 0, y: 0, width: 1, height: 1 }
  return { x: left, y: top, width: right - left + 1, height: bottom - top + 1 }
}

function packed(frame: Uint8Array, stride: number, { x, y, width, height }: Area): Buffer {
  const rows = Buffer.alloc((width + 1) * height)
  for (let row = 0; row < height; row++) {
    const from = (y + row) * stride + x
    rows.set(frame.subarray(from, from + width), row * (width + 1) + 1)
  }
  return deflateSync(rows, { level: 9, memLevel: 9 })
}

function control(sequence: number, { x, y, width, height }: Area, duration: number): Buffer {
  const rest = Buffer.alloc(6)
  rest.writeUInt16BE(Math.round(duration), 0)
  rest.writeUInt16BE(1_000, 2)
  return Buffer.concat([numbers(sequence, width, height, x, y), rest])
}

/** The 256 colours that occur most often. Each other colour is shown as the nearest of them. */
function paletteOf(shots: readonly Shot[]): { palette: Buffer; indexOf: ReadonlyMap<number, number> } {
  const counts = new Map<number, number>()
  for (const { pixels } of shots)
    for (const colour of pixels.colours) counts.set(colour, (counts.get(colour) ?? 0) + 1)
  const byCount = [...counts].toSorted(([, a], [, b]) => b - a).map(([colour]) => colour)
  const chosen = byCount.slice(0, LARGEST_PALETTE)
  const palette = Buffer.from(chosen.flatMap(channelsOf))
  return { palette, indexOf: new Map(byCount.map((colour) => [colour, nearest(colour, chosen)])) }
}

const channelsOf = (colour: number): [number, number, number] => [
  colour >> 16,
  (colour >> 8) & 255,
  colour & 255,
]

function nearest(colour: number, chosen: readonly number[]): number {
  const [r, g, b] = channelsOf(colour)
  let [best, least] = [0, Infinity]
  for (const [index, candidate] of chosen.entries()) {
    const distance =
      ((candidate >> 16) - r) ** 2 + (((candidate >> 8) & 255) - g) ** 2 + ((candidate & 255) - b) ** 2
    if (distance < least) [best, least] = [index, distance]
  }
  return best
}

function numbers(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, 4 * index)
  return bytes
}

function chunk(type: string, body: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body])
  return Buffer.concat([numbers(body.length), named, numbers(crc32(named))])
}
