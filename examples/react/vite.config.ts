import { defineConfig } from 'vite'

// The page comes from Vite, and its calls go to the server that `endwell dev` starts.
export default defineConfig({
  server: { proxy: { '/call': { target: 'ws://localhost:4600', ws: true } } },
})
