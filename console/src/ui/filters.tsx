import { useEffect, useId, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { useSearchParams } from 'wouter';
import { useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { useFormats } from '../i18n/formats';
import { AccountField, ActorField } from './account-field';
import { SelectField, TextField } from './fields';
import { type SavedViewPage, SavedViews } from './saved-views';

export type Filter =
  | {
      readonly name: string;
      readonly label: string;
      /** By value. The value '' is that without the filter: all, unless it is there. */
      readonly options: Readonly<Record<string, string>>;
    }
  | {
      readonly name: string;
      readonly label: string;
      readonly type: 'text' | 'date' | 'amount' | 'account' | 'actor';
      /** What is wrong with the value in the address, with which the list is not asked. */
      readonly problem?: string | undefined;
    };

/** The values of the filters, which are in the address, so that a view can be kept and sent to others. */
export function useFilters<Name extends string>(names: readonly Name[]): Partial<Record<Name, string>> {
  const [params] = useSearchParams();
  const given = names.flatMap((name) => (params.get(name) ? [[name, params.get(name)!]] : []));
  return Object.fromEntries(given) as Partial<Record<Name, string>>;
}

interface FiltersProps {
  readonly filters: readonly Filter[];
  /** The list, where its filters can be saved. */
  readonly savedAs?: SavedViewPage | undefined;
}

/** Narrow screens fold the filters, unless one is set. The dashboard has one account, and therefore no filter for it. */
export function Filters({ filters: all, savedAs }: FiltersProps) {
  const filters = all.filter((filter) => !isDashboard || !('type' in filter) || filter.type !== 'account');
  const { list } = useMessages();
  const [params, setParams] = useSearchParams();
  /** Each filter that is set is a step in the history of the browser, but not each pause in typing. */
  const set = ({ name, ...filter }: Filter, value: string): void =>
    setParams(
      (previous) => {
        const next = new URLSearchParams(previous);
        if (value === '') next.delete(name);
        else next.set(name, value);
        return next;
      },
      { replace: isTyped(filter) && params.has(name) },
    );
  const { number } = useFormats();
  const id = useId();
  const count = filters.filter(({ name }) => params.has(name)).length;
  const [chosen, choose] = useState<boolean | null>(null);
  const isOpen = chosen ?? count > 0;
  const [removals, setRemovals] = useState(0);
  const remove = (): void => {
    setParams((previous) => new URLSearchParams([...previous].filter(([name]) => isOther(name, filters))));
    setRemovals(removals + 1);
  };
  return (
    <section className="filters" aria-label={list.filters}>
      <Button
        className="secondary filters-button"
        aria-expanded={isOpen}
        aria-controls={id}
        onPress={() => choose(!isOpen)}
      >
        {list.filters}
        {count > 0 && ` (${number(count)})`}
      </Button>
      <div id={id} className={isOpen ? 'fields open' : 'fields'}>
        {filters.map((filter) => {
          const { name, label } = filter;
          const value = params.get(name) ?? '';
          const onChange = (next: string): void => set(filter, next);
          if ('options' in filter) {
            const options = Object.entries({ '': list.all, ...filter.options });
            return <SelectField key={name} {...{ label, value, onChange, options }} />;
          }
          const { problem } = filter;
          if (filter.type === 'date') {
            const field = { label, value, onChange, ...(problem !== undefined && { problem }) };
            return <TextField key={name} type="date" {...field} />;
          }
          if (filter.type === 'account') return <AccountField key={name} {...{ label, value, onChange }} />;
          if (filter.type === 'actor') return <ActorField key={name} {...{ label, value, onChange }} />;
          const inputMode = filter.type === 'amount' ? 'decimal' : undefined;
          // What is typed and not yet a filter is removed, too.
          const key = `${name} ${removals}`;
          return <TextFilter key={key} {...{ label, value, onChange, inputMode, problem }} />;
        })}
        {count > 0 && (
          <Button className="quiet" onPress={remove}>
            {list.reset}
          </Button>
        )}
        {savedAs && !isDashboard && <SavedViews page={savedAs} names={filters.map(({ name }) => name)} />}
      </div>
    </section>
  );
}

const isTyped = (filter: object): boolean =>
  'type' in filter && filter.type !== 'account' && filter.type !== 'actor';

const isOther = (name: string, filters: readonly Filter[]): boolean =>
  !filters.some((filter) => filter.name === name);

const TYPING_MS = 400;

interface TextFilterProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly inputMode?: 'decimal' | undefined;
  readonly problem?: string | undefined;
}

/** Filters when the typing pauses. */
function TextFilter({ label, value, onChange, inputMode, problem }: TextFilterProps) {
  const [text, setText] = useState(value);
  // What is being typed keeps the space at its end, which is no part of the value.
  useEffect(() => setText((shown) => (shown.trim() === value ? shown : value)), [value]);
  useEffect(() => {
    if (text.trim() === value) return;
    const timer = setTimeout(() => onChange(text.trim()), TYPING_MS);
    return () => clearTimeout(timer);
  });
  return (
    <TextField
      label={label}
      value={text}
      onChange={setText}
      maxLength={255}
      {...(inputMode && { inputMode })}
      {...(problem !== undefined && { problem })}
    />
  );
}
