import { expect, it } from 'vitest';
import { encodingFor, hasMatchingEtag, prefersType } from './negotiation.ts';

it.each([
  ['text/csv', true],
  ['TEXT/CSV; charset=utf-8', true],
  ['text/csv;q=0', false],
  ['text/csv;q=0, */*', false],
  ['text/*', true],
  ['text/csv, application/json', true],
  ['application/json, text/csv;q=0.5', false],
  ['application/json;q=0.5, text/csv', true],
  ['*/*', false],
  ['*/*, text/csv', true],
  ['application/text/csv', false],
  ['text/csv;q=2', false],
  ['', false],
  [undefined, false],
])('Accept "%s" prefers CSV to JSON: %s', (header, is) => expect(prefersType(header, 'text/csv')).toBe(is));

it.each([
  ['gzip', 'gzip'],
  ['gzip, deflate', 'gzip'],
  ['x-gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br, zstd', 'zstd'],
  ['gzip;q=1, br;q=0.9', 'gzip'],
  ['zstd;q=0, *', 'br'],
  ['*;q=0', undefined],
  ['identity', undefined],
  ['identity, gzip;q=0.5', undefined],
  ['identity;q=0.5, gzip', 'gzip'],
  ['deflate', undefined],
  ['gzip;q=0', undefined],
  ['', undefined],
  [undefined, undefined],
])('Accept-Encoding "%s" selects the encoding %s', (header, encoding) => expect(encodingFor(header)).toBe(encoding));

it.each([
  ['"3"', true],
  ['W/"3"', true],
  ['"2", W/"3"', true],
  ['*', true],
  ['"33"', false],
  ['3', false],
  ['', false],
  [undefined, false],
])('If-None-Match %s contains the ETag "3": %s', (header, is) => expect(hasMatchingEtag(header, '"3"')).toBe(is));

it('matches a weak ETag by its text', () => expect(hasMatchingEtag('"a"', 'W/"a"')).toBe(true));
