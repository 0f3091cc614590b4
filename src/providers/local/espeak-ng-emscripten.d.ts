// The package has no types; `espeak-thread.ts` declares the part that is used.
declare module '@echogarden/espeak-ng-emscripten' {
  const create: unknown
  export default create
}
