import type { ComponentChildren } from 'preact';
import type { Child } from './child.rules.ts';

/** A card about one child, who is named where there are several. */
export const ChildCard = ({
  title,
  child,
  isNamed,
  children,
}: {
  title: string;
  child: Child;
  isNamed: boolean;
  children: ComponentChildren;
}) => (
  <section class="card part">
    <header>
      <h2>{title}</h2>
      {isNamed && <span class="child">{child.name}</span>}
    </header>
    {children}
  </section>
);
