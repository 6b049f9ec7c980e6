import type { Schemas } from '../api/client';

/** A page about the account of the dashboard. */
export interface OwnAccountProps {
  readonly account: Schemas['AccountResponse'];
}
