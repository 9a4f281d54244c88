import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WITH_CONSOLE } from '../../../tools/developers/browser/console.ts';
import { PHONE } from '../../../tools/developers/browser/device.ts';
import { type Figure, tableOf } from '../../../tools/developers/browser/figures.ts';
import { logInAs } from '../../../tools/developers/browser/log-in-as.ts';
import { settled } from '../../../tools/developers/browser/wait-settled.ts';
import { type Stopwatch, startStopwatch } from '../../../tools/developers/browser/stopwatch.ts';
import { type Stage, browserTest } from '../../../tools/developers/browser/browser-test.ts';
import { type Fixture, type Person, startFixture } from '../../../tools/proofs/test/fixture.ts';
import { createClassroom } from './classroom.ts';
import { createDemoSchool, SCHOOL_PEOPLE } from './school.ts';

/** Targets: a change of screen, layout shift, a mark on another page, and taps and time of a roll call of 30. */
const TARGET = { change_ms: 100, shift: 0.1, mark_ms: 1_000, taps: 6, roll_call_ms: 10_000 };
const ROUNDS = 9;
const LOADS = 5;
const MARKS = 10;
const ROLL_CALLS = 3;

let fixture: Fixture;
const figures: Figure[] = [];
beforeAll(async () => {
  fixture = await startFixture({ env: WITH_CONSOLE });
  await createDemoSchool(fixture, { weeks_back: 2, weeks_ahead: 2 });
});
afterAll(async () => {
  console.log(tableOf(figures));
  await fixture?.stop();
});

type PersonName = keyof typeof SCHOOL_PEOPLE;

/** Devices: a desktop near the system, and a small phone with a slow network. */
const DEVICES = {
  'on a desk': {},
  'on a slow phone': { ...PHONE, slower: 4 },
} as const;
type DeviceName = keyof typeof DEVICES;
const deviceNames = Object.keys(DEVICES) as DeviceName[];

/** A slow mobile network, in milliseconds and bytes per second. */
const SLOW_NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 90_000 };

/** Opens a page with a stopwatch for a person of the school, on a device. */
const newPage = async (stage: Stage, person: Person, device: DeviceName): Promise<[Page, Stopwatch]> => {
  const { slower, ...options } = { slower: 1, ...DEVICES[device] };
  const page = await stage.open(options);
  if (slower > 1) {
    const debug = await page.context().newCDPSession(page);
    await debug.send('Emulation.setCPUThrottlingRate', { rate: slower });
    await debug.send('Network.enable');
    await debug.send('Network.emulateNetworkConditions', SLOW_NETWORK);
  }
  const stopwatch = await startStopwatch(page);
  await logInAs(page, fixture.token(person));
  return [page, stopwatch];
};

/** A change of screen: its name, the clicked element, and an element that is shown then. */
type ScreenChange = readonly [name: string, click: string, shown: string];
const byNavigation = (name: string, path: string, shown: string): ScreenChange => [
  name,
  `.shell > nav a[href="${path}"]`,
  `.shell:has(> nav a[href="${path}"][aria-current=page]) ${shown}`,
];
const tab = (name: string, of: string): ScreenChange => [name, `.tabs a${of}`, `.tabs a${of}[aria-current=page]`];
const ROLL_CALL: ScreenChange = ['Roll call', 'main a[href^="/roll-call/"]', 'main .students .student'];
const TABS = [
  tab('Leave', '[href*="tab=leave"]'),
  tab('Hours', '[href*="tab=hours"]'),
  tab('Practice', '[href*="tab=practice"]'),
  tab('Lessons', ':first-child'),
];

/** The changes of screen of each role; each round ends at its start. */
const ROUND: Record<PersonName, readonly ScreenChange[]> = {
  office: [
    byNavigation('Timetable', '/timetable', 'main .day .lesson'),
    byNavigation('Today', '/today', 'main .summary ~ .today'),
    ROLL_CALL,
    byNavigation('Today, from a roll call', '/today', 'main .summary ~ .today'),
  ],
  teacher: [ROLL_CALL, byNavigation('My week', '/week', 'main .week')],
  student: TABS,
  guardian: TABS,
};

const changeTo = async (page: Page, stopwatch: Stopwatch, [, click, shown]: ScreenChange): Promise<number> => {
  await stopwatch.expected(shown);
  await page.locator(click).first().click();
  const seen = await stopwatch.seen();
  return seen - ((await stopwatch.taps()).at(-1) ?? NaN);
};

