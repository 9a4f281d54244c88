import { readFileSync } from 'node:fs';
import { expect, inject, it } from 'vitest';
import { spectralFindings } from '../src/lint.ts';

it('the API document has no finding of Spectral', async () => {
  expect(await spectralFindings(readFileSync(inject('document'), 'utf8'))).toEqual([]);
});
