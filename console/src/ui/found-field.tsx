import { ApiError } from 'countinghouse-client';
import { useEffect, useState } from 'react';
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import type { Found } from '../api/account';
import { useMessages } from '../i18n/i18n';

export interface IdFieldProps {
  readonly label: string;
  /** The id; empty for none. */
  readonly value: string;
  readonly onChange: (id: string) => void;
}

const TYPING_MS = 300;

export interface FoundFieldProps extends IdFieldProps {
  /** What has the id is called, once that is known. */
  readonly name: string | undefined;
  readonly useFound: (text: string) => {
    readonly data?: readonly Found[] | undefined;
    readonly error: Error | null;
    readonly isFetching: boolean;
  };
  /** That nothing is found. */
  readonly none: string;
}

/** What is found by its name, its email or its id. What was chosen keeps its name, also where its id does not tell it. */
export default function FoundField({ label, value, onChange, name: known, useFound, none }: FoundFieldProps) {
  const { list, search } = useMessages();
  const [typed, setTyped] = useState<string | null>(null);
  const [chosen, setChosen] = useState<Found>();
  const name = known ?? (chosen?.id === value ? chosen.name : undefined);
  const text = useSettled(typed?.trim() ?? '');
  const { data: found = [], error, isFetching } = useFound(text);
  const isSearching = isFetching || text !== typed?.trim();
  const nothing = error instanceof ApiError ? list.typeMore : none;
  const choose = (id: string): void => {
    setTyped(null);
    setChosen(found.find((item) => item.id === id));
    if (id !== value) onChange(id);
  };
  return (
    <ComboBox
      className="field"
      items={typed === null ? [] : found}
      inputValue={typed ?? name ?? value}
      onInputChange={(input) => (input === '' ? choose('') : setTyped(input))}
      value={value === '' ? null : value}
      onChange={(id) => (id === null ? setTyped(null) : choose(String(id)))}
      allowsEmptyCollection={typed !== null} // Escape would open the list again for the name that it puts back
      onKeyDown={({ key }) => {
        if (key === 'Enter' && found.length === 1 && !isSearching) choose(found[0]!.id);
      }}
    >
      <Label>{label}</Label>
      <Input
        placeholder={list.accountHint}
        onKeyDownCapture={(event) => {
          // Without one to take, Enter would bring the former text back, so that nobody sees that there is none.
          const isChosen = event.currentTarget.getAttribute('aria-activedescendant') !== null;
          const isFound = found.length === 1 && !isSearching;
          if (event.key !== 'Enter' || typed === null || isChosen || isFound) return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      <Popover className="popover">
        <ListBox<(typeof found)[number]>
          renderEmptyState={() => <p className="soft">{isSearching ? search.searching : nothing}</p>}
        >
          {({ id, name: itemName, email }) => (
            <ListBoxItem id={id} textValue={itemName}>
              {itemName}
              <span className="soft">{email}</span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </ComboBox>
  );
}

/** Returns the text once the typing pauses. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), TYPING_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
