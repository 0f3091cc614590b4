// The short example of docs/production.md. It is compiled, and not run.
import { serve } from 'endwell/host'

// #region serve
const host = await serve('agent.js', { port: 8080, publicUrl: 'https://phone.example.com' })
process.on('SIGTERM', () => host.signal())
process.exitCode = await host.ended
// #endregion
