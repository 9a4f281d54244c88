import { Parser } from '@asyncapi/parser';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const said = (rule: string, message: string, place: string): string => `${rule}: ${message} (${place})`;

/**
 * What redocly's strictest rules find. One does not fit: fixed paths such as `/clazz/{id}/lesson` and
 * `/clazz/lesson/{lesson_id}` are told apart by ids being UUIDs, which a path cannot say.
 */
export const redoclyFindings = async (document: string): Promise<string[]> => {
  const config = await createConfig({ extends: ['recommended-strict'], rules: { 'no-ambiguous-paths': 'off' } });
  const found = await lintFromString({ source: document, absoluteRef: '/openapi.json', config });
  return found.map(({ ruleId, message, location: [at] }) => said(ruleId, message, at?.pointer ?? ''));
};

/** What Spectral's rules for OpenAPI find. */
export const spectralFindings = async (document: string): Promise<string[]> => {
  const linter = new spectral.Spectral();
  linter.setRuleset(rulesets.oas as never); // its own package types it too narrowly
  const found = await linter.run(document);
  return found.map(({ code, message, path }) => said(String(code), message, path.join('/')));
};

/** Errors and warnings. */
const SERIOUS: ReadonlySet<number> = new Set([0, 1]);

/** What the AsyncAPI parser finds, but for hints such as that there is a newer version of AsyncAPI. */
export const asyncApiFindings = async (document: string): Promise<string[]> => {
  const { diagnostics } = await new Parser().parse(document);
  return diagnostics
    .filter(({ severity }) => SERIOUS.has(severity))
    .map(({ code, message, path }) => said(String(code), message, path.join('/')));
};
