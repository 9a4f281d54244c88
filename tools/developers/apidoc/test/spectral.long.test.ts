import { readFileSync } from 'node:fs';
import { expect, inject, it } from 'vitest';
import { spectralFindings } from '../src/lint.ts';

it('the API document is as Spectral wants it', async () => {
  expect(await spectralFindings(readFileSync(inject('document'), 'utf8'))).toEqual([]);
});
