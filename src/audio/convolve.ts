import type { Filter } from './filter.ts'

/**
 * Computes `count` outputs from the inputs in `line` and stores them at `at`. `next` is where in the line the taps of
 * the first output begin, in 1/up of an input.
 *
 * This is the hot loop of the room. Outputs `up` apart use the same row of taps, `down` inputs apart, so they are
 * computed several at a time: see {@link four} and {@link three}. Each sum is taken in the same order however many outputs
 * are computed together, so the size of the chunks does not change a single bit of the result.
 */
export function convolve(
  { up, down, phases }: Filter,
  line: Float64Array,
  next: number,
  out: Int16Array,
  at: number,
  count: number,
): void {
  const end = at + count
  for (let i = 0; i < up && i < count; i++) {
    const position = next + i * down
    const { taps, mirror } = phases[position % up]!
    let first = Math.floor(position / up)
    let to = at + i
    if (mirror) {
      const { from, last } = mirror
      for (; to + 2 * up < end; to += 3 * up, first += 3 * down)
        three(taps, line, first + from, first + last, down, out, to, up)
      for (; to < end; to += up, first += down)
        out[to] = oneMirrored(taps, line, first + from, first + last, down)
    } else {
      for (; to + 3 * up < end; to += 4 * up, first += 4 * down) four(taps, line, first, down, out, to, up)
      for (; to < end; to += up, first += down) out[to] = one(taps, line, first, down)
    }
  }
}

/**
 * Computes four outputs together, 3.5 times as fast as one by one. Each output sees at tap t the input that the one
 * before sees one step of taps later. So, walking the taps step by step, one new input serves four products; the
 * other inputs stay in registers, which change roles in four rounds instead of being moved. This requires `taps`
 * to be a multiple of four steps.
 */
function four(
  row: Float64Array,
  line: Float64Array,
  first: number,
  step: number,
  out: Int16Array,
  to: number,
  stride: number,
): void {
  const taps = row.length
  const ahead = first + 3 * step
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  for (let offset = 0; offset < step; offset++) {
    let x0 = line[first + offset]!
    let x1 = line[first + offset + step]!
    let x2 = line[first + offset + 2 * step]!
    for (let t = offset; t < taps; t += step) {
      let tap = row[t]!
      const x3 = line[ahead + t]!
      a += tap * x0
      b += tap * x1
      c += tap * x2
      d += tap * x3

      t += step
      tap = row[t]!
      x0 = line[ahead + t]!
      a += tap * x1
      b += tap * x2
      c += tap * x3
      d += tap * x0

      t += step
      tap = row[t]!
      x1 = line[ahead + t]!
      a += tap * x2
      b += tap * x3
      c += tap * x0
      d += tap * x1

      t += step
      tap = row[t]!
      x2 = line[ahead + t]!
      a += tap * x3
      b += tap * x0
      c += tap * x1
      d += tap * x2
    }
  }
  out[to] = saturate(a)
  out[to + stride] = saturate(b)
  out[to + 2 * stride] = saturate(c)
  out[to + 3 * stride] = saturate(d)
}

/**
 * Computes three outputs together with a symmetric row, in 18 % less time than {@link four}: two inputs with the same
 * tap are added before they are multiplied. `first` and `last` are the outermost inputs of the first output. The inputs of
 * both ends stay in registers, as in `four`: x for the older half, y for the newer one. This requires the half row to be a
 * multiple of three steps.
 */
function three(
  half: Float64Array,
  line: Float64Array,
  first: number,
  last: number,
  step: number,
  out: Int16Array,
  to: number,
  stride: number,
): void {
  const taps = half.length
  const ahead = first + 2 * step
  let a = 0
  let b = 0
  let c = 0
  for (let offset = 0; offset < step; offset++) {
    let x0 = line[first + offset]!
    let x1 = line[first + offset + step]!
    let y1 = line[last - offset + step]!
    let y2 = line[last - offset + 2 * step]!
    for (let t = offset; t < taps; t += step) {
      let tap = half[t]!
      const x2 = line[ahead + t]!
      const y0 = line[last - t]!
      a += tap * (x0 + y0)
      b += tap * (x1 + y1)
      c += tap * (x2 + y2)

      t += step
      tap = half[t]!
      x0 = line[ahead + t]!
      y2 = line[last - t]!
      a += tap * (x1 + y2)
      b += tap * (x2 + y0)
      c += tap * (x0 + y1)

      t += step
      tap = half[t]!
      x1 = line[ahead + t]!
      y1 = line[last - t]!
      a += tap * (x2 + y1)
      b += tap * (x0 + y2)
      c += tap * (x1 + y0)
    }
  }
  out[to] = saturate(a)
  out[to + stride] = saturate(b)
  out[to + 2 * stride] = saturate(c)
}

function oneMirrored(
  half: Float64Array,
  line: Float64Array,
  first: number,
  last: number,
  step: number,
): number {
  let sum = 0
  for (let offset = 0; offset < step; offset++) {
    for (let t = offset; t < half.length; t += step) sum += half[t]! * (line[first + t]! + line[last - t]!)
  }
  return saturate(sum)
}

function one(row: Float64Array, line: Float64Array, first: number, step: number): number {
  let sum = 0
  for (let offset = 0; offset < step; offset++) {
    for (let t = offset; t < row.length; t += step) sum += row[t]! * line[first + t]!
  }
  return saturate(sum)
}

/** Clips to 16 bits. A typed array would wrap around, which is heard as a click. */
function saturate(value: number): number {
  if (value >= 32767) return 32767
  if (value <= -32768) return -32768
  return Math.round(value)
}
