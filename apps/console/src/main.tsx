import './style/tokens.css';
import './style/base.css';
import './style/parts.css';
import './style/shell.css';
import { render } from 'preact';
import { App } from './app.tsx';
import { loadNewerBuild } from './frame/newer-build.ts';
import { openSession } from './shared/api.ts';
import { followChanges } from './shared/change-stream.ts';
import { showFieldRules } from './shared/field-rules.ts';
import { keepFocus } from './shared/focus.ts';

const root = document.querySelector('#app');
if (root === null) throw new Error('the page has no element with the id "app"');

followChanges();
keepFocus();
showFieldRules();
void openSession();
void import('./roll-call/queue/sender.ts').then(({ startSending }) => startSending(), loadNewerBuild);
// In development no service worker is used, so that changes are visible at once.
if (import.meta.env.MODE === 'production' && 'serviceWorker' in navigator)
  void navigator.serviceWorker.register('/sw.js', { updateViaCache: 'none' }).catch(() => undefined);
render(<App />, root);