it.for(deviceNames.flatMap((device) => Object.keys(ROUND).map((who) => [device, who as PersonName] as const)))(
  'changes screens: %s, %s',
  ([device, who], context) =>
    browserTest(async (stage) => {
      // The demo school may have no running lesson now, so a teacher gets a class with one.
      const person = who === 'teacher' ? (await createClassroom(fixture, 30)).teacher : SCHOOL_PEOPLE[who];
      const [page, stopwatch] = await newPage(stage, person, device);
      await page.goto(fixture.address);
      await settled(page);
      const durations = new Map(ROUND[who].map(([name]) => [name, [] as number[]]));
      for (let round = 0; round < ROUNDS; round += 1)
        for (const way of ROUND[who]) durations.get(way[0])?.push(await changeTo(page, stopwatch, way));
      for (const [name, [first = 0, ...others]] of durations) {
        const title = `${name} (${who}, ${device})`;
        figures.push({ what: `to ${title}`, unit: 'ms', values: others, target: TARGET.change_ms });
        figures.push({ what: `   the first time`, unit: 'ms', values: [first] });
      }
      expect([...durations.values()].every(({ length }) => length === ROUNDS)).toBe(true);
    })(context),
);

it.for(deviceNames.flatMap((device) => Object.keys(ROUND).map((who) => [device, who as PersonName] as const)))(
  'opens the start page: %s, %s',
  ([device, who], context) =>
    browserTest(async (stage) => {
      const [loads, shifts]: [number[], number[]] = [[], []];
      for (let load = 0; load < LOADS; load += 1) {
        const [page, stopwatch] = await newPage(stage, SCHOOL_PEOPLE[who], device);
        await page.goto(fixture.address);
        loads.push((await stopwatch.seen()) - (await stopwatch.began()));
        const moved = await stopwatch.shifts();
        shifts.push(moved.reduce((sum, { value }) => sum + value, 0));
        await page.context().close();
      }
      figures.push({ what: `first load (${who}, ${device})`, unit: 'ms', values: loads });
      figures.push({ what: `   layout shift`, unit: 'score', values: shifts, target: TARGET.shift });
    })(context),
);

it(
  'shows a mark on the page of another person',
  browserTest(async (stage) => {
    const room = await createClassroom(fixture, MARKS);
    const at = async (person: Person): Promise<[Page, Stopwatch]> => {
      const [page, stopwatch] = await newPage(stage, person, 'on a desk');
      await page.goto(`${fixture.address}/roll-call/${room.lesson_id}`);
      await settled(page);
      return [page, stopwatch];
    };
    const [teacher, office] = [await at(room.teacher), await at(room.supervisor)];
    const durations: number[] = [];
    for (const [index, student_id] of room.students.entries()) {
      const [[page, mine], [, theirs]] = index % 2 === 0 ? [teacher, office] : [office, teacher];
      const row = `[data-student="${student_id}"]`;
      await theirs.expected(`${row} .mark.present[aria-pressed=true]`);
      await page.locator(`${row} .mark.present`).click();
      durations.push((await theirs.seen()) - ((await mine.taps()).at(-1) ?? NaN));
    }
    figures.push({
      what: 'a mark on the page of another person',
      unit: 'ms',
      values: durations,
      target: TARGET.mark_ms,
    });
  }),
);

it(
  'takes a roll call of 30 from the start page on a phone, all present but two',
  browserTest(async (stage) => {
    const [counts, durations]: [number[], number[]] = [[], []];
    for (let time = 0; time < ROLL_CALLS; time += 1) {
      const room = await createClassroom(fixture, 30);
      const [page, stopwatch] = await newPage(stage, room.teacher, 'on a slow phone');
      await page.goto(fixture.address);
      await settled(page);
      const tap = (selector: string): Promise<void> => page.locator(selector).first().tap();
      await tap(`[data-lesson="${room.lesson_id}"] a[href^="/roll-call/"]`);
      await tap('.roll-bar .button.main');
      await tap('[data-student="s-07"] .mark.absent');
      await stopwatch.expected('main:not(:has(.student.waiting)) [data-student="s-21"].late.saved');
      await tap('[data-student="s-21"] .mark.late');
      const saved = await stopwatch.seen();
      const taps = await stopwatch.taps();
      counts.push(taps.length);
      durations.push(saved - (taps[0] ?? NaN));
      expect((await room.marks()).filter((mark) => mark === 'present')).toHaveLength(28);
      await page.context().close();
    }
    figures.push({ what: 'a roll call of 30', unit: 'taps', values: counts, target: TARGET.taps });
    figures.push({ what: '   without time to think', unit: 'ms', values: durations, target: TARGET.roll_call_ms });
  }),
);
