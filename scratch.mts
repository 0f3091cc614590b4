import { rm } from 'node:fs/promises'
import { readFileSync, readdirSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { Changes } from './src/testing/servers/changes.ts'
import { SimRandom } from './src/testing/sim-random.ts'
import { compilePrograms } from './test/crash/programs.ts'
import { Receiver } from './test/crash/receiver.ts'
import { Site } from './test/crash/site.ts'
const programs = await compilePrograms()
const random = new SimRandom(1), changes = new Changes()
const receiver = await Receiver.listen(random, changes); receiver.polite = true
const site = await Site.open({ name: 'x', store: 'sqlite', hosts: 1, programs, folder: join(programs, 'x'), receiver, random, changes, serve: { lease: 3000, resumeWindow: 6000, workers: 2, closeTimeout: 2000, logLevel:'debug' } , env: {NODE_OPTIONS: '--report-uncaught-exception --report-directory=/tmp/w/crash-reports'}})
site.start()
const crowd = site.call({ size: 2, lifetime: [60000, 60000], phones: 1 })
await changes.until(() => crowd.talking.length === 2)
crowd.stop()
console.log('talking')
const t0 = Date.now()
site.hosts[0].killSupervisor()
for (let i = 0; i < 80; i++) {
  await new Promise(r => setTimeout(r, 100))
  if (i % 5 === 0) console.log(Date.now() - t0, crowd.all.map((c: any) => [c.call.state, c.call.endedBy, c.outages.length, c.call.events.at(-1).type, c.call.events.at(-1).how, c.call.events.at(-1).code].join(' ')), site.hosts[0].processes().length, existsSync(join(site.hosts[0].data, 'spool')) ? readdirSync(join(site.hosts[0].data, 'spool')) : '')
}
console.log(readFileSync(site.hosts[0].logFile, 'utf8').split('\n').slice(-30).join('\n'))
await site.end(); receiver.close(); await rm(programs, { recursive: true, force: true })
process.exit()
