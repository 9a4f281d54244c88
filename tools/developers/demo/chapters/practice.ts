import { isTrue, present, refused, same } from '../expectation.ts';
import type { Stage } from '../scenario-stage.ts';
import type { School } from './school.ts';

const QUESTIONS = [
  {
    id: 'q1',
    kind: 'single_choice' as const,
    prompt: '“你好” 的意思是？',
    options: ['hello', 'goodbye', 'thank you'],
    answer_key: 'hello',
    points: 4,
  },
  { id: 'q2', kind: 'free_text' as const, prompt: '介绍一下你自己。', points: 6 },
];

/** Practice is handed in, marked and released; before that the student learns nothing about the mark. */
export const practice = async ({ as, say, chapter }: Stage, { sections }: School): Promise<void> => {
  chapter('Practice: handed in, marked, released');
  const body = {
    title: '第一次练习',
    course_section_id: present('a section', sections[0]),
    content: { questions: QUESTIONS },
    student_ids: ['amina'],
  };
  const { id } = (await as.li.createLianxi({ body })).data;
  const path = { id };

  say('The student gets the questions, never the answer key; other students get 404.');
  const shown = (await as.amina.getLianxi({ path })).data;
  isTrue('no question shows its key', !shown.content.questions.some((question) => 'answer_key' in question));
  await refused(as.ben.getLianxi({ path }), 404, 'not_found');
  const answers = { q1: 'hello', q2: '我叫阿米娜，我是学生。' };
  const handedIn = (await as.amina.submitLianxi({ path, body: { answers } })).data;
  same('attempt, late', [handedIn.attempt, handedIn.late], [1, false]);

  say('The teacher takes it from the queue; a claim excludes other teachers.');
  const submission = { submission_id: handedIn.id };
  const queue = (await as.li.listPiyueQueue({ query: { lianxi_id: id } })).data.items;
  same(
    'the queue',
    queue.map((row) => row.id),
    [handedIn.id],
  );
  await as.li.claimSubmission({ path: submission });
  await refused(as.sun.claimSubmission({ path: submission }), 409, 'claim_held');
  const mark = { score: '9.00', points: { q1: 4, q2: 5 }, comment: '很好！' };
  same('status', (await as.li.markSubmission({ path: submission, body: mark })).data.status, 'marked');
  const before = (await as.amina.listSubmissions({ path })).data.items;
  same('the score before release', before[0]?.score, undefined);

  say('After the release, the student sees the mark.');
  await as.li.releaseSubmissionMarks({ body: { submission_ids: [handedIn.id] } });
  const after = (await as.amina.listSubmissions({ path })).data.items;
  same('the score after release', after[0]?.score, '9.00');
  const { mean } = (await as.li.getLianxiOverview({ path })).data;
  same('the mean that its teacher sees', mean, '9.00');
};
