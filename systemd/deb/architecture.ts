/** What a package is built for, by Debian's names. */
export const ARCHITECTURES = ['amd64', 'arm64'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];

/** The name that Node.js and the packages of native parts have for it. */
export const NODE_ARCHITECTURE = { amd64: 'x64', arm64: 'arm64' } as const satisfies Record<
  Architecture,
  string
>;
