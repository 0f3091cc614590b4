import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open, readdir, stat, unlink, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { wavHeaderLength } from '../audio/index.ts'
import { fileSink, type RecordingSink } from '../session/index.ts'
import { limits } from './limits.ts'

const SUFFIX = '.wav'

/** A recording that is being read. Close its file. */
export interface OpenRecording {
  readonly file: FileHandle
  readonly bytes: number
}

/** The loudness of a recording over time, for a waveform. */
export interface RecordingPeaks {
  /** Milliseconds. */
  readonly duration: number
  /** From 0 to 100, for equal parts of the duration. */
  readonly caller: readonly number[]
  readonly agent: readonly number[]
}

/** A folder of recordings: one file per call or, for a call that went on in another process, per part of it. */
export class Recordings {
  readonly folder: string

  constructor(folder: string) {
    this.folder = resolve(folder)
  }

  /** Where to record a call. The file is made when there is something to record. */
  sink(call: string, part: number): RecordingSink {
    // Ids of calls can come from a carrier.
    const name = /^[\w-]{1,100}$/.test(call) ? call : createHash('sha256').update(call).digest('hex')
    return fileSink(join(this.folder, `${name}${part > 1 ? `-${part}` : ''}${SUFFIX}`))
  }

  /** Opens the recording at the place that a report names. Undefined if there is none, or if it is not in this folder. */
  async open(place: string): Promise<OpenRecording | undefined> {
    const path = resolve(place)
    if (dirname(path) !== this.folder || !basename(path).endsWith(SUFFIX)) return undefined
    // Not through a symbolic link: it could lead out of the folder.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined)
    if (!file) return undefined
    const found = await file.stat().catch(() => undefined)
    if (found?.isFile() === true && found.size >= wavHeaderLength) return { file, bytes: found.size }
    await file.close()
    return undefined
  }

  /** Deletes the recordings that were last written before a time, in milliseconds since 1970. Returns how many. */
  async prune(before: number): Promise<number> {
    let count = 0
    const names = await readdir(this.folder).catch(() => [])
    for (const name of names) {
      if (!name.endsWith(SUFFIX)) continue
      const path = join(this.folder, name)
      const found = await stat(path).catch(() => undefined)
      if (!found?.isFile() || found.mtimeMs >= before) continue
      await unlink(path).catch(() => {})
      count++
    }
    return count
  }
}

/** Reads a part of the sound for each peak, so that a long recording costs no more than a short one. Undefined if it is no stereo WAV. */
export async function peaksOf({ file, bytes }: OpenRecording): Promise<RecordingPeaks | undefined> {
  const header = Buffer.alloc(wavHeaderLength)
  await file.read(header, 0, wavHeaderLength, 0)
  const rate = header.readUInt32LE(24)
  const isStereo = header.readUInt16LE(22) === 2 && header.readUInt16LE(34) === 16
  if (header.toString('latin1', 0, 4) !== 'RIFF' || !isStereo || rate === 0) return undefined
  const frames = Math.floor((bytes - wavHeaderLength) / FRAME)
  const count = Math.min(limits.peaks, Math.max(1, Math.floor(frames / MIN_FRAMES)))
  const caller: number[] = []
  const agent: number[] = []
  const buffer = Buffer.alloc(limits.peakFrames * FRAME)
  for (let index = 0; index < count; index++) {
    const from = Math.floor((frames * index) / count)
    const until = Math.floor((frames * (index + 1)) / count)
    const wanted = Math.min(limits.peakFrames, until - from) * FRAME
    const { bytesRead } = await file.read(buffer, 0, wanted, wavHeaderLength + from * FRAME)
    caller.push(peakIn(buffer, bytesRead, 0))
    agent.push(peakIn(buffer, bytesRead, 2))
  }
  return { duration: (frames / rate) * 1_000, caller, agent }
}

/** Bytes of one sample of both channels. */
const FRAME = 4
/** The fewest samples for one peak. */
const MIN_FRAMES = 80

function peakIn(buffer: Buffer, bytes: number, offset: number): number {
  let peak = 0
  for (let at = offset; at + 1 < bytes; at += FRAME) peak = Math.max(peak, Math.abs(buffer.readInt16LE(at)))
  return Math.round((peak / 32_768) * 100)
}
