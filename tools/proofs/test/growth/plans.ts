import { beforeAll, expect, inject, it } from 'vitest';
import { copyDatabase } from '../fixture.ts';
import { isAllowed } from './allowed-scans.ts';
import { type Finding, findScans, type Findings } from './hot-plans.ts';
import { seedSchool, type Size } from './seed.ts';
import { indexesOf, isExpectedUnused } from './unused-indexes.ts';

/** Rows of a table that one node of a plan may read. It exceeds the rows of any class, student or teacher. */
const BOUND = 300;
const SEEDING_MS = 900_000;

const describeFinding = ({ service, table, by, rows, text }: Finding): string =>
  `${service}.${table}: ${rows} rows by ${by}\n    in: ${text}`;

/** Tests that the statements of all services are bounded in a school of this size. */
export const plansAreBounded = (size: Size): void => {
  let url: string;
  let findings: Findings;
  beforeAll(async () => {
    url = await copyDatabase(inject('stack').adminUrl);
    await seedSchool(url, size);
    findings = await findScans(url, BOUND);
  }, SEEDING_MS);

  it('reads no more rows of a table than a class, a student or a page has', () => {
    const { found, statements, large } = findings;
    expect(found.filter((finding) => !isAllowed(finding)).map(describeFinding)).toEqual([]);
    expect(statements).toBeGreaterThan(500);
    expect(large.size).toBeGreaterThan(30);
  });

  it('uses every index of a large table', async () => {
    const indexes = await indexesOf(url, findings.large);
    const unused = indexes.filter((name) => !findings.used.has(name) && !isExpectedUnused(name));
    expect(unused).toEqual([]);
  });
};
