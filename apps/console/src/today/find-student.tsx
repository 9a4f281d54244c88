import { useEffect, useState } from 'preact/hooks';
import { api } from '../shared/api.ts';
import { Dialog } from '../shared/parts/dialog.tsx';
import { Empty } from '../shared/parts/message.tsx';
import { QueryView } from '../shared/parts/query-view.tsx';
import { Search } from '../shared/parts/search.tsx';
import { useQuery } from '../shared/query.ts';
import { BalanceBadge, type OpenStudent, StudentButton } from './hour-lists.tsx';
import { type FoundStudent, foundStudents } from './today.rules.ts';
import { t } from './today-texts.ts';

const LIMIT = '20';

/** Students whose name or id contains the keyword: those of the directory, and those with an hour account. */
const useStudents = (keyword: string) =>
  useQuery(
    keyword === '' ? null : `students ${keyword}`,
    async (signal): Promise<{ students: FoundStudent[]; isMore: boolean }> => {
      const query = { keyword, limit: LIMIT };
      const [members, accounts] = await Promise.all([
        api.listMembers({ query: { ...query, role: 'STUDENT', sort: 'display_name' } }, { signal }),
        api.listHourAccounts({ query: { ...query, sort: 'student_name' } }, { signal }),
      ]);
      const students = foundStudents(members.data.items, accounts.data.items);
      return { students, isMore: members.data.next_cursor !== null || accounts.data.next_cursor !== null };
    },
    { kinds: ['member', 'account', 'enrolment'] },
  );

/** Finds a student by name, whatever the balance. */
export const FindStudent = ({ open, onClose }: { open: OpenStudent; onClose: () => void }) => {
  const [keyword, setKeyword] = useState('');
  const [entered, setEntered] = useState<string>();
  const found = useStudents(keyword);
  const answer = found.data.value;
  // Enter opens the only match, as soon as the answer is there.
  useEffect(() => {
    if (entered !== keyword || answer === undefined) return;
    setEntered(undefined);
    const [only, ...others] = answer.students;
    if (only !== undefined && others.length === 0 && !answer.isMore) open(only.id);
  }, [entered, answer]);
  const search = (text: string): void => {
    setKeyword(text);
    setEntered(undefined);
  };
  return (
    <Dialog title={t.findStudent} onClose={onClose}>
      <div class="body waits">
        <Search label={t.name} value={keyword} onSearch={search} onEnter={setEntered} hasFocus />
        {keyword !== '' && (
          <QueryView query={found} rows={3}>
            {({ students, isMore }) =>
              students.length === 0 ? (
                <Empty title={t.noneFound} />
              ) : (
                <>
                  <ul class="rows">
                    {students.map(({ id, name, balance }) => (
                      <li key={id}>
                        <StudentButton name={name} open={() => open(id)}>
                          {balance !== undefined && <BalanceBadge balance={balance} />}
                        </StudentButton>
                      </li>
                    ))}
                  </ul>
                  {isMore && <p class="small muted">{t.moreFound}</p>}
                </>
              )
            }
          </QueryView>
        )}
      </div>
    </Dialog>
  );
};
