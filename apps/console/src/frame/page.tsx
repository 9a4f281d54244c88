import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { zoneNote } from '../shared/format.ts';
import { texts } from '../shared/language.ts';
import { Icon } from '../shared/parts/icon.tsx';

const t = texts({
  zone: { en: (zone: string) => `Times are ${zone}`, zh: (zone: string) => `时间为${zone}` },
});

interface PageProps {
  title: string;
  /** One line below the title. */
  below?: ComponentChildren;
  /** Where one came from. */
  back?: { href: string; label: string };
  /** Beside the title. */
  acts?: ComponentChildren;
  wide?: boolean;
  children?: ComponentChildren;
}

/** A screen: its title, what can be done, and its content; says which zone times are of where that may surprise. */
export const Page = ({ title, below, back, acts, wide, children }: PageProps) => {
  useEffect(() => {
    document.title = title;
  }, [title]);
  const zone = zoneNote();
  return (
    <main class={wide === true ? 'page wide' : 'page'} id="main" tabIndex={-1}>
      <header>
        <div>
          {back && (
            <a class="back small" href={back.href}>
              <Icon name="left" size={14} /> {back.label}
            </a>
          )}
          <h1>{title}</h1>
          {below && <p>{below}</p>}
          {zone !== '' && <p class="small">{t.zone(zone)}</p>}
        </div>
        {acts}
      </header>
      {children}
    </main>
  );
};
