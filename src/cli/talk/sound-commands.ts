import { EndwellError, OptionError } from '../../scope/index.ts'

/** A program that records or plays raw sound: 16 kHz, mono, 16 bits, little-endian. */
export interface SoundCommand {
  readonly program: string
  readonly args: readonly string[]
}

/** The programs through which a call hears and speaks. */
export interface SoundCommands {
  /** Writes the sound of the microphone to its output. */
  readonly recorder: SoundCommand
  /** Plays what it reads from its input. */
  readonly player: SoundCommand
}

const alsa = ['-q', '-t', 'raw', '-f', 'S16_LE', '-r', '16000', '-c', '1']
const pulse = ['--raw', '--format=s16le', '--rate=16000', '--channels=1', '--latency-msec=20']
const sox = ['-q', '-t', 'raw', '-e', 'signed-integer', '-b', '16', '-L', '-r', '16000', '-c', '1', '-']

/** Pairs of programs, in the order in which they are looked for. PulseAudio and PipeWire share devices; ALSA may not. */
const known: readonly SoundCommands[] = [
  { recorder: { program: 'parec', args: pulse }, player: { program: 'pacat', args: pulse } },
  { recorder: { program: 'arecord', args: alsa }, player: { program: 'aplay', args: alsa } },
  { recorder: { program: 'rec', args: sox }, player: { program: 'play', args: sox } },
]

export interface FindSoundOptions {
  /** Commands to use instead, as words with blanks between them. */
  readonly recorder: string | undefined
  readonly player: string | undefined
  /** Whether this machine has a program. */
  readonly has: (program: string) => boolean
}

/** Finds programs for the microphone and the loudspeaker. Throws `NO_MICROPHONE` if there are none. */
export function findSoundCommands({ recorder, player, has }: FindSoundOptions): SoundCommands {
  const given = {
    recorder: recorder === undefined ? undefined : parse('recorder', recorder),
    player: player === undefined ? undefined : parse('player', player),
  }
  for (const { program } of [given.recorder, given.player].filter((each) => each !== undefined))
    if (!has(program)) throw new OptionError(`${program} is not installed: there is no such program in PATH`)
  if (given.recorder && given.player) return { recorder: given.recorder, player: given.player }
  const found = known.find(
    (each) => (given.recorder ?? has(each.recorder.program)) && (given.player ?? has(each.player.program)),
  )
  if (!found)
    throw new EndwellError(
      'NO_MICROPHONE',
      'this machine has no program that records and plays sound. Install pulseaudio-utils (parec and pacat), alsa-utils (arecord ' +
        'and aplay) or sox (rec and play), or name others with --recorder and --player. Without a microphone, use endwell chat, ' +
        'or endwell dev, which uses that of your browser',
    )
  return { recorder: given.recorder ?? found.recorder, player: given.player ?? found.player }
}

function parse(option: string, text: string): SoundCommand {
  const [program, ...args] = text.trim().split(/\s+/)
  if (program === undefined || program === '') throw new OptionError(`--${option} must be a command`)
  return { program, args }
}
