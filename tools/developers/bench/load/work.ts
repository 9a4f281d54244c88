import { z } from 'zod';

/** A package and what is needed to work on it. */
export const PackageSeed = z.object({ token: z.string(), org: z.string(), id: z.string(), course: z.string() });
export type PackageSeed = z.infer<typeof PackageSeed>;

export const ClazzSeed = z.object({
  token: z.string(),
  org: z.string(),
  id: z.string(),
  /** Who leads it. */
  teacher: z.string(),
  students: z.array(z.string()),
});
export type ClazzSeed = z.infer<typeof ClazzSeed>;

/** A lesson whose roll call may be taken now and was not. */
export const LessonSeed = z.object({ token: z.string(), id: z.string(), students: z.array(z.string()) });
export type LessonSeed = z.infer<typeof LessonSeed>;

/** What is asked again and again, by its path, as a person. */
export const ASKED = [
  'my-lessons',
  'teacher-detail',
  'timetable',
  'my-week',
  'clazz-students',
  'classes',
  'accounts',
] as const;

/** A question, as the person who asks it. */
export const FigureSeed = z.object({ token: z.string(), path: z.string() });
export type FigureSeed = z.infer<typeof FigureSeed>;

/** A request and the statements that services sent for it, with their parameters as text. */
export const Recorded = z.object({
  token: z.string(),
  org: z.string(),
  path: z.string(),
  statements: z.array(
    z.object({ service: z.string(), name: z.string(), text: z.string(), values: z.array(z.string().nullable()) }),
  ),
});
export type Recorded = z.infer<typeof Recorded>;

/** Statements that are sent straight to Postgres, as the roles of their services and bound to their org. */
export const StatementSeed = z.object({
  url: z.string(),
  requests: z.array(Recorded),
  /** What writes may be sent once. */
  isOnce: z.boolean(),
});
export type StatementSeed = z.infer<typeof StatementSeed>;

/** What people of a school do on a day, each kind with its own data. */
export const MixedSeed = z.object({
  packages: z.array(PackageSeed),
  clazzes: z.array(ClazzSeed),
  questions: z.record(
    z.enum(['my-lessons', 'teacher-detail', 'my-week', 'clazz-students', 'classes', 'accounts']),
    z.array(FigureSeed),
  ),
});
export type MixedSeed = z.infer<typeof MixedSeed>;

/** What is done, and what it is done to. */
export const Work = z.discriminatedUnion('name', [
  z.object({ name: z.literal(['w1', 'w2', 'w3', 'publish']), seed: z.array(PackageSeed) }),
  z.object({ name: z.literal(['roll-call', 'backlog']), seed: z.array(LessonSeed) }),
  z.object({ name: z.literal([...ASKED]), seed: z.array(FigureSeed) }),
  z.object({ name: z.literal('statements'), seed: StatementSeed }),
  z.object({ name: z.literal(['lag', 'create']), seed: z.array(ClazzSeed) }),
  z.object({ name: z.literal('mixed'), seed: MixedSeed }),
]);
export type Work = z.infer<typeof Work>;

/** When to end: after a time, or a number of requests. With a rate, requests leave by the clock, answered or not. */
export const Plan = z.object({
  connections: z.int(),
  seconds: z.number().optional(),
  count: z.int().optional(),
  rate: z.number().optional(),
});
export type Plan = z.infer<typeof Plan>;

/** What the process that makes the load is asked. */
export const Job = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('load'), key: z.string(), address: z.string(), work: Work }),
  z.object({ kind: z.literal('feed'), key: z.string(), lessons: z.array(LessonSeed) }),
  z.object({ kind: z.literal('run'), key: z.string(), plan: Plan }),
  z.object({ kind: z.literal('follow'), key: z.string() }),
]);
export type Job = z.infer<typeof Job>;

/** What came of a run: how long each took, in milliseconds, and other times by name. */
export const Outcome = z.object({
  seconds: z.number(),
  latencies: z.array(z.number()),
  others: z.record(z.string(), z.array(z.number())),
  /** Of what steps use up, what is left; `null` when they use up nothing. */
  left: z.number().nullable(),
  /** When some were answered, by name, in milliseconds since 1970. */
  answered: z.record(z.string(), z.number()),
});
export type Outcome = z.infer<typeof Outcome>;
