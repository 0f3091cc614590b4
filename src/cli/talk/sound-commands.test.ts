import { describe, expect, it } from 'vitest'
import { findSoundCommands } from './sound-commands.ts'

const find = (installed: readonly string[], given: { recorder?: string; player?: string } = {}) => {
  const { recorder, player } = findSoundCommands({
    recorder: given.recorder,
    player: given.player,
    has: (program) => installed.includes(program),
  })
  return [recorder.program, player.program]
}

describe('the programs for the microphone and the loudspeaker', () => {
  it('[TM3] are the first pair of which both are installed', () => {
    expect(find(['arecord', 'aplay', 'rec', 'play'])).toEqual(['arecord', 'aplay'])
    expect(find(['parec', 'rec', 'play'])).toEqual(['rec', 'play'])
  })

  it('[TM3] can be named, one of them or both', () => {
    expect(find(['arecord', 'aplay', 'mine'], { recorder: 'mine --fast' })).toEqual(['mine', 'aplay'])
    expect(find(['mine', 'yours'], { recorder: 'mine', player: ' yours  -x ' })).toEqual(['mine', 'yours'])
    expect(() => find(['aplay'], { recorder: 'missing -r' })).toThrow('missing is not installed')
    expect(() => find(['aplay'], { player: ' ' })).toThrow('--player must be a command')
  })

  it('[TM3] have an error that says what to do if there are none', () => {
    expect(() => find(['arecord'])).toThrow(
      expect.objectContaining({
        code: 'NO_MICROPHONE',
        message: expect.stringMatching(/alsa-utils.*endwell dev/),
      }),
    )
  })
})
