// The package brings no types; `espeak-thread.ts` says what is used of it.
declare module '@echogarden/espeak-ng-emscripten' {
  const create: unknown
  export default create
}
