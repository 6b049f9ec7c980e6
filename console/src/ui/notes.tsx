import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent } from 'react';
import { Button } from 'react-aria-components/Button';
import { api } from '../api/client';
import { downloadList } from '../api/download';
import { useFormats } from '../i18n/formats';
import { useMessages } from '../i18n/i18n';
import { ExportButton } from './export-button';
import { TextField } from './fields';
import { EmailLink } from './id-link';
import { ErrorText, Failure, Loading } from './states';
import { useDraft } from './use-draft';

/** The most recent notes; older ones are at the API. */
const query = { limit: 100 };

/** The operations on the notes about an account or a user. */
function notesAbout(id: string) {
  if (id.startsWith('usr_')) {
    const path = { user_id: id };
    return {
      list: `/v1/users/${id}/notes`,
      read: (signal: AbortSignal) =>
        api.get('/v1/users/{user_id}/notes', {
          params: { path, query },
          signal,
        }),
      add: (text: string) =>
        api.post('/v1/users/{user_id}/notes', {
          params: { path },
          body: { text },
        }),
    };
  }
  const path = { account_id: id };
  return {
    list: `/v1/accounts/${id}/notes`,
    read: (signal: AbortSignal) =>
      api.get('/v1/accounts/{account_id}/notes', {
        params: { path, query },
        signal,
      }),
    add: (text: string) =>
      api.post('/v1/accounts/{account_id}/notes', {
        params: { path },
        body: { text },
      }),
  };
}

/** What the back office has written about an account or a user. @param objectId the id of either */
export function Notes({ objectId }: { readonly objectId: string }) {
  const { notes: t } = useMessages();
  const { time } = useFormats();
  const queries = useQueryClient();
  const [text, setText] = useDraft(`note:${objectId}`, 'text');
  const queryKey = ['notes', objectId];
  const notes = useQuery({
    queryKey,
    queryFn: ({ signal }) => notesAbout(objectId).read(signal),
  });
  const adding = useMutation({
    mutationFn: () => notesAbout(objectId).add(text.trim()),
    onSuccess: () => {
      setText('');
      return queries.invalidateQueries({ queryKey });
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() !== '' && !adding.isPending) adding.mutate();
  };
  return (
    <section aria-labelledby="notes">
      <div className="heading">
        <h2 id="notes">{t.title}</h2>
        <ExportButton
          name={`notes-${objectId}`}
          save={(file) => downloadList(notesAbout(objectId).list, {}, file)}
        />
      </div>
      {notes.isPending && <Loading />}
      {notes.isError && <Failure error={notes.error} retry={() => void notes.refetch()} />}
      {notes.data?.data.length === 0 && <p className="soft">{t.none}</p>}
      <ol className="notes">
        {notes.data?.data.map((note) => (
          <li key={note.id}>
            <p>{note.text}</p>
            <p className="soft">
              {time(note.created_at)} · <EmailLink id={note.author_id} />
            </p>
          </li>
        ))}
      </ol>
      <form className="add-note" onSubmit={submit}>
        <TextField label={t.label} maxLength={1000} value={text} onChange={setText} />
        <Button type="submit" className="secondary" isDisabled={text.trim() === '' || adding.isPending}>
          {t.add}
        </Button>
        {adding.isError && (
          <div className="problem" role="alert">
            <ErrorText error={adding.error} />
          </div>
        )}
      </form>
    </section>
  );
}
