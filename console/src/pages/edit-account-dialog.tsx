import { ApiError } from 'countinghouse-client';
import { useState } from 'react';
import { api, type Schemas } from '../api/client';
import { useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { ActionDialog } from '../ui/action-dialog';
import { EmailField, isEmail } from '../ui/email-field';
import { ReasonField, TextField } from '../ui/fields';
import { useDraft } from '../ui/use-draft';
import { aboutPerson } from './about';
import { LanguageField, TimeZoneField } from './invite-dialogs';

interface EditProps {
  readonly account: Schemas['AccountResponse'];
  readonly onClose: () => void;
}

/** Changes the name, the email and the settings of an account, unless somebody else has changed it since the dialog opened. */
export function EditAccountDialog({ account: current, onClose }: EditProps) {
  const { edit: t, actions, fields } = useMessages();
  const [account] = useState(current); // the page reads it again meanwhile
  const { id, settings } = account;
  const form = `edit:${id}`;
  const [nameText, setName] = useDraft(form, 'name', account.name);
  const [emailText, setEmail] = useDraft(form, 'email', account.email);
  const [timezone, setTimezone] = useDraft(form, 'timezone', settings.timezone);
  const [language, setLanguage] = useDraft(form, 'language', settings.language);
  const [reasonText, setReason] = useDraft(form, 'reason');
  const [name, email, reason] = [nameText.trim(), emailText.trim(), reasonText.trim()];
  const change = {
    ...(name !== account.name && { name }),
    ...(email !== account.email && { email }),
    ...((timezone !== settings.timezone || language !== settings.language) && {
      settings: {
        ...(timezone !== settings.timezone && { timezone }),
        ...(language !== settings.language && { language }),
      },
    }),
  };
  return (
    <ActionDialog
      title={t.account}
      about={aboutPerson(account)}
      text={t.accountText}
      confirm={t.save}
      done={(said) => said}
      form={form}
      isReady={
        Object.keys(change).length > 0 && name !== '' && isEmail(email) && (isDashboard || reason !== '')
      }
      onClose={onClose}
      run={async () => {
        const header = { 'If-Match': `"${account.updated_at}"` };
        const path = { account_id: id };
        try {
          await (isDashboard
            ? api.patch('/v1/account', { params: { header }, body: change })
            : api.patch('/v1/accounts/{account_id}', {
                params: { path, header },
                body: { ...change, reason },
              }));
          return t.saved;
        } catch (error) {
          if (error instanceof ApiError && error.is('precondition_failed')) return actions.changed;
          throw error;
        }
      }}
    >
      <TextField label={fields.name} autoFocus maxLength={255} value={nameText} onChange={setName} />
      <EmailField value={emailText} onChange={setEmail} />
      <TimeZoneField value={timezone} onChange={setTimezone} />
      <LanguageField value={language} onChange={setLanguage} />
      {!isDashboard && <ReasonField autoFocus={false} value={reasonText} onChange={setReason} />}
    </ActionDialog>
  );
}
