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

/** Of one student, newest first; the API has them for the whole lesson. */
const read = async (lesson_id: string, student_id: string, signal: AbortSignal): Promise<Revision[]> => {
  const found: Revision[] = [];
  const pages = rowsOf((cursor) =>
    api.listRollCallRevisions({ path: { lesson_id }, query: { limit: '100', cursor } }, { signal }),
  );
  for await (const one of pages) if (one.student_id === student_id) found.unshift(one);
  return found;
};

export const MarkHistory = ({ lesson_id, student_id }: { lesson_id: string; student_id: string }) => {
  const asked = useQuery(
    `roll-call-history ${lesson_id} ${student_id}`,
    (signal) => read(lesson_id, student_id, signal),
    { kinds: ['roll_call'] },
  );
  return (
    <section class="roll-history">
      <h3>{t.history}</h3>
      <QueryView of={asked} rows={2}>
        {(revisions) =>
          revisions.length === 0 ? (
            <p class="muted small">{t.noHistory}</p>
          ) : (
            <ol>
              {revisions.map((one) => (
                <li key={one.revision}>
                  <strong>{one.mark === null ? t.withdrawn : markTextWithMinutes(one.mark, one.late_minutes)}</strong>
                  <span class="muted small">
                    {t.by(one.marked_by_name ?? common.notListed, format.dayTime(one.marked_at))}
                  </span>
                  {one.note !== null && <span class="small">{one.note}</span>}
                  {one.reason !== null && <span class="small">{t.because(one.reason)}</span>}
                </li>
              ))}
            </ol>
          )
        }
      </QueryView>
    </section>
  );
};
