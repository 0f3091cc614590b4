import { spawn } from 'node:child_process'

export interface Ended {
  readonly code: number
  /** What the program printed, to stdout and stderr. */
  readonly text: string
}

export function run(program: string, args: readonly string[], cwd: string): Promise<Ended> {
  return new Promise((resolve) => {
    const shell = process.platform === 'win32' && program === 'npm'
    const child = spawn(program, [...args], { cwd, shell, stdio: ['ignore', 'pipe', 'pipe'] })
    let text = ''
    const take = (chunk: Buffer): void => void (text += chunk.toString())
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.once('error', (error) => resolve({ code: 1, text: error.message }))
    child.once('close', (code) => resolve({ code: code ?? 1, text }))
  })
}
