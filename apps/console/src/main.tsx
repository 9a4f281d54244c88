import './style/tokens.css';
import './style/base.css';
import './style/parts.css';
import './style/shell.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { loadNewerBuild } from './frame/newer-build.ts';
import { openSession } from './shared/api.ts';
import { followChanges } from './shared/change-stream.ts';
import { keepFocus } from './shared/focus.ts';

const root = document.querySelector('#app');
if (root === null) throw new Error('the page has no place for the app');

followChanges();
keepFocus();
void openSession();
void import('./roll-call/queue/sender.ts').then(({ start }) => start(), loadNewerBuild);
// While the page is worked on, nothing old may be shown.
if (import.meta.env.MODE === 'production' && 'serviceWorker' in navigator)
  void navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' }).catch(() => undefined);
render(<App />, root);
