import { expect, it } from 'vitest';
import { inTransactions, isAsking } from './wanted.ts';

it.each([
  ['select id from clazz where updated_at > $1', true],
  ['\n  with new as (select 1) select * from new', true],
  ["select set_config('app.org_id', $1, false)", false],
  ['select state from log_state()', false],
  ['begin isolation level repeatable read read only', false],
  ['insert into log_entry (id) values ($1)', false],
  ['with new as (select 1) update clazz set name = $1', false],
  ['with gone as (delete from clazz returning id) select id from gone', false],
])('of a read wants what asks: %j', (text, isWanted) => {
  expect(isAsking({ text })).toBe(isWanted);
});

it('of a write wants its transaction, whatever others send between', () => {
  const isWanted = inTransactions();
  const sent = [
    'a set x',
    'a begin',
    'b select 1',
    'a update',
    'b begin',
    'a commit',
    'a select 2',
    'b insert',
    'b commit',
  ];
  const wanted = sent.filter((one) => isWanted({ session: one.slice(0, 1), text: one.slice(2) }));
  expect(wanted).toEqual(['a begin', 'a update', 'b begin', 'a commit', 'b insert', 'b commit']);
});
