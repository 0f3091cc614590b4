import { LoopbackServer } from '../../src/testing/servers/loopback-server.ts'

// The server, in its own process: echoes everything, and resets the connection on the message 'drop'.
const server = await LoopbackServer.listen({
  serve: () => ({
    message: (peer, data) => {
      if (data === 'drop') peer.drop()
      else peer.send(data)
    },
  }),
})
process.send!(server.url)
process.once('disconnect', () => server.abort())
