import {
  type Answers,
  courseEvents,
  type Lianxi,
  lianxiCalls,
  MAX_ANSWER_BYTES,
  notFound,
  Problem,
} from '@teaching/contracts';
import { newId, prepared, type Session, statement } from '@teaching/kit';
import { accessOf } from '../lianxi/assignment.ts';
import { clazzesOf } from '../lianxi/references.ts';
import { answerProblems, scoreAnswers } from './scoring.rules.ts';
import { type StoredSubmission, viewOf } from './submission.rules.ts';

/** Attempts of one student at one practice are numbered one after the other. */
const ONE_ATTEMPT = statement(`select pg_advisory_xact_lock(hashtextextended($1 || ' ' || $2 || ' ' || $3, 5))`);
/** Shared: the questions cannot change while they are answered, and others may answer at the same time. */
const READ = statement<{ content: Lianxi['content']; teacher_id: string; due_at: string | null; attempts: number }>(
  `select l.content, l.teacher_id,
     coalesce((select e.due_at from lianxi_extension e
               where e.org_id = l.org_id and e.lianxi_id = l.id and e.student_id = $3), l.due_at) as due_at,
     (select coalesce(max(s.attempt), 0) from submission s
      where s.org_id = l.org_id and s.lianxi_id = l.id and s.student_id = $3) as attempts
   from lianxi l where l.org_id = $1 and l.id = $2 for share of l`,
);
const INSERT = statement(
  `insert into submission (org_id, id, lianxi_id, teacher_id, student_id, attempt, answers, submitted_at,
     status, revision, score, points, marked_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
);
const INSERT_MARK = statement(
  `insert into mark_revision (org_id, submission_id, revision, score, points, marked_at)
   values ($1, $2, 1, $3, $4, $5)`,
);

const store = (session: Session, teacher_id: string, it: StoredSubmission): void => {
  const points = JSON.stringify(it.points);
  const who = [session.org_id, it.id, it.lianxi_id, teacher_id, it.student_id, it.attempt];
  const what = [JSON.stringify(it.answers), it.submitted_at, it.status, it.revision, it.score, points, it.marked_at];
  session.run(INSERT, ...who, ...what);
  if (it.revision > 0) session.run(INSERT_MARK, session.org_id, it.id, it.score, points, it.marked_at);
};

const checkSize = (answers: Answers): void => {
  if (Buffer.byteLength(JSON.stringify(answers)) <= MAX_ANSWER_BYTES) return;
  const message = `must not be larger than ${MAX_ANSWER_BYTES} bytes`;
  throw new Problem('invalid_request', { errors: [{ path: '/body/answers', message }] });
};

/** Each submission is a new attempt. What a machine can score is scored at once; the student is not told yet. */
export const createSubmission = prepared(lianxiCalls.submit, {
  prepare: (_input, session) => clazzesOf(session, session.caller.user_id),
  run: async ({ path, body }, session, clazz_ids) => {
    checkSize(body.answers);
    const student_id = session.caller.user_id;
    session.run(ONE_ATTEMPT, session.org_id, path.id, student_id);
    const [found, { mayHandIn }] = await Promise.all([
      session.one(READ, session.org_id, path.id, student_id),
      accessOf(session, path.id, student_id, clazz_ids),
    ]);
    if (found === undefined || !mayHandIn) throw notFound('Lianxi');
    const { questions } = found.content;
    const errors = answerProblems(questions, body.answers);
    if (errors.length > 0) throw new Problem('invalid_request', { errors });
    const { points, score } = scoreAnswers(questions, body.answers);
    const at = session.now.toISOString();
    const created: StoredSubmission = {
      id: newId(),
      lianxi_id: path.id,
      student_id,
      attempt: found.attempts + 1,
      answers: body.answers,
      submitted_at: at,
      due_at: found.due_at,
      status: score === null ? 'submitted' : 'marked',
      revision: score === null ? 0 : 1,
      score,
      points,
      marked_at: score === null ? null : at,
      marked_by: null,
      claimed_by: null,
      claim_expires_at: null,
      comment: null,
      rubric: null,
      released_at: null,
      version: 1,
    };
    store(session, found.teacher_id, created);
    const answer = viewOf(created, { ...session.caller, roles: ['STUDENT'] }, session.now);
    session.emit(courseEvents.submissionCreated, created.id, {
      submission_id: created.id,
      lianxi_id: path.id,
      student_id,
      attempt: created.attempt,
      status: created.status,
      late: answer.late,
      submitted_at: at,
    });
    return answer;
  },
});
