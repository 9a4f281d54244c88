/** A summary of a contract: its first sentence is the title, the rest are details. */
export const splitSummary = (summary: string): { title: string; details: string | undefined } => {
  const end = summary.indexOf('. ');
  return end < 0
    ? { title: summary, details: undefined }
    : { title: summary.slice(0, end), details: `${summary.slice(end + 2)}.` };
};
