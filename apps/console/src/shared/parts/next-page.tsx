import { useState } from 'preact/hooks';
import { common } from '../common-texts.ts';
import type { PagedRows } from '../row-query.ts';
import { Failure } from './message.tsx';

/** A button that loads the next page, if there is one. If loading fails, it shows the failure above the button. */
export const NextPage = <T,>({ query }: { query: PagedRows<T> }) => {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  if (query.data.value === undefined || query.data.value.next_cursor === null) return null;
  const run = async (): Promise<void> => {
    setBusy(true);
    setError(undefined);
    await query.loadMore().catch(setError);
    setBusy(false);
  };
  return (
    <div class="next-page">
      {error !== undefined && <Failure error={error} />}
      <button type="button" class="button quiet" aria-busy={isBusy} disabled={isBusy} onClick={() => void run()}>
        {common.more}
      </button>
    </div>
  );
};
