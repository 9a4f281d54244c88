/** The initials of a name: two letters, or the last two characters of a Chinese name. */
export const initialsOf = (name: string): string => {
  const han = /[\u4e00-\u9fff]+/.exec(name)?.[0];
  const words = name.split(/\s+/).filter((word) => /^\p{L}/u.test(word) && !/[\u4e00-\u9fff]/.test(word));
  if (words.length === 0) return han?.slice(-2) ?? name.slice(0, 2);
  return [words[0], words.length > 1 ? words.at(-1) : '']
    .map((word) => word?.slice(0, 1) ?? '')
    .join('')
    .toUpperCase();
};

/** Initials in a circle beside a name; screen readers skip it. */
export const Avatar = ({ name }: { name: string }) => (
  <span class="face" aria-hidden="true">
    {initialsOf(name)}
  </span>
);
