import { useRef, useState } from 'preact/hooks';
import { now } from '../shared/clock.ts';
import { common } from '../shared/common-texts.ts';
import * as format from '../shared/format.ts';
import { Failure } from '../shared/parts/message.tsx';
import { t } from './week-texts.ts';
import { type Missing, useMissing } from './week.state.ts';

const Rows = ({ lessons }: { lessons: Missing['items'] }) => (
  <ul class="rows">
    {lessons.map((lesson) => (
      <li key={lesson.id}>
        <a href={`/roll-call/${lesson.id}`}>
          <span>
            <strong>{lesson.clazz_name}</strong>
            <span class="muted">
              {format.day(lesson.starts_at)}, {format.times(lesson.starts_at, lesson.ends_at)}
            </span>
          </span>
          <span class="badge warn">{t.missingCount(lesson.unmarked.length)}</span>
        </a>
      </li>
    ))}
  </ul>
);

/**
 * Roll calls that are missing, oldest first; those that only the office can take by now stand apart. Nothing where none is:
 * neither while it is asked for.
 */
export const MissingRollCalls = () => {
  const [pages, setPages] = useState(1);
  const asked = useMissing(pages);
  // While more are asked for, those that are there stay.
  const shown = useRef<Missing>(undefined);
  shown.current = asked.data.value ?? shown.current;
  const found = shown.current;
  if (found === undefined || found.items.length === 0) return null;
  const over = found.items.filter(({ closes_at }) => Date.parse(closes_at) < now.value);
  return (
    <section class="card missing" aria-labelledby="missing">
      <header>
        <h2 id="missing">{t.missing}</h2>
      </header>
      <Rows lessons={found.items.filter((lesson) => !over.includes(lesson))} />
      {over.length > 0 && (
        <details>
          <summary>{t.missingOver(over.length)}</summary>
          <Rows lessons={over} />
        </details>
      )}
      {asked.error.value !== undefined && <Failure error={asked.error.value} again={asked.again} />}
      {found.next_cursor !== null && pages < 5 && (
        <button type="button" class="button quiet" onClick={() => setPages(pages + 1)}>
          {common.more}
        </button>
      )}
    </section>
  );
};
