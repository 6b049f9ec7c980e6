import { ApiError } from 'countinghouse-client';
import { useEffect, useState } from 'react';
import { ComboBox, Input, Label, ListBox, ListBoxItem, Popover } from 'react-aria-components';
import { useAccountName, useFoundAccounts } from '../api/account';
import { useMessages } from '../i18n/i18n';

interface AccountFieldProps {
  readonly label: string;
  /** The id of the account; empty for none. */
  readonly value: string;
  readonly onChange: (id: string) => void;
}

const TYPING_MS = 300;

/** An account, which is found by its name, its email or its id. */
export function AccountField({ label, value, onChange }: AccountFieldProps) {
  const { list, search } = useMessages();
  const [typed, setTyped] = useState<string | null>(null);
  const name = useAccountName(value === '' ? null : value);
  const text = useSettled(typed?.trim() ?? '');
  const { data: found = [], error, isFetching } = useFoundAccounts(text);
  const isSearching = isFetching || text !== typed?.trim();
  const noAccount = error instanceof ApiError ? list.typeMore : list.noAccount;
  const choose = (id: string): void => {
    setTyped(null);
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
          renderEmptyState={() => <p className="soft">{isSearching ? search.searching : noAccount}</p>}
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
