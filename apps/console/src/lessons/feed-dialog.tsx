import { useState } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { date } from '../shared/format.ts';
import { ActionButton } from '../shared/parts/action-button.tsx';
import { Dialog } from '../shared/parts/dialog.tsx';
import { Failure, Message } from '../shared/parts/message.tsx';
import { QueryView } from '../shared/parts/query-view.tsx';
import { toast } from '../shared/parts/toasts.tsx';
import { useQuery } from '../shared/query.ts';
import { common } from '../shared/common-texts.ts';
import { type Child, chosenChild } from './child.rules.ts';
import { t } from './family-texts.ts';

const NewAddress = ({ url, copy }: { url: string; copy: () => Promise<void> }) => (
  <>
    <label class="field">
      <span>{t.feedAddress}</span>
      <input type="text" readOnly value={url} onFocus={(event) => event.currentTarget.select()} />
    </label>
    <p class="small">{t.feedOnce}</p>
    <div class="acts">
      <ActionButton kind="main" run={copy}>
        {t.feedCopy}
      </ActionButton>
      <a class="button" href={url.replace(/^https?:/, 'webcal:')}>
        {t.feedOpen}
      </a>
    </div>
  </>
);

/** Buttons that replace or deactivate an address. They ask, because calendars stop following it at once. */
const Replacement = ({ create, deactivate }: { create: () => Promise<void>; deactivate: () => Promise<void> }) => {
  const [asked, setAsked] = useState<'create' | 'deactivate'>();
  if (asked === undefined)
    return (
      <div class="acts">
        <button type="button" class="button" onClick={() => setAsked('create')}>
          {t.feedRenew}
        </button>
        <button type="button" class="button danger" onClick={() => setAsked('deactivate')}>
          {t.feedEnd}
        </button>
      </div>
    );
  const [label, action] = asked === 'create' ? [t.feedRenew, create] : [t.feedEnd, deactivate];
  return (
    <Message tone="warn">
      <p>{t.feedStops}</p>
      <div class="acts">
        <button type="button" class="button" onClick={() => setAsked(undefined)}>
          {common.cancel}
        </button>
        <ActionButton kind="danger" run={() => action().then(() => setAsked(undefined))}>
          {label}
        </ActionButton>
      </div>
    </Message>
  );
};

const Feed = ({ child, isNamed }: { child: Child; isNamed: boolean }) => {
  const [url, setUrl] = useState<string>();
  const [error, setError] = useState<unknown>();
  // Each dialog requests the state again, because no change of a feed is published.
  const [openedAt] = useState(() => Date.now());
  const state = useQuery(
    `feed ${child.id} ${openedAt}`,
    async (signal) => (await api.getCalendarFeedState({ query: chosenChild(child) }, { signal })).data,
    { kinds: [] },
  );
  const body = chosenChild(child);
  const runWithError = async (action: () => Promise<void>): Promise<void> => {
    setError(undefined);
    await action().catch(setError);
  };
  const create = () =>
    runWithError(async () => {
      const { data } = await api.createCalendarFeed({ body });
      setUrl(`${location.origin}${data.url}`);
      await state.refetch();
    });
  const deactivate = () =>
    runWithError(async () => {
      await api.deleteCalendarFeed({ body });
      setUrl(undefined);
      toast(t.feedEnded);
      await state.refetch();
    });
  const copy = (text: string) =>
    runWithError(async () => {
      await navigator.clipboard.writeText(text);
      toast(t.feedCopied);
    });
  return (
    <section class="feed">
      {isNamed && <h3>{child.name}</h3>}
      {url !== undefined && <NewAddress url={url} copy={() => copy(url)} />}
      {error !== undefined && <Failure error={error} />}
      <QueryView query={state} rows={1}>
        {({ created_at }) =>
          created_at === null ? (
            <div class="acts">
              <ActionButton kind="main" run={create}>
                {t.feedMake}
              </ActionButton>
            </div>
          ) : (
            <>
              {url === undefined && <p>{t.feedExists(date(created_at))}</p>}
              <Replacement create={create} deactivate={deactivate} />
            </>
          )
        }
      </QueryView>
    </section>
  );
};

/** Creates, copies and deactivates the secret calendar address of the lessons. */
export const FeedDialog = ({ children, onClose }: { children: readonly Child[]; onClose: () => void }) => (
  <Dialog title={t.feedTitle} onClose={onClose}>
    <div class="body">
      <p>{t.feedAbout}</p>
      <p class="small muted">{t.feedWarn}</p>
      {children.map((child) => (
        <Feed key={child.id} child={child} isNamed={children.length > 1} />
      ))}
    </div>
  </Dialog>
);
