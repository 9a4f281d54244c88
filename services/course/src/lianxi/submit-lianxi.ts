import { courseEvents, lianxiCalls, notFound, Problem } from '@teaching/contracts';
import { notNull, newId, voidResult, p, twoStepHandler, statement } from '@teaching/kit';
import { lianxiAccess } from './assignment.ts';
import { clazzIdsOfStudent } from './lianxi-references.ts';
import { EFFECTIVE_TIMES, joinExtension } from './extend-lianxi.ts';
import { requireOpen } from './lianxi.rules.ts';
import { LIANXI } from './lianxi-rows.ts';
import { answerProblems, initialMark } from './scoring.rules.ts';
import { namedSubmissionView, type StoredSubmission } from './submission.rules.ts';
import { saveMarkRevision, SUBMISSION } from './submission-rows.ts';

/** Serializes the attempts of one student at one exercise, so that their numbers have no gaps. */
const LOCK_ATTEMPTS = statement("select own_turn($1, 'attempt ' || $2 || ' ' || $3)", { own_turn: voidResult() });
const student = '(select display_name from member where org_id = l.org_id and user_id = $3)';
/** A shared lock: the questions cannot change during the attempt, and students can submit at the same time. */
const READ = statement(
  `select l.title as lianxi_title, ${student} as student_name, l.content, l.teacher_id, l.release, l.max_attempts,
     ${EFFECTIVE_TIMES.due_at} as due_at, ${EFFECTIVE_TIMES.closes_at} as closes_at,
     (select coalesce(max(s.attempt), 0) from submission s
      where s.org_id = l.org_id and s.lianxi_id = l.id and s.student_id = $3) as attempts
   from lianxi l ${joinExtension('$3')} where l.org_id = $1 and l.id = $2 for share of l`,
  {
    ...LIANXI.pick('content', 'teacher_id', 'release', 'max_attempts', 'due_at', 'closes_at').shape,
    lianxi_title: LIANXI.shape.title,
    student_name: p.text().nullable(),
    attempts: notNull(p.integer()),
  },
);

/**
 * Stores a new attempt. Closed questions are scored at once. The mark is released at once if the exercise has
 * `release: at_once` and a machine can score all of it.
 */
export const submitLianxi = twoStepHandler(lianxiCalls.submitLianxi, {
  prepare: (_input, session) => clazzIdsOfStudent(session, session.caller.user_id),
  run: async ({ path, body }, session, clazz_ids) => {
    const { org_id } = session;
    const student_id = session.caller.user_id;
    session.run(LOCK_ATTEMPTS, org_id, path.id, student_id);
    const [found, { canSubmit }] = await Promise.all([
      session.queryOne(READ, org_id, path.id, student_id),
      lianxiAccess(session, path.id, student_id, clazz_ids),
    ]);
    if (found === undefined || !session.access.allows({ member: canSubmit })) throw notFound('Exercise');
    const { questions } = found.content;
    const errors = answerProblems(questions, body.answers);
    if (errors.length > 0) throw new Problem('invalid_request', { errors });
    requireOpen(found, found.attempts, session.now);
    const submitted_at = session.now.toISOString();
    const created: StoredSubmission = {
      id: newId(),
      lianxi_id: path.id,
      student_id,
      attempt: found.attempts + 1,
      answers: body.answers,
      submitted_at,
      due_at: found.due_at,
      ...initialMark(found, body.answers, submitted_at),
      claimed_by: null,
      claim_expires_at: null,
      version: 1,
    };
    session.insert(SUBMISSION, { ...created, org_id, teacher_id: found.teacher_id });
    saveMarkRevision(session, created, null);
    const { lianxi_title, student_name } = found;
    const withNames = { ...created, lianxi_title, student_name, marked_by_name: null, claimed_by_name: null };
    const answer = namedSubmissionView(withNames, { ...session.caller, roles: ['STUDENT'] }, session.now);
    session.emit(courseEvents.submissionCreated, created.id, {
      submission_id: created.id,
      lianxi_id: path.id,
      student_id,
      attempt: created.attempt,
      status: created.status,
      late: answer.late,
      submitted_at,
    });
    if (created.released_at !== null) {
      session.emit(courseEvents.submissionReleased, created.id, {
        submission_id: created.id,
        lianxi_id: path.id,
        student_id,
        revision: created.revision,
        released_by: found.teacher_id,
        released_at: created.released_at,
      });
    }
    return answer;
  },
});
