import { codeAt } from '../../../support/authenticator';
import { Reply } from '../../../support/api';
import { PASSWORD, Person } from '../../../support/people';
import { TestService } from '../../../support/service';

/** The authenticator app and the recovery codes of a person. */
export interface Enrolled {
  readonly person: Person;
  readonly recoveryCodes: string[];
  readonly secret: string;
  /** Moves the clock to the next code and returns it. */
  readonly nextCode: () => string;
}

/** Sets up a second factor. */
export async function enrol(service: TestService, person: Person, password = PASSWORD): Promise<Enrolled> {
  const begun = await person.api.post('/v1/auth/otp', { password });
  if (begun.status !== 200) throw new Error(`The enrolment returned ${begun.status}: ${begun.text}`);
  const { secret } = begun.body;
  const otp = codeAt(secret, service.clock.now());
  const confirmed = await person.api.post('/v1/auth/otp/confirmation', { otp });
  if (confirmed.status !== 200) throw new Error(`The confirmation returned ${confirmed.status}.`);
  return {
    person,
    secret,
    recoveryCodes: confirmed.body.recovery_codes,
    nextCode: () => {
      service.clock.move({ seconds: 30 });
      return codeAt(secret, service.clock.now());
    },
  };
}

/** A code that is not valid at this time. */
export function wrongCodeOf({ secret }: Enrolled, now: Date): string {
  const valid = [-30, 0, 30].map((seconds) => codeAt(secret, new Date(now.getTime() + seconds * 1000)));
  return ['000000', '111111', '222222', '333333'].find((code) => !valid.includes(code))!;
}

/** The status and the error code of a response. */
export const outcome = ({ status, body }: Reply): unknown[] =>
  status === 200 ? [200] : [status, body.error];
