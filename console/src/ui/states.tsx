import { ApiError, ConnectionError } from 'countinghouse-client';
import { Button } from 'react-aria-components/Button';
import { isAbsent } from '../api/client';
import { describeError } from '../i18n/describe-error';
import { format, useMessages } from '../i18n/i18n';

export function Loading() {
  return (
    <p className="soft" role="status">
      {useMessages().list.loading}
    </p>
  );
}

/** What could not be read, and what to do about it. */
export function Failure({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) {
  const { errors, connection } = useMessages();
  if (isAbsent(error)) {
    return (
      <div className="note">
        <h2>{errors.notFound}</h2>
        <p>{errors.notFoundText}</p>
      </div>
    );
  }
  return (
    <div className="note" role="alert">
      <h2>{error instanceof ConnectionError ? connection.unreachable : errors.title}</h2>
      <ErrorText error={error} />
      {retry && !isForbidden(error) && (
        <Button className="secondary" onPress={retry}>
          {errors.retry}
        </Button>
      )}
    </div>
  );
}

function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.status === 403;
}

interface ErrorTextProps {
  readonly error: unknown;
  /** Whether something was not done, rather than not shown: then the service says who may do it, and when. */
  readonly isOfAction?: boolean;
}

/** What went wrong. What only the service knows of it is in English. */
export function ErrorText({ error, isOfAction = false }: ErrorTextProps) {
  const { errors, connection } = useMessages();
  if (error instanceof ConnectionError || error instanceof TypeError) return <p>{connection.unreachable}</p>;
  if (!(error instanceof ApiError)) return <p>{errors.title}</p>;
  if (isForbidden(error) && !isOfAction) return <p>{errors.forbidden}</p>;
  const { text, details } = describeError(errors, error);
  return (
    <>
      <p>{text}</p>
      {details !== null && (
        <p className="soft">
          {errors.details} <span lang="en">{details}</span>
        </p>
      )}
      {error.requestId !== null && <p className="soft">{format(errors.request, { id: error.requestId })}</p>}
    </>
  );
}
