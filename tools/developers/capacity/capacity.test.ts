import { describe, expect, it } from 'vitest';
import { demandOf, profileWith } from './demand.ts';
import { type Figures, KIND_NAMES, type Stored, recordOf } from './figures.ts';
import { rounded } from './report.ts';
import { cellSize, costsOf, limitsOf, planFor, postgresCores } from './sizes.ts';

const NOTHING: Stored = {
  wal: 0,
  domain: 0,
  log: 0,
  audit_log: 0,
  trail: 0,
  statistics: 0,
  events_stream: 0,
  audit_stream: 0,
  entries: 0,
};
const EACH: Stored = { ...NOTHING, wal: 2_000, domain: 100, trail: 50, audit_stream: 10, entries: 1 };

/** Every request costs the same: 1 ms of gateway, 2 of clazz, 3 of Postgres for it, 1 for statistics and 1 for no service. */
const FIGURES: Figures = {
  measured: { commit: '', at: '', machine: '', versions: '' },
  cpu_us: recordOf(KIND_NAMES, () => ({
    gateway: 1_000,
    clazz: 2_000,
    'postgres clazz': 3_000,
    'postgres stats': 1_000,
    postgres: 1_000,
  })),
  leader_us: recordOf(KIND_NAMES, () => 100),
  stored: recordOf(KIND_NAMES, () => EACH),
  made: { lesson: NOTHING, enrolment: NOTHING },
  catch_up: { roll_calls_per_s: 100 },
  verify: { entries_per_s: 100_000 },
  idle_share: {},
  memory_mb: { gateway: 100, broker: 20, service: 80, connection: 5 },
  connections: { at_most: 29, of_four: 40 },
  row_bytes: {},
};

/** As much again in statistics. */
const BOTH: Figures = { ...FIGURES, stored: recordOf(KIND_NAMES, () => ({ ...EACH, statistics: 150 })) };

/** One request a second of each organization at the peak: its one student reads the week. */
const ONE = profileWith({
  ...recordOf(
    [
      'lessons',
      'student_packages',
      'student_figures',
      'teacher_weeks',
      'teacher_classes',
      'teacher_figures',
      'teacher_changes',
      'office_timetables',
      'office_searches',
      'office_changes',
      'office_edits',
    ] as const,
    () => 0,
  ),
  students: 1,
  student_weeks: 3_600,
  peak_share: 0.5,
  burst: 2,
  utilisation: 0.5,
  days: 5,
  weeks: 40,
  years: 2,
  room: 1,
});

describe('The demand of an organization', () => {
  it('is counted by its people and lessons', () => {
    const { day, made, schoolDays } = demandOf(
      profileWith({ students: 300, lessons: 5, class_size: 25, days: 5, weeks: 44, enrolments: 4 }),
    );
    expect(schoolDays).toBe(220);
    expect(day.roll_call).toBe(12);
    expect(made).toEqual({ lesson: 12 * 220, enrolment: 1_200 });
    expect(day.my_week).toBe(300 * 2 + 20 * 4);
    expect(day.change).toBe(20 * 2 + 3 * 20);
  });

  it('counts a roll call of more than the measured 30 students as more, and a smaller one as one', () => {
    const rollCalls = (class_size: number): number =>
      demandOf(profileWith({ students: 900, lessons: 5, days: 5, class_size })).day.roll_call;
    expect(rollCalls(60)).toBe(2 * 15);
    expect(rollCalls(10)).toBe(90);
  });

  it('is that of the busiest minute of the busiest hour', () => {
    expect(demandOf(ONE).peak.my_week).toBe(1);
  });
});

