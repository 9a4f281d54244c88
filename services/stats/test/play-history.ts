import { HOUR_MS } from '@teaching/kit';
import fc from 'fast-check';
import { expectOk } from '../../../tools/proofs/test/expect-answers.ts';
import type { Api } from '../../../tools/proofs/test/api.ts';
import type { Clock } from '../../../tools/proofs/test/clock.ts';
import type { Fixture } from '../../../tools/proofs/test/fixture.ts';

export const STUDENTS = ['ann', 'ben', 'cho'];
export const TEACHERS = ['teacher-1', 'teacher-2'];
const DECISIONS = ['approve', 'approve', 'reject', 'cancel', 'reopen'] as const;
const MARKS = ['present', 'late', 'absent', 'leave', 'trial'];

/** A step of a history: an action, and numbers that select its people, time and details. */
export const Step = fc.record({
  act: fc.constantFrom(
    'lesson',
    'lesson',
    'lesson',
    'rollCall',
    'rollCall',
    'rollCall',
    'cancel',
    'restore',
    'unschedule',
    'close',
    'close',
    'substitute',
    'substitute',
    'unmark',
    'lead',
    'move',
    'enrol',
    'withdraw',
    'suspend',
    'resume',
    'grant',
    'sell',
    'takeBackGrant',
    'adjust',
    'moveHours',
    'refund',
    'leave',
    'leave',
    'decide',
    'decide',
    'takeBack',
    'makeUp',
    'makeUp',
    'undoMakeUp',
    'changeClass',
    'draft',
    'remove',
    'submit',
    'mark',
    'mark',
    'account',
    'time',
    'complete',
    'reopen',
  ),
  a: fc.nat(1_000),
  b: fc.nat(1_000),
  c: fc.nat(1_000),
});
export type Step = typeof Step extends fc.Arbitrary<infer S> ? S : never;

/** Creates a machine-marked exercise of a class, and two exercises that a person marks. */
const createExercises = async (supervisor: Api, clazz_id: string): Promise<string[]> => {
  const course = expectOk(await supervisor.post('/ws/course', { title: 'Algebra', status: 'active' }), 201);
  const section = expectOk(await supervisor.post(`/ws/course/${course.id}/section`, { title: 'One' }), 201);
  const of = { course_section_id: section.id };
  const quiz = { id: 'q', kind: 'true_false', prompt: 'so?', answer_key: true, points: 10 };
  const essay = { id: 'q', kind: 'free_text', prompt: 'why?', points: 10 };
  const made = [
    await supervisor.post('/ws/lianxi', { ...of, clazz_id, title: 'Quiz', content: { questions: [quiz] } }),
    await supervisor.post('/ws/lianxi', { ...of, clazz_id, title: 'Essay', content: { questions: [essay] } }),
    await supervisor.post('/ws/lianxi', {
      ...of,
      student_ids: [...STUDENTS],
      title: 'Essay',
      content: { questions: [essay] },
    }),
  ];
  return made.map((answer) => expectOk(answer, 201).id);
};

interface Times {
  starts_at: string;
  ends_at: string;
  hours?: number;
  teacher_id?: string | undefined;
}

/** The facts of a played history, as the test recorded them, independent of the services. */
export interface PlayedHistory {
  /** Ids of the classes that were not deleted. */
  clazzes: readonly string[];
  /** By leave id: the user id of the person who approved or rejected it last. */
  deciders: ReadonlyMap<string, string>;
}

/**
 * Plays a history over HTTP. A refused request is a valid step that changes nothing. `between` runs after each step.
 */
