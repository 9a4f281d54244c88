import { useState } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { Dialog } from '../shared/parts/dialog.tsx';
import { Failure } from '../shared/parts/message.tsx';
import { toast } from '../shared/parts/toasts.tsx';
import { ActionButton } from '../shared/parts/action-button.tsx';
import type { Child } from './child.rules.ts';
import { t } from './family-texts.ts';

const Feed = ({ child, isNamed }: { child: Child; isNamed: boolean }) => {
  const [url, setUrl] = useState<string>();
  const [error, setError] = useState<unknown>();
  const body = { student_id: child.id };
  const runWithError = async (action: () => Promise<void>): Promise<void> => {
    setError(undefined);
    await action().catch(setError);
  };
  const create = () =>
    runWithError(async () => {
      const { data } = await api.createCalendarFeed({ body });
      setUrl(`${location.origin}${data.url}`);
    });
  const deactivate = () =>
    runWithError(async () => {
      await api.deleteCalendarFeed({ body });
      setUrl(undefined);
      toast(t.feedEnded);
    });
  const copy = (text: string) =>
    runWithError(async () => {
      await navigator.clipboard.writeText(text);
      toast(t.feedCopied);
    });
  return (
    <section class="feed">
      {isNamed && <h3>{child.name}</h3>}
      {url !== undefined && (
        <>
          <label class="field">
            <span>{t.feedAddress}</span>
            <input type="text" readOnly value={url} onFocus={(event) => event.currentTarget.select()} />
          </label>
          <div class="acts">
            <ActionButton kind="main" run={() => copy(url)}>
              {t.feedCopy}
            </ActionButton>
            <a class="button" href={url.replace(/^https?:/, 'webcal:')}>
              {t.feedOpen}
            </a>
          </div>
        </>
      )}
      {error !== undefined && <Failure error={error} />}
      <div class="acts">
        {url === undefined && (
          <ActionButton kind="main" run={create}>
            {t.feedMake}
          </ActionButton>
        )}
        <ActionButton kind="danger" run={deactivate}>
          {t.feedEnd}
        </ActionButton>
      </div>
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