describe('The sizes', () => {
  it('are cores at the peak with reserve, and instances of processes with one core each', () => {
    const { instances, postgresCores: cores, requests, cells, connections } = planFor(600, FIGURES, ONE);
    expect({ requests, cells }).toEqual({ requests: 600, cells: 1 });
    // 0.6 and 1.2 cores, half of each used.
    expect(instances).toEqual({ gateway: 2, clazz: 3, course: 1, package: 1, stats: 1 });
    expect(cores).toBe(6);
    expect(connections).toBe((6 + 4) * 29);
  });

  it('are bytes of a year of school days, times the stored years', () => {
    const plan = planFor(10, FIGURES, ONE);
    const entries = 10 * 3_600 * 200 * 2;
    expect(plan.diskGb).toBeCloseTo((entries * 150) / 1e9);
    expect(plan.trailGb).toBeCloseTo((entries * 50) / 1e9);
    expect(plan.walDayGb).toBeCloseTo((10 * 3_600 * 2_000) / 1e9);
    expect(plan.walPeakMb).toBeCloseTo(0.02);
    expect(plan.verifying).toBeCloseTo(entries / 100_000 / 86_400);
    expect(plan.backupGb).toBeCloseTo(7 * (plan.diskGb + plan.walDayGb));
  });

  it('are those of one cell if several are needed', () => {
    const size = cellSize(limitsOf(costsOf(FIGURES, ONE), FIGURES, ONE));
    expect(planFor(size, FIGURES, ONE)).toMatchObject({ cells: 1, each: size });
    expect(planFor(size + 1, FIGURES, ONE)).toMatchObject({ cells: 2, each: Math.ceil((size + 1) / 2) });
  });

  it('give each service a Postgres of its own where one is too small', () => {
    const more = profileWith({ ...ONE, postgres_cores: 5 });
    expect(planFor(600, FIGURES, ONE).split).toBe(false);
    expect(planFor(600, FIGURES, more).split).toBe(true);
    expect(planFor(600, FIGURES, profileWith({ ...ONE, max_connections: 289 })).split).toBe(true);
    // 130 GB of classes, and none of statistics.
    expect(planFor(600, FIGURES, profileWith({ ...ONE, postgres_disk_tb: 0.13 })).split).toBe(false);
    expect(planFor(600, BOTH, profileWith({ ...ONE, postgres_disk_tb: 0.13 })).split).toBe(true);
  });
});

describe('The limits', () => {
  const orgsOf = (what: RegExp, profile = ONE): number | undefined =>
    limitsOf(costsOf(FIGURES, profile), FIGURES, profile).find((limit) => what.test(limit.what))?.orgs;

  it('are where a resource is planned to be used up, the lowest first', () => {
    expect(orgsOf(/one gateway/)).toBeCloseTo(500);
    expect(orgsOf(/one clazz process/)).toBeCloseTo(250);
    expect(orgsOf(/on 2 cores/)).toBeCloseTo(200);
    expect(orgsOf(/that leads/)).toBeCloseTo(5_000);
    expect(orgsOf(/MB\/s/)).toBeCloseTo(50_000);
    const all = limitsOf(costsOf(FIGURES, ONE), FIGURES, ONE).map(({ orgs }) => orgs);
    expect(all).toEqual(all.toSorted((a, b) => a - b));
  });

  it('fall with every year that audit logs grow', () => {
    expect(orgsOf(/verifying all audit logs/)).toBeCloseTo((86_400 * 100_000 * 0.5) / (3_600 * 200 * 2));
    expect(orgsOf(/verifying all audit logs/, profileWith({ ...ONE, years: 4 }))).toBeCloseTo(
      (86_400 * 100_000 * 0.5) / (3_600 * 200 * 4),
    );
  });

  it('leave out resources that nothing uses', () => {
    expect(orgsOf(/one course/)).toBeUndefined();
  });

  it('distribute the shared work of Postgres by the work of each service', () => {
    expect(postgresCores(costsOf(FIGURES, ONE))).toEqual({ all: 0.005, largest: 0.00375 });
  });
});

it.each([
  [0, '0'],
  [0.0123, '0.012'],
  [9.96, '10'],
  [1_234, '1,200'],
  [123_456, '120,000'],
])('rounds %d to %s', (value, expected) => {
  expect(rounded(value)).toBe(expected);
});

it('never rounds a number of organizations up', () => {
  expect(rounded(1_999, Math.floor)).toBe('1,900');
});