export const playHistory = async (
  fixture: Fixture,
  clock: Clock,
  org: string,
  steps: readonly Step[],
  between: () => Promise<void> = async () => {},
): Promise<PlayedHistory> => {
  const supervisor = fixture.as({ role: 'SUPERVISOR', org });
  const clazzes: string[] = [];
  const lessons: string[] = [];
  const leaves: string[] = [];
  const drafts: string[] = [];
  const submissions: string[] = [];
  const deciders = new Map<string, string>();
  const pick = <T>(list: readonly T[], n: number): T | undefined => list[n % list.length];
  const hourAt = (n: number) => {
    const starts = ((n % 400) - 250) * HOUR_MS;
    return { starts_at: clock.after(starts), ends_at: clock.after(starts + HOUR_MS) };
  };
  const spanAt = (n: number, hours: number) => {
    const from = (n % 400) - 250;
    return { from: clock.after(from * HOUR_MS), to: clock.after((from + hours) * HOUR_MS) };
  };
  const ahead = (n: number) => hourAt(252 + (n % 100));
  const lessonIn = async (n: number, fields: Times): Promise<string | undefined> => {
    const { status, body } = await supervisor.post(`/clazz/${pick(clazzes, n)}/lesson`, fields);
    if (status !== 201) return undefined;
    lessons.push(body.id);
    return body.id;
  };
  for (const name of ['Algebra', 'Botany', 'Chess']) {
    const { body } = await supervisor.post('/clazz', { name, lead_teacher_id: 'teacher-1' });
    await supervisor.post(`/clazz/${body.id}/activate`);
    clazzes.push(body.id);
  }
  for (const id of clazzes.slice(0, 2))
    await supervisor.post(`/clazz/${id}/student`, { student_ids: ['ann'], since: '2026-10-01T00:00:00Z' });
  const studentOf = (n: number) => fixture.as({ role: 'STUDENT', org, sub: pick(STUDENTS, n) ?? '' });
  const exercises = await createExercises(supervisor, clazzes[0] ?? '');
  const actions: Record<Step['act'], (step: Step) => Promise<unknown>> = {
    lesson: ({ a, b, c }) => lessonIn(a, { ...hourAt(b), hours: (c % 300) / 100, teacher_id: pick(TEACHERS, c) }),
    rollCall: async ({ a, b, c }) => {
      const path = `/clazz/lesson/${pick(lessons, a)}/roll-call` as const;
      const { body } = await supervisor.get(path);
      const marks = (body.marks ?? []).map(({ student_id }, index) => ({
        student_id,
        mark: pick(MARKS, b + c * index),
      }));
      await supervisor.put(path, { marks, reason: 'as it was' });
    },
    cancel: ({ a }) => supervisor.post(`/clazz/lesson/${pick(lessons, a)}/cancel`, { reason: 'storm' }),
    restore: ({ a }) => supervisor.post(`/clazz/lesson/${pick(lessons, a)}/restore`, { reason: 'no storm' }),
    unschedule: ({ a }) => supervisor.delete(`/clazz/lesson/${lessons.at(-1 - (a % 2))}`),
    // Closes up to five days for everyone, a class or a teacher.
    close: ({ a, b, c }) => {
      const { from, to } = spanAt(a, 1 + (b % 120));
      const of = [{}, { clazz_ids: [pick(clazzes, b)] }, { teacher_id: pick(TEACHERS, b) }];
      return supervisor.post('/clazz/closure', { from, to, reason: 'storm', ...pick(of, c) });
    },
    // Substitutes all lessons of five days: by the other teacher, or by any free teacher.
    substitute: ({ a, b, c }) => {
      const { from, to } = spanAt(a, 120);
      const others = c % 2 === 0 ? {} : { with: pick(TEACHERS, b + 1) };
      return supervisor.post('/clazz/substitution', { teacher_id: pick(TEACHERS, b), from, to, ...others });
    },
    unmark: async ({ a, b }) => {
      const path = `/clazz/lesson/${pick(lessons, a)}/roll-call` as const;
      const marked = ((await supervisor.get(path)).body.marks ?? []).filter(({ mark }) => mark !== null);
      const which = b % 2 === 0 ? marked : marked.slice(0, 1);
      const marks = which.map(({ student_id }) => ({ student_id, mark: null }));
      await supervisor.put(path, { marks, reason: 'a wrong list' });
    },
    lead: ({ a, b }) => supervisor.patch(`/clazz/${pick(clazzes, a)}`, { lead_teacher_id: pick(TEACHERS, b) }),
    move: ({ a, b, c }) =>
      supervisor.patch(`/clazz/lesson/${pick(lessons, a)}`, { ...hourAt(b), teacher_id: pick(TEACHERS, c) }),
    enrol: ({ a, b, c }) =>
      supervisor.post(`/clazz/${pick(clazzes, a)}/student`, {
        student_ids: [pick(STUDENTS, b)],
        since: clock.after(-(c % 300) * HOUR_MS),
      }),
    withdraw: ({ a, b }) => supervisor.post(`/clazz/${pick(clazzes, a)}/student/${pick(STUDENTS, b)}/withdraw`),
    suspend: ({ a, b }) => supervisor.post(`/clazz/${pick(clazzes, a)}/student/${pick(STUDENTS, b)}/suspend`),
    resume: ({ a, b }) => supervisor.post(`/clazz/${pick(clazzes, a)}/student/${pick(STUDENTS, b)}/resume`),
    grant: ({ a, b, c }) =>
      supervisor.post('/clazz/hour/grant', {
        student_id: pick(STUDENTS, a),
        hours: 1 + (b % 900) / 100,
        ...(c % 2 === 0 ? {} : { expires_at: clock.after((c % 1_500) * HOUR_MS) }),
      }),
    // Grants to several students at once, each with another price.
    sell: ({ a, b, c }) =>
      supervisor.post('/clazz/hour/grant/bulk', {
        grants: STUDENTS.slice(a % STUDENTS.length).map((student_id, n) => ({
          student_id,
          hours: 1 + ((b + n) % 700) / 100,
          price_minor: 100 + ((c + n) % 900),
          currency: pick(['EUR', 'USD'], c),
        })),
      }),
    takeBackGrant: async ({ a, b, c }) => {
      const price = c % 2 === 0 ? {} : { price_minor: c + 1, currency: 'EUR' };
      const grant = { student_id: pick(STUDENTS, a), hours: 1 + b / 100, ...price };
      const { body } = await supervisor.post('/clazz/hour/grant', grant);
      await supervisor.post(`/clazz/hour/grant/${body.id}/undo`);
    },
    adjust: ({ a, b }) => {
      const hours = (b % 500) / 100 - 2;
      return supervisor.post('/clazz/hour/adjust', { student_id: pick(STUDENTS, a), hours, reason: 'a mistake' });
    },
    moveHours: ({ a, b }) =>
      supervisor.post('/clazz/hour/transfer', {
        from_student_id: pick(STUDENTS, a),
        to_student_id: pick(STUDENTS, a + 1),
        hours: 1 + (b % 200) / 100,
        reason: 'friends',
      }),
    refund: async ({ a, b }) => {
      if (b % 3 > 0) return;
      const currency = pick(['EUR', 'USD'], b);
      const { body } = await supervisor.post('/clazz/hour/refund-quote', { student_id: pick(STUDENTS, a), currency });
      await supervisor.post('/clazz/hour/refund', { quote_id: body.quote_id });
    },
    leave: async ({ a, b }) => {
      const { body } = await supervisor.post('/clazz/leave', {
        student_id: pick(STUDENTS, a),
        lesson_id: pick(lessons, b),
        reason: 'ill',
      });
      for (const { id } of body.items ?? []) leaves.push(id);
    },
    decide: async ({ a, b }) => {
      const [id, act] = [pick(leaves, a), pick(DECISIONS, b) ?? 'approve'];
      const { status } = await supervisor.post(`/clazz/leave/${id}/${act}`, { reason: 'so it is' });
      if (id === undefined || status !== 200 || act === 'cancel') return;
      if (act === 'reopen') deciders.delete(id);
      else deciders.set(id, 'supervisor-1');
    },
    // A student who cancels a leave does not decide it.
    takeBack: ({ a, b }) => studentOf(b).post(`/clazz/leave/${pick(leaves, a)}/cancel`),
    // Approved leave from a future lesson, with a make-up in the class that has no members at first.
    makeUp: async ({ a, b, c }) => {
      const [missed, other] = [await lessonIn(a % 2, { ...ahead(c), hours: 1 }), await lessonIn(2, ahead(c + 7))];
      const request = { student_id: pick(STUDENTS, b), lesson_id: missed, reason: 'ill' };
      const { body } = await supervisor.post('/clazz/leave', request);
      for (const { id } of body.items ?? []) {
        leaves.push(id);
        const { status } = await supervisor.post(`/clazz/leave/${id}/approve`);
        if (status === 200) deciders.set(id, 'supervisor-1');
        await supervisor.post(`/clazz/leave/${id}/make-up`, { lesson_id: other });
      }
    },
    undoMakeUp: ({ a }) => supervisor.delete(`/clazz/leave/${pick(leaves, a)}/make-up`),
    changeClass: ({ a, b }) =>
      supervisor.post(`/clazz/${pick(clazzes, a)}/student/${pick(STUDENTS, b)}/transfer`, {
        to_clazz_id: pick(clazzes, a + 1),
      }),
    // A draft with a student of its own, another student, a lesson and leave.
    draft: async ({ a, b }) => {
      const { body } = await supervisor.post('/clazz', { name: 'Draft', lead_teacher_id: 'teacher-2' });
      drafts.push(body.id);
      await supervisor.post(`/clazz/${body.id}/student`, { student_ids: ['dan', pick(STUDENTS, b)] });
      const { body: lesson } = await supervisor.post(`/clazz/${body.id}/lesson`, hourAt(a));
      const answer = await supervisor.post('/clazz/leave', { student_id: 'dan', lesson_id: lesson.id, reason: 'ill' });
      for (const { id } of answer.body.items ?? []) leaves.push(id);
    },
    remove: async ({ a }) => {
      const { status } = await supervisor.delete(`/clazz/${pick(drafts, a)}`);
      if (status < 300) drafts.splice(a % drafts.length, 1);
    },
    submit: async ({ a, b }) => {
      const answers = { q: b % 2 === 0 };
      const path = `/ws/lianxi/${pick(exercises, a)}/submission` as const;
      const { status, body } = await studentOf(b).post(path, {
        answers: a % exercises.length === 0 ? answers : { q: 'because' },
      });
      if (status === 201) submissions.push(body.id);
    },
    mark: async ({ a, b, c }) => {
      const [id, teacher] = [pick(submissions, a), fixture.as({ role: 'TEACHER', org, sub: pick(TEACHERS, b) ?? '' })];
      await teacher.post(`/ws/piyue/${id}/claim`);
      await teacher.put(`/ws/piyue/${id}`, { score: c % 10, reason: 'so it is' });
      if (c % 3 === 0) await teacher.post('/ws/piyue/release', { submission_ids: [id] });
    },
    account: ({ a }) => supervisor.get(`/clazz/hour/account/${pick(STUDENTS, a)}`),
    time: async ({ a }) => {
      clock.advance((a % 60) * HOUR_MS);
    },
    complete: ({ a, b }) =>
      b % 4 === 0
        ? supervisor.post(`/clazz/${pick(clazzes, a)}/complete`, { force: true, reason: 'over' })
        : Promise.resolve(),
    reopen: ({ a }) => supervisor.post(`/clazz/${pick(clazzes, a)}/reopen`, { reason: 'not over' }),
  };
  for (const step of steps) {
    await actions[step.act](step);
    await between();
  }
  return { clazzes: [...clazzes, ...drafts], deciders };
};
