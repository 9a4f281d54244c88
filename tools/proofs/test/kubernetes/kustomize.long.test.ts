import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { unpackedFromDebian } from '../../../developers/setup/debian.mjs';
import { kustomize } from './kustomize.ts';
import { KUBERNETES, OVERLAYS } from './workloads.ts';

const Known = z.looseObject({ kind: z.string(), metadata: z.looseObject({ name: z.string() }) });

/** Removes the hash suffix from the names of generated ConfigMaps, because it changes with their content. */
const withoutHashes = (text: string): string =>
  [
    ...text.matchAll(/^kind: ConfigMap\nmetadata:\n(?: {2}labels:\n(?: {4}.*\n)*)? {2}name: (\S+)-[a-z0-9]{10}$/gm),
  ].reduce((all, [, name = '']) => all.replaceAll(new RegExp(`\\b${name}-[a-z0-9]{10}\\b`, 'g'), name), text);
const ordered = (objects: readonly z.output<typeof Known>[]) =>
  objects.toSorted((a, b) => `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`));

it.each(OVERLAYS)('kubectl builds the same objects of the overlay %s as the tests', async (overlay) => {
  const kubectl = join(await unpackedFromDebian('kubernetes-client', 'trixie'), 'usr/bin/kubectl');
  const text = execFileSync(kubectl, ['kustomize', join(KUBERNETES, 'overlays', overlay)], { encoding: 'utf8' });
  const built = parseAllDocuments(withoutHashes(text)).map((one) => Known.parse(one.toJS()));
  expect(built.length).toBeGreaterThan(20);
  expect(ordered(kustomize(join(KUBERNETES, 'overlays', overlay)))).toEqual(ordered(built));
});
