import { useRef, useState } from 'preact/hooks';
import { useAddress } from '../shared/address.ts';
import { now } from '../shared/clock.ts';
import { common } from '../shared/common-texts.ts';
import * as format from '../shared/format.ts';
import { Failure } from '../shared/parts/message.tsx';
import { t } from './week-texts.ts';
import { rollCallAddress } from './week.rules.ts';
import { type MissingRollCallPage, useMissingRollCalls } from './week.state.ts';

const RollCallRows = ({ lessons }: { lessons: MissingRollCallPage['items'] }) => {
  const { query } = useAddress();
  return (
    <ul class="rows">
      {lessons.map((lesson) => (
        <li key={lesson.id}>
          <a href={rollCallAddress(lesson.id, query['date'])}>
            <span>
              <strong>{lesson.clazz_name}</strong>
              <span class="muted">
                {t.dayAndTimes(format.day(lesson.starts_at), format.times(lesson.starts_at, lesson.ends_at))}
              </span>
            </span>
            <span class="badge warn">{t.missingCount(lesson.unmarked.length)}</span>
          </a>
        </li>
      ))}
    </ul>
  );
};

/**
 * The missing roll calls, oldest first. Those that only the office can take now are listed apart. It renders nothing
 * while loading or if none is missing.
 */
export const MissingRollCalls = () => {
  const [pages, setPages] = useState(1);
  const missing = useMissingRollCalls(pages);
  // The shown rows stay while more are loading.
  const shown = useRef<MissingRollCallPage>(undefined);
  shown.current = missing.data.value ?? shown.current;
  const found = shown.current;
  if (found === undefined || found.items.length === 0) return null;
  const closed = found.items.filter(({ closes_at }) => Date.parse(closes_at) < now.value);
  return (
    <section class="card missing" aria-labelledby="missing">
      <header>
        <h2 id="missing">{t.missing}</h2>
      </header>
      <RollCallRows lessons={found.items.filter((lesson) => !closed.includes(lesson))} />
      {closed.length > 0 && (
        <details>
          <summary>{t.missingOver(closed.length)}</summary>
          <RollCallRows lessons={closed} />
        </details>
      )}
      {missing.error.value !== undefined && <Failure error={missing.error.value} retry={missing.refetch} />}
      {found.next_cursor !== null && pages < 5 && (
        <button type="button" class="button quiet" onClick={() => setPages(pages + 1)}>
          {common.more}
        </button>
      )}
    </section>
  );
};
