import { hourCalls, leaveCalls, ledgerCalls, lessonCalls, rollCallCalls } from '@teaching/contracts';
import { expect } from 'vitest';
import type { Api } from '../../../tools/proofs/test/api.ts';
import { pagesOf } from '../../../tools/proofs/test/pages.ts';

const readAll = async <Row>(
  read: (page: { limit: string; cursor?: string }) => Promise<{ items: Row[]; next_cursor: string | null }>,
): Promise<Row[]> => {
  const rows: Row[] = [];
  for await (const items of pagesOf((cursor) => read({ limit: '100', ...(cursor === undefined ? {} : { cursor }) })))
    rows.push(...items);
  return rows;
};

/** Without versions and times of the last change, which count acts and undos. */
const unversioned = <Row extends { version: number; updated_at?: string }>({
  version: _version,
  updated_at: _updated,
  ...row
}: Row) => row;

/**
 * All that an act in the console may change, as the office reads it: lessons, marks, leave with its credits, and hours.
 * The trail and receipts are not part of it, nor are leaves that were withdrawn and lots without hours, which only show
 * that something was undone.
 */
export const stateOf = async (api: Api) => {
  const lessons = await readAll((page) => api.ok(lessonCalls.listLessons, { query: page }));
  const leaves = await readAll((page) =>
    api.ok(leaveCalls.listLeaves, { query: { status: 'pending,approved,rejected', ...page } }),
  );
  const accounts = await readAll((page) => api.ok(ledgerCalls.listHourAccounts, { query: page }));
  return {
    lessons: lessons.map(unversioned),
    leaves: leaves.map(unversioned),
    marks: await Promise.all(
      lessons.map(async ({ id }) => {
        const { marks } = await api.ok(rollCallCalls.getRollCall, { path: { lesson_id: id } });
        return marks.map(
          ({ revision: _revision, marked_by: _by, marked_by_name: _name, marked_at: _at, ...mark }) => mark,
        );
      }),
    ),
    hours: await Promise.all(
      accounts.map(async ({ student_id }) => {
        const { balance, hours, lots } = await api.ok(hourCalls.getHourAccount, { path: { student_id } });
        return { student_id, balance, hours, lots: lots.filter(({ remaining }) => Number(remaining) !== 0) };
      }),
    ),
  };
};

/** Expects that the act changes the state, and that its undo restores it. */
export const expectUndone = async (api: Api, act: () => Promise<void>, undo: () => Promise<void>): Promise<void> => {
  const before = await stateOf(api);
  await act();
  expect(await stateOf(api)).not.toEqual(before);
  await undo();
  expect(await stateOf(api)).toEqual(before);
};
