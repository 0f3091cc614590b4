import { LoopbackServer } from '../../src/testing/servers/loopback-server.ts'

// The server of the bench, in a process of its own: sends everything back, and resets the connection when asked to.
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
