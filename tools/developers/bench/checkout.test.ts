import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commitOf, releasesIn } from './checkout.ts';

const CHANGELOG = `# Changelog

## 0.3.0 (unreleased)
- commit 1234567 is mentioned here

## 0.2.0 (2027-01-05, commit abcdef0123)
## 0.1.0 (2026-11-20, commit bb718a2)
### not 9.9.9 (commit 1111111)
`;

it('lists the releases, without the unreleased version', () => {
  expect([...releasesIn(CHANGELOG)]).toEqual([
    ['0.2.0', 'abcdef0123'],
    ['0.1.0', 'bb718a2'],
  ]);
});

it.each([
  ['0.1.0', 'bb718a2'],
  ['v0.2.0', 'abcdef0123'],
  ['e98da50', 'e98da50'],
])('takes %s for %s', (name, commit) => {
  expect(commitOf(name, CHANGELOG)).toBe(commit);
});

it.each(['0.3.0', '1.0.0', 'main', '', '--help'])('refuses %j and names the releases', (name) => {
  expect(() => commitOf(name, CHANGELOG)).toThrow('0.2.0, 0.1.0');
});

it('finds the first release in this project’s own changelog', () => {
  const changelog = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8');
  expect(commitOf('0.1.0', changelog)).toBe('bb718a2');
});
