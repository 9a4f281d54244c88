import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ASSUMPTIONS, profileWith } from './demand.ts';
import { readFigures } from './figures.ts';
import { readOptions } from './options.ts';
import { pageFor, sections } from './report.ts';

const file = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');

describe('docs/capacity.md', () => {
  it('has the tables that the program prints for the stored figures; `npm run capacity -- --page` writes them', () => {
    const { now, due } = pageFor(readFigures());
    expect(now).toBe(due);
  });

  it('has each table once', () => {
    const { tables } = pageFor(readFigures());
    expect(tables.toSorted()).toEqual(Object.keys(sections([1], readFigures(), profileWith())).toSorted());
  });
});

it('the assumed connections are those of the large overlay', () => {
  expect(file('deploy/kubernetes/overlays/large/postgres.yaml')).toContain(
    `max_connections: '${ASSUMPTIONS.max_connections.value}'`,
  );
});

describe('The arguments', () => {
  it('replace assumptions', () => {
    const { orgs, profile } = readOptions(['--orgs', '10,500', '--class-size', '30', '--peak-share', '0.5']);
    expect(orgs).toEqual([10, 500]);
    expect(profile).toEqual(profileWith({ class_size: 30, peak_share: 0.5 }));
  });

  it('exist for every assumption, with its value as default', () => {
    expect(readOptions([]).profile).toEqual(profileWith());
  });
});
