/** A release's heading: `## 0.1.0 (2026-11-20, commit bb718a2)`. One that is not released yet names no commit. */
const HEADING = /^## (?<name>\d+\.\d+\.\d+\S*) .*\bcommit (?<commit>[0-9a-f]{7,40})\b/gm;
const COMMIT = /^[0-9a-f]{7,40}$/;

/** The releases of the changelog with their commits, newest first. */
export const releasesIn = (changelog: string): Map<string, string> =>
  new Map(
    Array.from(changelog.matchAll(HEADING), ({ groups }): [string, string] => [
      groups?.['name'] ?? '',
      groups?.['commit'] ?? '',
    ]),
  );

/** The commit that a release's name, with or without `v`, or a commit itself stands for. */
export const commitOf = (name: string, changelog: string): string => {
  const releases = releasesIn(changelog);
  const found = releases.get(name.replace(/^v/, '')) ?? (COMMIT.test(name) ? name : undefined);
  if (found !== undefined) return found;
  const known = [...releases.keys()].join(', ') || 'none';
  throw new Error(`"${name}" is neither a commit nor a release in CHANGELOG.md (${known})`);
};
