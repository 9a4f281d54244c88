import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allCalls } from './registry.ts';
import { Zone } from './scalars.ts';
import { isSameZone, ZONE_NAMES, zoneName } from './zone-names.ts';

describe('A zone', () => {
  it.each([
    ['eUROPE/bERLIN', 'Europe/Berlin'],
    ['asia/calcutta', 'Asia/Calcutta'],
    ['ASIA/KOLKATA', 'Asia/Kolkata'],
    ['europe/kyiv', 'Europe/Kyiv'],
    ['utc', 'UTC'],
    ['gmt', 'GMT'],
    ['etc/utc', 'Etc/UTC'],
    ['etc/gmt+5', 'Etc/GMT+5'],
    ['us/pacific', 'US/Pacific'],
    ['est5edt', 'EST5EDT'],
    ['gb-eire', 'GB-Eire'],
    ['america/port-au-prince', 'America/Port-au-Prince'],
    ['america/argentina/comodrivadavia', 'America/Argentina/ComodRivadavia'],
    ['antarctica/dumontdurville', 'Antarctica/DumontDUrville'],
  ])('%s is answered as %s', (given, name) => expect(Zone.parse(given)).toBe(name));

  it.each(['', 'Mars/Olympus', '+01:00', 'PST', 'ACT', 'SystemV/PST8', 'Factory', 'posix/Europe/Berlin', 'utc '])(
    'is not %j',
    (given) => expect(Zone.safeParse(given).success).toBe(false),
  );

  it('is known to Intl under each name, and each name of Intl is known', () => {
    for (const zone of Intl.supportedValuesOf('timeZone')) expect(zoneName(zone.toUpperCase())).toBe(zone);
    expect(ZONE_NAMES.length).toBeGreaterThan(590);
    for (const zone of ZONE_NAMES) expect(isSameZone(zone, zone.toUpperCase()), zone).toBe(true);
    expect(isSameZone('asia/calcutta', 'Asia/Kolkata')).toBe(true);
    expect(isSameZone('Asia/Kolkata', 'Asia/Colombo')).toBe(false);
  });

  it('is the same kind of value in every request', () => {
    const zones = allCalls.flatMap(({ id, query, body }) => {
      const shape = body instanceof z.ZodObject ? body.shape : {};
      return Object.entries({ ...query.shape, ...shape }).flatMap(([name, schema]) =>
        name === 'zone' && schema instanceof z.ZodType ? [[id, schema.safeParse('us/PACIFIC').data]] : [],
      );
    });
    expect(zones.length).toBeGreaterThan(8);
    expect(zones.filter(([, zone]) => zone !== 'US/Pacific')).toEqual([]);
  });
});
