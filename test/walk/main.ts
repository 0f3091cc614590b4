import { exitCodes, runCommand } from '../../src/cli/command.ts'
import { scenes } from './scenes.ts'
import { walkAll, type SceneName } from './walk.ts'

await runCommand({
  name: 'npm run walk --',
  summary:
    'Traces one utterance and one close through the built code (build first), and counts how often a reader of it has to ' +
    'open a file: from a browser, with a realtime model, and on the phone.',
  options: {
    scene: { type: 'string', about: `walk one scene only: ${Object.keys(scenes).join(', ')}` },
    way: {
      type: 'boolean',
      about: 'print the way itself: the files in order, with the functions read there',
    },
  },
  run: async ({ scene, way, json }) => {
    if (scene !== undefined && !(scene in scenes)) {
      console.error(`there is no scene '${scene}': choose ${Object.keys(scenes).join(', ')}`)
      return exitCodes.misuse
    }
    const walks = await walkAll(
      scene === undefined ? (Object.keys(scenes) as SceneName[]) : [scene as SceneName],
    )
    for (const [name, walk] of Object.entries(walks)) {
      const { way: files, ...counts } = walk
      if (json) console.log(JSON.stringify({ walk: name, ...counts, ...(way ? { way: files } : {}) }))
      else {
        const most = Object.entries(counts.mostOpened).map(([file, times]) => `${file} ${times}`)
        console.log(
          `${name}: ${counts.functions} functions, ${counts.files} files, ${counts.reentries} re-entries; ` +
            `most opened: ${most.join(', ')}`,
        )
        if (way) for (const { file, functions } of files) console.log(`  ${file}: ${functions.join(' ')}`)
      }
    }
    const sum = Object.values(walks).reduce((total, { reentries }) => total + reentries, 0)
    console.log(
      json
        ? JSON.stringify({ walks: Object.keys(walks).length, reentries: sum })
        : `${sum} re-entries in all`,
    )
    return exitCodes.ok
  },
})
