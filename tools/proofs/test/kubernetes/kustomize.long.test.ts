import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { unpackedFromDebian } from '../../../developers/setup/debian.mjs';
import { kustomize } from './kustomize.ts';
import { KUBERNETES, OVERLAYS } from './workloads.ts';

const Known = z.looseObject({ kind: z.string(), metadata: z.looseObject({ name: z.string() }) });

/** Generated ConfigMaps have an end to their names that changes with what they hold. */
const withoutEnds = (text: string): string =>
  [
    ...text.matchAll(/^kind: ConfigMap\nmetadata:\n(?: {2}labels:\n(?: {4}.*\n)*)? {2}name: (\S+)-[a-z0-9]{10}$/gm),
  ].reduce((all, [, name = '']) => all.replaceAll(new RegExp(`\\b${name}-[a-z0-9]{10}\\b`, 'g'), name), text);
const ordered = (objects: readonly z.output<typeof Known>[]) =>
  objects.toSorted((a, b) => `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`));

it.each(OVERLAYS)('kubectl makes of the overlay %s what the tests look at', async (overlay) => {
  const kubectl = join(await unpackedFromDebian('kubernetes-client', 'trixie'), 'usr/bin/kubectl');
  const text = execFileSync(kubectl, ['kustomize', join(KUBERNETES, 'overlays', overlay)], { encoding: 'utf8' });
  const made = parseAllDocuments(withoutEnds(text)).map((one) => Known.parse(one.toJS()));
  expect(made.length).toBeGreaterThan(20);
  expect(ordered(kustomize(join(KUBERNETES, 'overlays', overlay)))).toEqual(ordered(made));
});
