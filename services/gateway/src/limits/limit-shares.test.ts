import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LimitShares } from './limit-shares.ts';

const REST = 1_000;
const IDS = ['a', 'b', 'c', 'd', 'e'];
const partsOf = (all: readonly string[], now = 0): LimitShares[] =>
  all.map((own) => {
    const parts = new LimitShares(REST);
    parts.setGateways(own, all, now);
    return parts;
  });
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

describe('The shares of a limit', () => {
  it('add up to the limit for any number of gateways', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.integer({ min: 1, max: IDS.length }), (quota, count) => {
        expect(sum(partsOf(IDS.slice(0, count)).map((one) => one.shareOf(quota, 0)))).toBe(quota);
      }),
    );
  });

  it('shrink at once when a gateway joins, and grow when all used units have returned', () => {
    const parts = new LimitShares(REST);
    expect(parts.shareOf(90, 0)).toBe(90);
    parts.setGateways('a', ['a', 'b', 'c'], 10);
    expect(parts.shareOf(90, 10)).toBe(30);
    parts.setGateways('a', ['a', 'c'], 20);
    expect(parts.shareOf(90, 20 + REST - 1)).toBe(30);
    expect(parts.shareOf(90, 20 + REST)).toBe(45);
    parts.setGateways('a', ['a'], 2_000);
    parts.setGateways('a', ['a', 'd'], 2_001);
    // One gateway left and another joined: the number is the same.
    expect(parts.shareOf(90, 2_002)).toBe(45);
  });

  it('grow from 0 at a gateway that joined others', () => {
    const [, parts] = partsOf(['a', 'b']);
    parts?.startEmpty(5_000);
    expect([5_000, 5_500, 6_000].map((now) => parts?.shareOf(100, now))).toEqual([0, 25, 50]);
  });

  it('do not grow while the gateway is disconnected', () => {
    const parts = new LimitShares(REST);
    parts.setGateways('a', ['a', 'b'], 0);
    parts.setGateways('a', ['a'], 0);
    for (let now = 0; now <= 5_000; now += 500) parts.keepDivisor(now);
    expect([parts.shareOf(10, 5_999), parts.shareOf(10, 6_000)]).toEqual([5, 10]);
  });
});
