import { rowsOf } from '@teaching/client/browser';
import type { Output, rollCallCalls } from '@teaching/contracts';
import { api } from '../shared/api.ts';
import { useQuery } from '../shared/query.ts';
import { common } from '../shared/common-texts.ts';
import * as format from '../shared/format.ts';
import { QueryView } from '../shared/parts/query-view.tsx';
import { t } from './roll-call-texts.ts';
import { markTextWithMinutes } from './mark-texts.ts';

type Revision = Output<typeof rollCallCalls.listRollCallRevisions>['items'][number];

/** The revisions of one student, newest first. The API returns them for the whole lesson. */
const readRevisions = async (lesson_id: string, student_id: string, signal: AbortSignal): Promise<Revision[]> => {
  const found: Revision[] = [];
  const pages = rowsOf((cursor) =>
    api.listRollCallRevisions({ path: { lesson_id }, query: { limit: '100', cursor } }, { signal }),
  );
  for await (const revision of pages) if (revision.student_id === student_id) found.unshift(revision);
  return found;
};

export const MarkHistory = ({ lesson_id, student_id }: { lesson_id: string; student_id: string }) => {
  const query = useQuery(
    `roll-call-history ${lesson_id} ${student_id}`,
    (signal) => readRevisions(lesson_id, student_id, signal),
    { kinds: ['roll_call'] },
  );
  return (
    <section class="roll-history">
      <h3>{t.history}</h3>
      <QueryView query={query} rows={2}>
        {(revisions) =>
          revisions.length === 0 ? (
            <p class="muted small">{t.noHistory}</p>
          ) : (
            <ol>
              {revisions.map((revision) => (
                <li key={revision.revision}>
                  <strong>
                    {revision.mark === null ? t.withdrawn : markTextWithMinutes(revision.mark, revision.late_minutes)}
                  </strong>
                  <span class="muted small">
                    {t.by(revision.marked_by_name ?? common.notListed, format.dayTime(revision.marked_at))}
                  </span>
                  {revision.note !== null && <span class="small">{revision.note}</span>}
                  {revision.reason !== null && <span class="small">{t.because(revision.reason)}</span>}
                </li>
              ))}
            </ol>
          )
        }
      </QueryView>
    </section>
  );
};
