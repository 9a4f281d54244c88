/**
 * The fields of a `stat` file of Linux by their numbers in proc_pid_stat(5), from the third on. The name before that may hold
 * blanks and brackets, so counting begins after its last bracket.
 */
export const fieldsOfStat = (text: string): ((n: number) => string) => {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (n) => fields[n - 3] ?? '';
};
