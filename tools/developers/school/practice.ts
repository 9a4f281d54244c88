import { DAY_MS } from '../../../libs/kit/src/base/time.ts';
import { inParallel } from '../../operators/cli/in-parallel.ts';
import { draw, pick } from './random-draws.rules.ts';
import type { SchoolClazz } from './clazzes.ts';
import type { Courses } from './courses.ts';
import { allOf, type SchoolContext, PARALLEL } from './school-context.ts';
import { isComing } from './special-students.ts';
import type { MadeClazz } from './timetable.ts';

/** Questions by the key of the class. The last one is marked by a teacher. */
interface Practice {
  title: string;
  /** The first option is right. */
  choice: [string, string[]];
  truth: [string, boolean];
  text: string;
  /** Answers of students. */
  said: readonly [string, ...string[]];
}
const PRACTICES: Readonly<Record<string, Practice>> = {
  'spanish-a1': {
    title: 'Saludos: primera práctica',
    choice: ['«Buenas noches» se dice…', ['por la noche', 'por la mañana', 'a mediodía']],
    truth: ['«Usted» es formal.', true],
    text: 'Preséntate en tres frases.',
    said: ['Me llamo Ana. Soy de Lisboa. Me gusta el cine.', 'Hola, soy estudiante. Vivo en Madrid. Tengo dos gatos.'],
  },
  'hsk-2': {
    title: '问路：第一次练习',
    choice: ['“请问，银行怎么走？” 问的是什么？', ['路', '时间', '价钱']],
    truth: ['“左” 的反义词是 “右”。', true],
    text: '写三句话：从学校怎么去火车站？',
    said: ['先往前走。到银行往左走。火车站在右边。', '坐二路车。坐三站。下车就是火车站。'],
  },
  'english-teens': {
    title: 'School life: first practice',
    choice: ['“to hand in” means…', ['to give', 'to forget', 'to copy']],
    truth: ['“Homeworks” is the plural of “homework”.', false],
    text: 'Describe your best day at school in five sentences.',
    said: [
      'It was the day of the school play. I was the king. My crown fell off. Everybody laughed. So did I.',
      'We went to the sea. It rained all day. We sang on the bus. Nobody minded. I found a shell.',
    ],
  },
  'maths-olympiad': {
    title: 'Numbers: first problems',
    choice: ['Which of these is prime?', ['97', '91', '87']],
    truth: ['The sum of two odd numbers is odd.', false],
    text: 'Prove that n² + n is even for every whole n.',
    said: [
      'n² + n = n(n + 1), and one of two neighbours is even.',
      'If n is even, both are even; if n is odd, both are odd, and their sum is even.',
    ],
  },
};

const POINTS = { choice: 3, truth: 2, text: 5 };

const questionsOf = ({ choice: [prompt, options], truth, text }: Practice) => [
  {
    id: 'choice',
    kind: 'single_choice' as const,
    prompt,
    options: options.toSorted(),
    answer_key: options[0],
    points: POINTS.choice,
  },
  { id: 'truth', kind: 'true_false' as const, prompt: truth[0], answer_key: truth[1], points: POINTS.truth },
  { id: 'text', kind: 'free_text' as const, prompt: text, points: POINTS.text },
];

const answersOf = ({ choice: [, options], truth, said }: Practice, student_id: string) => ({
  choice: options[draw(4, 'choice', student_id)] ?? options[0] ?? '',
  truth: draw(4, 'truth', student_id) === 0 ? !truth[1] : truth[1],
  text: pick(said, 'said', student_id),
});

/** A teacher's points for them. */
const pointsOf = (practice: Practice, student_id: string) => {
  const { choice, truth } = answersOf(practice, student_id);
  return {
    choice: choice === practice.choice[1][0] ? POINTS.choice : 0,
    truth: truth === practice.truth[1] ? POINTS.truth : 0,
    text: 2 + draw(POINTS.text - 1, 'x', student_id),
  };
};

/** What happens to attempts. */
type Fate = 'released' | 'marked' | 'claimed' | 'waits';
const fateOf = (student_id: string, title: string): Fate => {
  const drawn = draw(10, 'fate', student_id, title);
  if (drawn < 4) return 'released';
  if (drawn < 6) return 'marked';
  return drawn === 6 ? 'claimed' : 'waits';
};

/** Some do not hand in. */
const handsIn = (clazz: SchoolClazz, student_id: string): boolean =>
  isComing(clazz.key, student_id) && draw(6, 'hand in', clazz.key, student_id) > 0;

const makePractice = async (
  making: SchoolContext,
  { id: clazz_id, clazz }: MadeClazz,
  section_id: string,
  known: { id: string } | undefined,
): Promise<void> => {
  const practice = PRACTICES[clazz.key];
  if (practice === undefined) return;
  const teacher = making.as(clazz.teacher);
  const { title } = practice;
  // Half of them are due already, so later attempts are late.
  const due_at = new Date(making.now.getTime() + (draw(2, 'due', title) === 0 ? -1 : 6) * DAY_MS).toISOString();
  const content = { questions: questionsOf(practice) };
  const id =
    known?.id ??
    (await teacher.createLianxi({ body: { title, course_section_id: section_id, content, due_at, clazz_id } })).data.id;
  const path = { id };
  const there = await allOf((cursor) => teacher.listSubmissions({ path, query: { limit: '100', cursor } }));
  const all = await inParallel(
    clazz.students.filter((student_id) => handsIn(clazz, student_id)),
    PARALLEL,
    async (student_id) => {
      making.onStep();
      const handedIn = there.find((it) => it.student_id === student_id);
      return (
        handedIn ??
        (await making.as(student_id).submitLianxi({ path, body: { answers: answersOf(practice, student_id) } })).data
      );
    },
  );
  const release: string[] = [];
  for (const { id: submission_id, student_id, status } of all) {
    const fate = fateOf(student_id, title);
    if (fate === 'released' && status !== 'released') release.push(submission_id);
    if (fate === 'waits' || status !== 'submitted') continue;
    await teacher.claimSubmission({ path: { submission_id } });
    if (fate === 'claimed') continue;
    const points = pointsOf(practice, student_id);
    const score = points.choice + points.truth + points.text;
    const comment = score > 6 ? 'Very good! 很好！' : 'Look at it once more.';
    await teacher.markSubmission({ path: { submission_id }, body: { score, points, comment } });
  }
  if (release.length > 0) await teacher.releaseSubmissionMarks({ body: { submission_ids: release } });
};

/** Practice of some classes: handed in, waiting, claimed, marked, released. */
export const makePractices = async (
  making: SchoolContext,
  made: readonly MadeClazz[],
  courses: Courses,
): Promise<void> => {
  const there = await allOf((cursor) => making.office.listLianxi({ query: { limit: '100', cursor } }));
  for (const it of made) {
    const section_id = courses.get(it.clazz.course)?.section_ids[0];
    if (section_id === undefined) continue;
    await makePractice(
      making,
      it,
      section_id,
      there.find(({ title }) => title === PRACTICES[it.clazz.key]?.title),
    );
  }
};
