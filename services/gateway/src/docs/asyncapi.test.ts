import { allEvents, event } from '@teaching/contracts';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { asyncApiDocument } from './asyncapi.ts';

const old = event('a.b.moved', 'Moved', z.object({}), { replaced_by: 'a.b.moved.v2' });
const now = event('a.b.moved', 'Moved', z.object({ to: z.int() }), { version: 2 });
const recorded = event('a.audit.recorded', 'Recorded', z.object({}), { log: 'audit' });
const document = asyncApiDocument([old, now, recorded]);

it('gives each event the subject of its log as address', () => {
  expect(document['channels']).toMatchObject({
    'a.b.moved.v2': { address: 'evt.{org_id}.a.b.moved' },
    'a.audit.recorded.v1': { address: 'audit.{org_id}.a.audit.recorded' },
  });
});

it('marks an event that is no longer published as deprecated and names its replacement', () => {
  const deprecated = {
    'x-replaced-by': 'a.b.moved.v2',
    description: expect.stringMatching(/no longer published.*history/),
  };
  expect(document).toMatchObject({
    channels: { 'a.b.moved.v1': deprecated },
    components: { messages: { 'a.b.moved.v1': { ...deprecated, payload: { deprecated: true } } } },
  });
  expect(Object.keys(Object(document['operations']))).toEqual(['a.b.moved.v2', 'a.audit.recorded.v1']);
  expect(JSON.stringify(asyncApiDocument([now]))).not.toContain('deprecated');
});

it('describes the sequence and the previous id of an event', () => {
  const properties = { sequence: { description: expect.any(String) }, previousid: { description: expect.any(String) } };
  expect(document).toMatchObject({ components: { messages: { 'a.b.moved.v2': { payload: { properties } } } } });
});

it('has a channel and a message for each event', () => {
  const types = allEvents.map(({ type }) => type);
  const all = asyncApiDocument(allEvents);
  expect(Object.keys(Object(all['channels']))).toEqual(types);
  expect(all).toMatchObject({
    components: { messages: Object.fromEntries(types.map((type) => [type, { name: type }])) },
  });
});
