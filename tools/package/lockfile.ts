export interface Lockfile {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly hasInstallScript?: boolean }>>
}

/** Packages with an install script among those that users of endwell install. */
export function installScripts({ packages }: Lockfile): string[] {
  return Object.entries(packages)
    .filter(([, { dev, hasInstallScript }]) => dev !== true && hasInstallScript === true)
    .map(([path]) =>
      path === '' ? 'the package itself has an install script' : `${path} has an install script`,
    )
}
