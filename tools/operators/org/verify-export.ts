import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readLines } from './read-lines.ts';
import { Manifest, MANIFEST } from './manifest.ts';
import { verifyTrail } from './verify-trail.ts';

const OrgId = /"org_id":"([^"]*)"/;

/** The first `org_id` of a line is the row's column; stored JSON follows later. */
const isOf = (org: string, line: string): boolean => OrgId.exec(line)?.[1] === org;

export interface Verified {
  manifest: Manifest;
  /** The faults; empty if there are none. */
  faults: string[];
}

/**
 * Verifies an export without a database: each file equals the manifest, each row belongs to the organization, and the hash chain
 * is valid.
 */
export const verifyExport = async (folder: string): Promise<Verified> => {
  const manifest = Manifest.parse(JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')));
  const faults: string[] = [];
  for (const { file, rows, bytes, sha256 } of manifest.tables) {
    if (!existsSync(join(folder, file))) {
      faults.push(`${file} is missing`);
      continue;
    }
    let foreign = 0;
    const read = await readLines(join(folder, file), (line) => {
      if (!isOf(manifest.org_id, line)) foreign += 1;
    });
    if (read.sha256 !== sha256 || read.rows !== rows || read.bytes !== bytes) faults.push(`${file} was changed`);
    if (foreign > 0) faults.push(`${file} has ${foreign} rows of other organizations`);
  }
  if (faults.length > 0) return { manifest, faults };
  return { manifest, faults: await verifyTrail(folder, manifest) };
};
