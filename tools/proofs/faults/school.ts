import { type Answer, listAt, textAt } from '../system/plain-api.ts';
import type { Random } from './random.ts';
import type { WriteRequest, Writer } from './writer.ts';

export const STUDENTS = ['s1', 's2', 's3', 's4', 's5', 's6'];
export const TEACHERS = ['t1', 't2', 't3', 'boss'];
const MARKS = ['present', 'late', 'absent', 'leave', 'trial'];
const DAY_MS = 86_400_000;
/** Each lesson of an organization has its own time slot, so no teacher or student has two lessons at once. */
const SLOT_MS = 1_800_000;

interface Lesson {
  id: string;
  clazz: string;
  marked: boolean;
}

/** An organization and the state that its writers know. Every organization has the same students and teachers. */
export interface School {
  org: string;
  clazzes: string[];
  /** Creates two classes with enrolments, and an exercise. */
  begin: () => Promise<void>;
  /** Sends one random write. The service may refuse it by its rules. */
  act: (random: Random, stopped: () => boolean) => Promise<Answer | undefined>;
}

const iso = (ms: number): string => new Date(ms).toISOString();

export const createSchool = (org: string, { write }: Writer, first = Date.now()): School => {
  const clazzes: string[] = [];
  const enrolled = new Map<string, string[]>();
  let lessons: Lesson[] = [];
  let leaves: string[] = [];
  let lianxi = '';
  let slots = 0;
  let names = 0;
  let stopped: () => boolean = () => false;
  const send = (wish: Omit<WriteRequest, 'org'>): Promise<Answer> => write({ org, ...wish }, stopped);

  const enrol = (clazz: string, student_ids: string[]): Promise<Answer> =>
    send({
      kind: 'enrol',
      path: `/clazz/${clazz}/student`,
      body: { student_ids, since: iso(first - 400 * DAY_MS) },
      audited: 'yes',
      evidence: () => student_ids.map((student) => `enrolment ${clazz} ${student}`),
    });
  const newClazz = async (student_ids: string[]): Promise<Answer> => {
    const body = { name: `Class ${(names += 1)}`, lead_teacher_id: 't1' };
    const evidence = (created: unknown): string[] => [`clazz ${textAt(created, 'id')}`];
    const made = await send({ kind: 'clazz', path: '/clazz', body, audited: 'yes', evidence: evidence });
    const id = textAt(made.body, 'id');
    if (made.status !== 201) return made;
    await send({ kind: 'activate', path: `/clazz/${id}/activate`, audited: 'yes' });
    if ((await enrol(id, student_ids)).status === 201) enrolled.set(id, student_ids);
    clazzes.push(id);
    return made;
  };
  const newLesson = async (random: Random): Promise<Answer> => {
    const clazz = random.pick(clazzes);
    const starts = first - (slots += 1) * SLOT_MS;
    const times = { starts_at: iso(starts), ends_at: iso(starts + SLOT_MS), teacher_id: random.pick(TEACHERS) };
    const made = await send({
      kind: 'lesson',
      path: `/clazz/${clazz}/lesson`,
      body: { ...times, hours: `${1 + random.below(3)}.${random.below(4) * 25 || '00'}` },
      audited: 'yes',
      evidence: (it) => [`lesson ${textAt(it, 'id')}`],
    });
    if (made.status === 201) lessons.push({ id: textAt(made.body, 'id'), clazz, marked: false });
    return made;
  };
  const rollCall = async (random: Random): Promise<Answer> => {
    const lesson = random.pick(lessons);
    const isFirst = !lesson.marked;
    // No other writer takes the same lesson: of two roll calls with the same marks only one changes a row.
    if (isFirst) lessons = lessons.filter((one) => one !== lesson);
    const marks = (enrolled.get(lesson.clazz) ?? []).map((student_id) => ({ student_id, mark: random.pick(MARKS) }));
    const done = await send({
      kind: 'roll call',
      method: 'PUT',
      path: `/clazz/lesson/${lesson.id}/roll-call`,
      body: { marks, reason: 'as it was' },
      audited: isFirst ? 'yes' : 'maybe',
      evidence: (it) =>
        listAt(it, 'marks')
          .filter((row) => textAt(row, 'revision') !== '0')
          .map((row) => `mark ${lesson.id} ${textAt(row, 'student_id')} ${textAt(row, 'revision')}`),
    });
    lesson.marked = true;
    if (isFirst) lessons.push(lesson);
    return done;
  };
  const cancel = async (random: Random): Promise<Answer> => {
    const lesson = random.pick(lessons);
    lessons = lessons.filter((one) => one !== lesson);
    return send({
      kind: 'cancel',
      path: `/clazz/lesson/${lesson.id}/cancel`,
      body: { reason: 'storm', by: 'org' },
      audited: 'yes',
      evidence: () => [`cancelled ${lesson.id}`],
    });
  };
  const grant = (random: Random): Promise<Answer> => {
    const expires = random.below(2) === 0 ? {} : { expires_at: iso(first + random.pick([10, 60]) * DAY_MS) };
    const body = { student_id: random.pick(STUDENTS), hours: `${1 + random.below(20)}.50`, ...expires };
    return send({ kind: 'grant', path: '/clazz/hour/grant', body, evidence: (it) => [`lot ${textAt(it, 'id')}`] });
  };
  const leave = async (random: Random): Promise<Answer> => {
    const lesson = random.pick(lessons);
    const body = { student_id: random.pick(STUDENTS), lesson_id: lesson.id, reason: 'ill' };
    const ids = (it: unknown): string[] => listAt(it, 'items').map((one) => textAt(one, 'id'));
    const requested = await send({
      kind: 'leave',
      path: '/clazz/leave',
      body,
      audited: 'yes',
      evidence: (it) => ids(it).map((id) => `leave ${id}`),
    });
    if (requested.status === 201) leaves.push(...ids(requested.body));
    return requested;
  };
  const decide = async (random: Random): Promise<Answer | undefined> => {
    const id = leaves.pop();
    if (id === undefined) return undefined;
    const path = `/clazz/leave/${id}/${random.pick(['approve', 'reject'])}`;
    return send({ kind: 'decide', path, body: {}, audited: 'yes', evidence: () => [`decided ${id}`] });
  };
  const marking = async (random: Random): Promise<Answer> => {
    const handedIn = await send({
      kind: 'submission',
      as: 'STUDENT',
      sub: random.pick(STUDENTS),
      path: `/ws/lianxi/${lianxi}/submission`,
      body: { answers: { q: 'because' } },
      evidence: (it) => [`submission ${textAt(it, 'id')}`],
    });
    const id = textAt(handedIn.body, 'id');
    if (handedIn.status !== 201) return handedIn;
    const sub = random.pick(TEACHERS);
    await send({ kind: 'claim', as: 'TEACHER', sub, path: `/ws/piyue/${id}/claim` });
    return send({
      kind: 'marking',
      as: 'TEACHER',
      sub,
      method: 'PUT',
      path: `/ws/piyue/${id}`,
      body: { score: 5 },
      evidence: () => [`marking ${id} 1`],
    });
  };
  const withdrawStudent = async (random: Random): Promise<Answer | undefined> => {
    const clazz = random.pick(clazzes);
    const student = enrolled.get(clazz)?.[0];
    if (student === undefined) return undefined;
    const path = `/clazz/${clazz}/student/${student}/withdraw`;
    const withdrawn = await send({ kind: 'withdraw', path, audited: 'yes' });
    if (withdrawn.status === 200) enrolled.set(clazz, enrolled.get(clazz)?.filter((one) => one !== student) ?? []);
    return withdrawn;
  };
  const createExercise = async (): Promise<void> => {
    const course = await send({ kind: 'course', path: '/ws/course', body: { title: 'Essays', status: 'active' } });
    const path = `/ws/course/${textAt(course.body, 'id')}/section`;
    const section = await send({ kind: 'section', path, body: { title: 'One' } });
    const content = { questions: [{ id: 'q', kind: 'free_text', prompt: 'why?', points: 10 }] };
    const body = { title: 'Essay', course_section_id: textAt(section.body, 'id'), content, student_ids: STUDENTS };
    const evidence = (created: unknown): string[] => [`lianxi ${textAt(created, 'id')}`];
    lianxi = textAt((await send({ kind: 'lianxi', path: '/ws/lianxi', body, evidence: evidence })).body, 'id');
  };
  const actions: readonly (readonly [number, (random: Random) => Promise<Answer | undefined>, boolean?])[] = [
    [6, newLesson],
    [8, rollCall, true],
    [1, cancel, true],
    [5, grant],
    [2, leave, true],
    [2, decide],
    [4, marking],
    [0.3, withdrawStudent],
    [0.3, () => newClazz(STUDENTS.slice(0, 4))],
  ];
  const all = actions.reduce((sum, [weight]) => sum + weight, 0);

  return {
    org,
    clazzes,
    begin: async () => {
      await Promise.all([createExercise(), newClazz(STUDENTS.slice(0, 4)), newClazz(STUDENTS.slice(2))]);
    },
    act: async (random, stop) => {
      stopped = stop;
      let remaining = random.next() * all;
      const [, action, needsLesson] = actions.find(([weight]) => (remaining -= weight) < 0) ?? [0, grant];
      if (clazzes.length === 0) return newClazz(STUDENTS.slice(0, 4));
      const answer = needsLesson === true && lessons.length === 0 ? await newLesson(random) : await action(random);
      // A restored source may have lost the record, so its ids are dropped.
      if (answer?.status === 404) {
        lessons = lessons.slice(-5);
        leaves = [];
      }
      return answer;
    },
  };
};
