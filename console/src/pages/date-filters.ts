import { type Messages } from '../i18n/messages/en';
import { type Filter } from '../ui/filters';

/** The filters by date: the first day, and the last one, beside which is said that it is before the first. */
export function dateFilters<Name extends string>(
  { list }: Pick<Messages, 'list'>,
  filter: Partial<Record<Name, string>>,
  [first, last]: readonly [Name, Name],
): Filter[] {
  const [from = '', to = ''] = [filter[first], filter[last]];
  const problem = to !== '' && from > to ? list.datesReversed : undefined;
  return [
    { name: first, label: list.from, type: 'date' },
    { name: last, label: list.to, type: 'date', problem },
  ];
}
