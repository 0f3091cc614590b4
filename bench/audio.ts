import { Resampler } from '../src/audio/resample.ts'
const pairs = [
  [8000, 16000],
  [16000, 8000],
  [8000, 24000],
  [24000, 8000],
  [8000, 48000],
  [48000, 8000],
  [16000, 24000],
  [24000, 16000],
  [16000, 48000],
  [48000, 16000],
  [24000, 48000],
  [48000, 24000],
] as const
for (const [from, to] of pairs) {
  const r = new Resampler({ from, to })
  const f = new Int16Array(from / 50).map((_, i) => 10000 * Math.sin(i / 5))
  for (let i = 0; i < 3000; i++) r.push(f)
  let best = Infinity
  for (let k = 0; k < 5; k++) {
    const t = process.hrtime.bigint()
    for (let i = 0; i < 2000; i++) r.push(f)
    best = Math.min(best, Number(process.hrtime.bigint() - t) / 2000)
  }
  console.log(from, to, 'delay', r.delay.toFixed(3), 'ns/frame', best.toFixed(0))
}
