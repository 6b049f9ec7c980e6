import { useId } from 'react';
import { Button } from 'react-aria-components/Button';
import { Menu, MenuItem, MenuTrigger } from 'react-aria-components/Menu';
import { Popover } from 'react-aria-components/Popover';
import { Icon } from './icons';

interface Item<Name extends string> {
  readonly name: Name;
  readonly label: string;
  readonly isDisabled?: boolean;
  readonly isDangerous?: boolean | undefined;
}

interface MoreMenuProps<Name extends string> {
  readonly label: string;
  readonly className: 'quiet' | 'secondary';
  readonly items: readonly Item<Name>[];
  /** Why some are disabled; '' for nothing. */
  readonly note?: string;
  readonly onChoose: (name: Name) => void;
}

/** A menu of what is needed less often than what is beside it. */
export function MoreMenu<Name extends string>({
  label,
  className,
  items,
  note = '',
  onChoose,
}: MoreMenuProps<Name>) {
  const noteId = useId();
  return (
    <MenuTrigger>
      <Button className={className}>
        {label}
        <Icon name="down" />
      </Button>
      <Popover className="popover" placement="bottom end">
        {note !== '' && (
          <p id={noteId} className="soft menu-note">
            {note}
          </p>
        )}
        <Menu aria-describedby={note === '' ? undefined : noteId} onAction={(name) => onChoose(name as Name)}>
          {items.map((item) => (
            <MenuItem
              key={item.name}
              id={item.name}
              isDisabled={item.isDisabled === true}
              {...(item.isDangerous && { className: 'danger-text' })}
            >
              {item.label}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}
