import { spawn, execFileSync, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { nothing } from '../../src/scope/index.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The demo of the clinic, in a process of its own: what `npm start` runs, without a page to look at. */
export class Demo {
  readonly #child: ChildProcess
  readonly #gone: Promise<number>

  private constructor(child: ChildProcess) {
    this.#child = child
    this.#gone = new Promise((resolve) => child.once('close', (code) => resolve(code ?? -1)))
  }

  /** Starts it on a port that is free, and tells its address as soon as it answers there. */
  static async start(): Promise<{ readonly demo: Demo; readonly url: string }> {
    const program = `${root}dist/cli/main.js`
    // Its agent is a program like any other: it imports the package as it is published.
    if (!existsSync(program))
      execFileSync('npm', ['run', '-s', 'build'], { cwd: root, stdio: ['ignore', 2, 2] })
    const args = ['--import', 'tsx', program, 'dev', 'examples/clinic/agent.ts', '--model', 'local', '--json']
    const child = spawn(process.execPath, [...args, '--port', '0'], {
      cwd: root,
      env: withoutAccount(process.env),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const demo = new Demo(child)
    const url = await new Promise<string>((resolve, reject) => {
      let text = ''
      child.stdout.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
        const line = /^\{.*\}$/m.exec(text)?.[0]
        if (line !== undefined) resolve((JSON.parse(line) as { url: string }).url)
      })
      demo.#gone.then((code) => reject(new Error(`the demo ended with ${code}: ${text}`))).catch(nothing)
    })
    return { demo, url }
  }

  /** Ends it, and tells its exit code: 0 if everything in it ended well. */
  stop(): Promise<number> {
    this.#child.kill('SIGTERM')
    return this.#gone
  }
}

/** Nobody's account and nobody's secret: a call from this machine is let in without. */
function withoutAccount(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !/^(TWILIO_.*|PUBLIC_URL|ENDWELL_SECRET|PORT)$/.test(name)),
  )
}
