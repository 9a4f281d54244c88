import { Parser } from '@asyncapi/parser';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';

const said = (rule: string, message: string, place: string): string => `${rule}: ${message} (${place})`;

/**
 * Findings of redocly's strictest rules. One rule is off: fixed paths such as `/clazz/{id}/lesson` and
 * `/clazz/lesson/{lesson_id}` differ because ids are UUIDs, which a path cannot express.
 */
export const redoclyFindings = async (document: string): Promise<string[]> => {
  const config = await createConfig({ extends: ['recommended-strict'], rules: { 'no-ambiguous-paths': 'off' } });
  const found = await lintFromString({ source: document, absoluteRef: '/openapi.json', config });
  return found.map(({ ruleId, message, location: [at] }) => said(ruleId, message, at?.pointer ?? ''));
};

/** Findings of Spectral's rules for OpenAPI. */
export const spectralFindings = async (document: string): Promise<string[]> => {
  const linter = new spectral.Spectral();
  linter.setRuleset(rulesets.oas as never); // its own package types it too narrowly
  const found = await linter.run(document);
  return found.map(({ code, message, path }) => said(String(code), message, path.join('/')));
};

/** Errors and warnings. */
const SERIOUS: ReadonlySet<number> = new Set([0, 1]);

/** Findings of the AsyncAPI parser, without hints such as a newer version of AsyncAPI. */
export const asyncApiFindings = async (document: string): Promise<string[]> => {
  const { diagnostics } = await new Parser().parse(document);
  return diagnostics
    .filter(({ severity }) => SERIOUS.has(severity))
    .map(({ code, message, path }) => said(String(code), message, path.join('/')));
};
