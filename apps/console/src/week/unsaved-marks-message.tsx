import { useAddress } from '../shared/address.ts';
import { Message } from '../shared/parts/message.tsx';
import { countsOf } from '../roll-call/queue/queue.rules.ts';
import { queues } from '../roll-call/queue/sender.ts';
import { t } from './week-texts.ts';
import { rollCallAddress } from './week.rules.ts';

/** The marks that are not sent yet or were refused. */
export const UnsavedMarksMessage = () => {
  const { query } = useAddress();
  const counted = [...queues.value].map(([lesson_id, queue]) => ({ lesson_id, ...countsOf(queue) }));
  const waiting = counted.reduce((sum, counts) => sum + counts.waiting, 0);
  return (
    <>
      {waiting > 0 && <Message tone="warn">{t.waiting(waiting)}</Message>}
      {counted
        .filter(({ refused }) => refused > 0)
        .map(({ lesson_id, refused }) => (
          <Message
            key={lesson_id}
            tone="bad"
            action={
              <a class="button" href={rollCallAddress(lesson_id, query['date'])}>
                {t.open}
              </a>
            }
          >
            {t.refused(refused)}
          </Message>
        ))}
    </>
  );
};
