import { expect, it } from 'vitest';
import { TimerWheel } from './timer-wheel.ts';

it('an item is due once, after its number of ticks, which is at least one and at most that of the wheel', () => {
  const wheel = new TimerWheel<string>(3);
  for (const ticks of [0, 1, 2, 3, 9]) wheel.add(String(ticks), ticks);
  expect(Array.from({ length: 5 }, () => wheel.takeDue())).toEqual([['0', '1'], ['2'], ['3', '9'], [], []]);
  wheel.add('later', 2);
  expect([wheel.takeDue(), wheel.takeDue(), wheel.takeDue()]).toEqual([[], ['later'], []]);
});
