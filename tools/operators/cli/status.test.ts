import { expect, it } from 'vitest';
import type { ServiceStatus } from '../../../libs/contracts/src/index.ts';
import { areAllWell } from './commands/status.ts';

const log: ServiceStatus['logs'][number] = {
  log: 'clazz',
  epoch: 0,
  no: 7,
  published_no: 7,
  trouble: null,
  since: null,
};
const follower: ServiceStatus['followers'][number] = {
  follower: 'stats',
  log: 'clazz',
  epoch: 0,
  no: 7,
  broken: false,
  dead_letters: 0,
  trouble: null,
  since: null,
};
const all = (logs: object, followers: object = {}) => ({
  clazz: { waiting: 0, logs: [log, { ...log, ...logs }], followers: [follower, { ...follower, ...followers }] },
  stats: { waiting: 0, logs: [], followers: [] },
});

it('status: all is well only if every service answers and nothing is blocked', () => {
  expect(areAllWell(all({}))).toBe(true);
  expect(areAllWell({ ...all({}), stats: null })).toBe(false);
  expect(areAllWell(all({ trouble: 'the stream is full' }))).toBe(false);
  expect(areAllWell(all({}, { trouble: 'permission denied' }))).toBe(false);
  expect(areAllWell(all({}, { broken: true }))).toBe(false);
  expect(areAllWell(all({}, { dead_letters: 1 }))).toBe(false);
});
