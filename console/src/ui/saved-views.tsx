import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { useSearchParams } from 'wouter';
import { api, type Schemas } from '../api/client';
import { format, useMessages } from '../i18n/i18n';
import { useUser } from '../session/use-session';
import { ActionDialog } from './action-dialog';
import { SelectField, TextField } from './fields';
import { Icon } from './icons';
import { Failure, Loading } from './states';

export type SavedViewPage = Schemas['SavedViewPage'];
type View = Schemas['SavedViewResponse'];
type Query = Readonly<Record<string, string>>;

interface SavedViewsProps {
  readonly page: SavedViewPage;
  /** The names of the filters of the list. */
  readonly names: readonly string[];
}

/** The filters that were saved under a name. To choose one replaces the filters in the address. */
export function SavedViews({ page, names }: SavedViewsProps) {
  const { savedViews: t } = useMessages();
  const [params, setParams] = useSearchParams();
  const [isOpen, setOpen] = useState(false);
  const [dialog, setDialog] = useState<'save' | View | null>(null);
  const current = Object.fromEntries([...params].filter(([name, value]) => value && names.includes(name)));
  const open = (next: 'save' | View): void => {
    setOpen(false);
    setDialog(next);
  };
  const choose = ({ query }: View): void => {
    setOpen(false);
    setParams((previous) => {
      const others = [...previous].filter(([name]) => !names.includes(name));
      return new URLSearchParams([
        ...others,
        ...Object.entries(query).filter(([name]) => names.includes(name)),
      ]);
    });
  };
  const close = (): void => setDialog(null);
  return (
    <>
      <DialogTrigger isOpen={isOpen} onOpenChange={setOpen}>
        <Button className="quiet saved-views-button">
          {t.title}
          <Icon name="down" />
        </Button>
        <Popover className="popover" placement="bottom start">
          <Dialog aria-label={t.title} className="saved-views">
            <ViewList page={page} current={current} onChoose={choose} onDelete={open} />
            {Object.keys(current).length > 0 ? (
              <Button className="secondary" onPress={() => open('save')}>
                {t.save}
              </Button>
            ) : (
              <p className="soft">{t.setFilters}</p>
            )}
          </Dialog>
        </Popover>
      </DialogTrigger>
      {dialog === 'save' && <SaveDialog page={page} query={current} onClose={close} />}
      {dialog !== null && dialog !== 'save' && <DeleteDialog view={dialog} onClose={close} />}
    </>
  );
}

interface ViewListProps {
  readonly page: SavedViewPage;
  readonly current: Query;
  readonly onChoose: (view: View) => void;
  readonly onDelete: (view: View) => void;
}

function ViewList({ page, current, onChoose, onDelete }: ViewListProps) {
  const { savedViews: t } = useMessages();
  const { id, role } = useUser();
  const views = useQuery({
    queryKey: ['saved-views', page],
    queryFn: ({ signal }) => api.get('/v1/saved-views', { params: { query: { page, limit: 100 } }, signal }),
  });
  if (views.isPending) return <Loading />;
  if (views.isError) return <Failure error={views.error} retry={() => void views.refetch()} />;
  const sorted = views.data.data.toSorted((a, b) => a.name.localeCompare(b.name));
  if (sorted.length === 0) return <p className="soft">{t.none}</p>;
  return (
    <ul aria-label={t.mine}>
      {sorted.map((view) => (
        <li key={view.id}>
          <Button
            className="quiet"
            aria-current={isSame(view.query, current) ? 'true' : undefined}
            onPress={() => onChoose(view)}
          >
            {view.name}
          </Button>
          {view.shared && <span className="soft">{t.shared}</span>}
          {(view.owner_id === id || role === 'admin') && (
            <Button
              className="quiet"
              aria-label={format(t.remove, { name: view.name })}
              onPress={() => onDelete(view)}
            >
              <Icon name="close" />
            </Button>
          )}
        </li>
      ))}
    </ul>
  );
}

function isSame(one: Query, other: Query): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

interface SaveDialogProps {
  readonly page: SavedViewPage;
  readonly query: Query;
  readonly onClose: () => void;
}

function SaveDialog({ page, query, onClose }: SaveDialogProps) {
  const { savedViews: t, fields, nav } = useMessages();
  const [name, setName] = useState('');
  const [shared, setShared] = useState('');
  return (
    <ActionDialog
      title={t.save}
      about={nav[page]}
      text={t.saveText}
      confirm={t.save}
      done={t.saved}
      isReady={name.trim() !== ''}
      run={() =>
        api.post('/v1/saved-views', {
          body: { page, name: name.trim(), query, shared: shared !== '' },
        })
      }
      onClose={onClose}
    >
      <TextField label={fields.name} value={name} onChange={setName} maxLength={60} autoFocus />
      <SelectField
        label={t.visibleTo}
        value={shared}
        onChange={setShared}
        options={[
          ['', t.onlyMe],
          ['shared', t.allOperators],
        ]}
      />
    </ActionDialog>
  );
}

function DeleteDialog({ view, onClose }: { readonly view: View; readonly onClose: () => void }) {
  const { savedViews: t } = useMessages();
  return (
    <ActionDialog
      title={t.delete}
      about={view.name}
      text={view.shared ? t.deleteSharedText : t.deleteText}
      confirm={t.delete}
      done={t.deleted}
      isDangerous
      run={() => api.delete('/v1/saved-views/{view_id}', { params: { path: { view_id: view.id } } })}
      onClose={onClose}
    />
  );
}
