#!/usr/bin/env node
// `npm create endwell` is `endwell init`.
process.argv.splice(2, 0, 'init')
await import(new URL('cli/main.js', import.meta.resolve('endwell')).href)
