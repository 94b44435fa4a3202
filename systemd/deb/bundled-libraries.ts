import { readdirSync, readFileSync } from 'node:fs';

/** A library that is part of the package, and under what terms. */
export interface BundledLibrary {
  readonly name: string;
  readonly version: string;
  /** As SPDX has it. */
  readonly license: string;
  /** The text of its licence file, where it has one, else undefined. */
  readonly text: string | undefined;
  readonly author: string | undefined;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string; readonly email?: string };
}

/** The libraries that went into a bundle, by name; `meta` is esbuild's account of it. */
export function bundledLibraries(meta: string): readonly BundledLibrary[] {
  const { inputs } = JSON.parse(meta) as { readonly inputs: Readonly<Record<string, unknown>> };
  const folders = Object.keys(inputs).flatMap((path) => {
    const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? [];
    return folder === undefined ? [] : [folder];
  });
  // Several folders can hold the same version.
  const found = new Map([...new Set(folders)].map(libraryAt).map((one) => [labelOf(one), one]));
  return [...found.values()].toSorted((a, b) => order(labelOf(a), labelOf(b)));
}

/** The library in a folder of node_modules. Throws where it does not say under what licence it is. */
export function libraryAt(folder: string): BundledLibrary {
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as Manifest;
  const { name, version, license, author } = manifest;
  if (license === undefined) throw new Error(`${folder}/package.json names no licence`);
  const file = readdirSync(folder)
    .toSorted(order)
    .find((entry) => /^((?:un)?licen[cs]e|copying)(\.|-|$)/i.test(entry));
  const text = file === undefined ? undefined : readFileSync(`${folder}/${file}`, 'utf8');
  return { name, version, license, text, author: typeof author === 'object' ? author.name : author };
}

function labelOf({ name, version }: BundledLibrary): string {
  return `${name} ${version}`;
}

function order(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
