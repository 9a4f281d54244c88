import { api } from '../shared/api.ts';
import { useAddress } from '../shared/address.ts';
import { now } from '../shared/clock.ts';
import { dayTime, hours } from '../shared/format.ts';
import { QueryView } from '../shared/parts/query-view.tsx';
import { ListView } from '../shared/parts/list-view.tsx';
import { Empty } from '../shared/parts/message.tsx';
import { useRows } from '../shared/row-query.ts';
import { PlanTile } from './check-in.tsx';
import type { Child } from './child.rules.ts';
import { ChildCard } from './child-card.tsx';
import { PracticeDialog } from './practice-dialog.tsx';
import type { Practice } from './practice.rules.ts';
import { common } from '../shared/common-texts.ts';
import { t } from './family-texts.ts';
import { useToDo } from './to-do.state.ts';

const dueText = ({ due_at, closes_at }: Practice): string => {
  if (closes_at !== null && Date.parse(closes_at) <= now.value) return t.closed(dayTime(closes_at));
  if (due_at !== null) return Date.parse(due_at) > now.value ? t.due(dayTime(due_at)) : t.wasDue(dayTime(due_at));
  return closes_at === null ? t.noDue : t.openUntil(dayTime(closes_at));
};

/** Whether the child has handed in the practice, and its score once it is released. */
const State = ({ practice: { attempts, last_score, total_points } }: { practice: Practice }) => {
  if (last_score !== null) return <span class="badge good">{t.score(hours(last_score), hours(total_points))}</span>;
  return attempts === null || attempts === 0 ? null : <span class="badge info">{t.handedIn}</span>;
};

const actionText = ({ isSelf }: Child, { attempts }: Practice): string =>
  isSelf && attempts === 0 ? t.openOne : t.view;

/** The assigned exercises of one child, newest first. Each opens with its results. */
export const PracticeOf = ({ child, isNamed }: { child: Child; isNamed: boolean }) => {
  const { query, put } = useAddress();
  const todo = useToDo([child]);
  const practices = useRows(
    `practice ${child.id}`,
    (cursor, signal) => api.listLianxi({ query: { student_id: child.id, limit: '20', cursor } }, { signal }),
    { kinds: ['practice', 'enrolment', 'submission', 'marking'] },
  );
  const keyPrefix = `${child.id}:`;
  const chosen =
    query['practice']?.startsWith(keyPrefix) === true ? query['practice'].slice(keyPrefix.length) : undefined;
  return (
    <div class="practice">
      <QueryView query={todo} rows={3}>
        {(all) => (
          <div class="tiles">
            {all.flatMap(({ plans }) =>
              plans.map((active) => <PlanTile key={active.plan.id} child={child} running={active} isNamed={isNamed} />),
            )}
          </div>
        )}
      </QueryView>
      <ChildCard title={t.practiceTitle} child={child} isNamed={isNamed}>
        <ListView query={practices} rows={6} empty={<Empty title={t.noPractice}>{t.noPracticeWhy}</Empty>}>
          {(practice) => (
            <li class="leave" key={practice.id}>
              <div>
                <h3>
                  {practice.title} <State practice={practice} />
                </h3>
                <p class="small muted">
                  {practice.course_title} · {t.questions(practice.question_count, hours(practice.total_points))}
                </p>
                <p class="small">{dueText(practice)}</p>
              </div>
              <div class="acts">
                <button
                  type="button"
                  class="button"
                  aria-label={common.labelled(actionText(child, practice), practice.title)}
                  onClick={() => put({ practice: `${keyPrefix}${practice.id}` })}
                >
                  {actionText(child, practice)}
                </button>
              </div>
            </li>
          )}
        </ListView>
      </ChildCard>
      {chosen !== undefined && <PracticeDialog child={child} id={chosen} onClose={() => put({ practice: null })} />}
    </div>
  );
};
