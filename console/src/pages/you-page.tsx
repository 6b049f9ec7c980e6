import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { Button } from 'react-aria-components/Button';
import { api } from '../api/client';
import { useFormats } from '../i18n/formats';
import { format, useMessages } from '../i18n/i18n';
import { RecoveryCodes, SetUpSecondFactor } from '../session/second-factor';
import { ActionDialog } from '../ui/action-dialog';
import { Actions } from '../ui/actions';
import { TextField } from '../ui/fields';
import { Page } from '../ui/page';
import { ErrorText, Failure, Loading } from '../ui/states';
import { useToast } from '../ui/toasts';
import { OwnSessions } from './sessions';

/** How one signs in: the password, the second factor and the sessions. */
export default function YouPage() {
  const { dashboard, user } = useMessages();
  const t = dashboard.you;
  return (
    <Page title={t.title}>
      <section aria-labelledby="password">
        <h2 id="password">{t.password}</h2>
        <Password />
      </section>
      <section aria-labelledby="factor">
        <h2 id="factor">{t.factor}</h2>
        <SecondFactor />
      </section>
      <section aria-labelledby="sessions">
        <h2 id="sessions">{user.sessions}</h2>
        <OwnSessions />
      </section>
    </Page>
  );
}

function Password() {
  const { actions, dashboard } = useMessages();
  const t = dashboard.you;
  const toast = useToast();
  const queries = useQueryClient();
  const [current_password, setCurrent] = useState('');
  const [password, setPassword] = useState('');
  const change = useMutation({
    mutationFn: () => api.post('/v1/auth/password', { body: { current_password, password } }),
    onSuccess: () => {
      toast(t.changed);
      setCurrent('');
      setPassword('');
      return queries.invalidateQueries();
    },
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (!change.isPending) change.mutate();
  };
  return (
    <form className="step" onSubmit={submit}>
      <TextField
        label={t.current}
        type="password"
        autoComplete="current-password"
        required
        value={current_password}
        onChange={setCurrent}
      />
      <TextField
        label={t.new}
        hint={t.newHint}
        type="password"
        autoComplete="new-password"
        required
        value={password}
        onChange={setPassword}
      />
      {change.isError && (
        <div className="problem" role="alert">
          <ErrorText error={change.error} isOfAction />
        </div>
      )}
      <Button type="submit" className="secondary" isDisabled={change.isPending}>
        {change.isPending ? actions.working : t.change}
      </Button>
    </form>
  );
}

function SecondFactor() {
  const { dashboard } = useMessages();
  const t = dashboard.you;
  const { number } = useFormats();
  const queries = useQueryClient();
  const [isSettingUp, setSettingUp] = useState(false);
  const [codes, setCodes] = useState<readonly string[]>([]);
  const { data, error, refetch } = useQuery({
    queryKey: ['second-factor'],
    queryFn: ({ signal }) => api.get('/v1/auth/otp', { signal }),
  });
  if (isSettingUp) {
    const finish = (): void => {
      setSettingUp(false);
      void queries.invalidateQueries();
    };
    return <SetUpSecondFactor onDone={finish} />;
  }
  if (data === undefined) return error ? <Failure error={error} retry={() => void refetch()} /> : <Loading />;
  if (!data.enabled)
    return (
      <>
        <p>{t.factorOff}</p>
        <Button className="secondary" onPress={() => setSettingUp(true)}>
          {t.setUp}
        </Button>
      </>
    );
  return (
    <>
      <p>{format(t.factorOn, { count: number(data.recovery_codes_left) })}</p>
      {codes.length > 0 && <RecoveryCodes codes={codes} />}
      <Actions
        actions={[
          {
            name: 'codes',
            label: t.codes,
            isAllowed: true,
            denial: '',
            dialog: (close) => <NewCodesDialog onMade={setCodes} onClose={close} />,
          },
          {
            name: 'off',
            label: t.switchOff,
            isAllowed: true,
            denial: '',
            isDangerous: true,
            dialog: (close) => <SwitchOffDialog onClose={close} />,
          },
        ]}
      />
    </>
  );
}

interface CodeDialogProps {
  readonly onClose: () => void;
}

/** The field for a code, of the app or a recovery code. */
function useCode() {
  const { signIn } = useMessages();
  const [typed, setTyped] = useState('');
  const field = (
    <TextField label={signIn.code} autoComplete="one-time-code" autoFocus value={typed} onChange={setTyped} />
  );
  return { otp: typed.replaceAll(' ', ''), field };
}

function SwitchOffDialog({ onClose }: CodeDialogProps) {
  const t = useMessages().dashboard.you;
  const { otp, field } = useCode();
  return (
    <ActionDialog
      title={t.switchOff}
      about={undefined}
      text={t.switchOffText}
      confirm={t.switchOff}
      done={t.switchedOff}
      isDangerous
      isReady={otp !== ''}
      onClose={onClose}
      run={() => api.delete('/v1/auth/otp', { body: { otp } })}
    >
      {field}
    </ActionDialog>
  );
}

interface NewCodesDialogProps extends CodeDialogProps {
  readonly onMade: (codes: readonly string[]) => void;
}

function NewCodesDialog({ onMade, onClose }: NewCodesDialogProps) {
  const t = useMessages().dashboard.you;
  const { otp, field } = useCode();
  return (
    <ActionDialog
      title={t.codes}
      about={undefined}
      text={t.codesText}
      confirm={t.codes}
      done={t.codesMade}
      isReady={otp !== ''}
      onClose={onClose}
      run={async () => {
        const { recovery_codes } = await api.post('/v1/auth/otp/recovery-codes', { body: { otp } });
        onMade(recovery_codes);
      }}
    >
      {field}
    </ActionDialog>
  );
}
